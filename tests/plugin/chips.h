/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory chips with power modes, as Table 4 of "Dynamic Tracking of Page Miss Ratio Curve for Memory Management" (ASPLOS
 * 2004) has them. Times are in ns, energies in pJ (a mW for a ns).
 */
#ifndef CHIPS_H
#define CHIPS_H

#include <math.h>
#include <stdint.h>

#define ACCESS_NS	60.0

enum mode { ACTIVE, STANDBY, NAP, POWERDOWN, MODES };

static const double mode_mw[MODES] = { 300, 180, 30, 3 };
static const struct {
	double mw, ns;
} to_active[MODES] = { { 0, 0 }, { 240, 6 }, { 160, 60 }, { 150, 600 } };

/* When a chip that is not accessed changes its mode: so long after its last access. Never: INFINITY. */
struct policy {
	double after_ns[MODES];		/* ACTIVE: 0 */
};

struct chip {
	double free_at;		/* when its last access or transition ends */
	double down_at;		/* when it is powered down, whatever the policy; INFINITY: it is not */
	double counted_to;	/* its energy is in the sum until then */
};

struct chips {
	struct policy policy;
	double oracle_ns;		/* it is known when an idle chip is accessed next: not so soon, power it down at once */
	double pj;
	uint64_t wakes[MODES];	/* accesses that found it so */
};

/* When it is in @mode or a deeper one. */
static inline double chip_enters(const struct chips *chips, const struct chip *chip, enum mode mode)
{
	double at = chip->free_at + chips->policy.after_ns[mode];

	return fmin(at, fmax(chip->down_at, chip->free_at));
}

static inline enum mode chip_mode(const struct chips *chips, const struct chip *chip, double now)
{
	enum mode mode = POWERDOWN;

	while (mode > ACTIVE && chip_enters(chips, chip, mode) > now)
		mode--;
	return mode;
}

/* Adds what it draws until @now. */
static inline void chip_count(struct chips *chips, struct chip *chip, double now)
{
	for (enum mode mode = ACTIVE; mode < MODES; mode++) {
		double from = fmax(chip_enters(chips, chip, mode), chip->counted_to);
		double to = mode == POWERDOWN ? now : fmin(chip_enters(chips, chip, mode + 1), now);

		if (to > from)
			chips->pj += (to - from) * mode_mw[mode];
	}
	chip->counted_to = fmax(chip->counted_to, now);
}

/* Makes it active. Returns when it is. */
static inline double chip_wake(struct chips *chips, struct chip *chip, double now)
{
	double at = fmax(now, chip->free_at);
	enum mode mode;

	if (chips->oracle_ns)
		chip->down_at = at - chip->free_at > chips->oracle_ns ? chip->free_at : INFINITY;
	mode = chip_mode(chips, chip, at);
	chip_count(chips, chip, at);
	chips->wakes[mode]++;
	chips->pj += to_active[mode].mw * to_active[mode].ns;
	chip->free_at = chip->counted_to = at + to_active[mode].ns;
	chip->down_at = INFINITY;
	return chip->free_at;
}

/* Reads or writes it. Returns when that is done. */
static inline double chip_access(struct chips *chips, struct chip *chip, double now)
{
	chip->free_at = chip_wake(chips, chip, now) + ACCESS_NS;
	chips->pj += ACCESS_NS * mode_mw[ACTIVE];
	chip->counted_to = chip->free_at;
	return chip->free_at;
}

static inline void chip_power_down(struct chips *chips, struct chip *chip, double now)
{
	chip_count(chips, chip, now);
	if (chip->down_at > now)
		chip->down_at = now;
}

#endif
