// SPDX-License-Identifier: GPL-2.0-only
/* Energy, latency and wear; energy_model.h. Pure logic: also built in user space. */

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>

#include "energy/energy_model.h"

#define LINE_BITS	512
#define LINE_MAX_FJ	BIT_ULL(41)
#define LINE_MAX_NS	BIT_ULL(22)
#define FJ_PER_NJ	1000000
#define FJ_PER_PJ	1000

#define MINUTE_MS	60000LL
#define HOUR_MS		(60 * MINUTE_MS)
#define DAY_MS		(24 * HOUR_MS)
#define MOST_KIB	BIT_ULL(34)

/* A milliwatt for a nanosecond is a picojoule. */
static u64 line_fj_by_power(u64 power_mw, u64 idle_mw, u64 latency_ns)
{
	u64 most_mw;

	if (power_mw <= idle_mw || !latency_ns)
		return 0;
	most_mw = div64_u64(LINE_MAX_FJ / FJ_PER_PJ, latency_ns);
	return min(power_mw - idle_mw, most_mw) * latency_ns * FJ_PER_PJ;
}

u64 ledger_line_fj(const struct memsuite_region_spec *spec, bool write)
{
	u64 fj_per_bit = write ? READ_ONCE(spec->write_energy_fj_per_bit) :
				 READ_ONCE(spec->read_energy_fj_per_bit);

	if (fj_per_bit)
		return min(fj_per_bit * LINE_BITS, LINE_MAX_FJ);
	return line_fj_by_power(write ? READ_ONCE(spec->write_power_mw) :
					READ_ONCE(spec->read_power_mw),
				READ_ONCE(spec->idle_power_mw),
				write ? READ_ONCE(spec->write_latency_ns) :
					READ_ONCE(spec->read_latency_ns));
}

static u64 line_ns(const struct memsuite_region_spec *spec, bool write)
{
	u64 ns = write ? READ_ONCE(spec->write_latency_ns) :
			 READ_ONCE(spec->read_latency_ns);

	return min(ns, LINE_MAX_NS);
}

/* In nJ; what is less is left in @rest_fj. */
static u64 lines_nj(u64 nr, u64 line_fj, u64 *rest_fj)
{
	u64 line_nj = div64_u64(line_fj, FJ_PER_NJ), nj;
	u64 fj = nr * (line_fj - line_nj * FJ_PER_NJ) + *rest_fj;

	nj = div64_u64(fj, FJ_PER_NJ);
	*rest_fj = fj - nj * FJ_PER_NJ;
	return nr * line_nj + nj;
}

static void charge(struct ledger *ledger, const struct memsuite_region_spec *spec,
		   const u64 *accesses)
{
	unsigned int kind;

	for (kind = 0; kind < LEDGER_KINDS; kind++) {
		ledger->latency_ns += accesses[kind] * line_ns(spec, kind);
		ledger->energy_nj += lines_nj(accesses[kind],
					      ledger_line_fj(spec, kind),
					      &ledger->rest_fj);
	}
}

void ledger_touch(struct ledger *ledger, const struct memsuite_region_spec *spec,
		  const u64 *touched, bool counted)
{
	unsigned int kind;

	for (kind = 0; kind < LEDGER_KINDS; kind++)
		ledger->touched[kind] += touched[kind];
	if (!counted)
		charge(ledger, spec, touched);
}

void ledger_count(struct ledger *ledger, const struct memsuite_region_spec *spec,
		  const struct ledger_place *place)
{
	unsigned int kind;

	for (kind = 0; kind < LEDGER_KINDS; kind++) {
		u64 rest_fj = FJ_PER_NJ - 1;	/* rounded up */

		ledger->counted[kind] += place->counted[kind];
		ledger->error_nj += lines_nj(place->error[kind],
					     ledger_line_fj(spec, kind),
					     &rest_fj);
	}
	charge(ledger, spec, place->counted);
}

/* A page that was written may have been read as well, and counts so for reads. */
static u64 weight(const struct ledger_place *place, enum ledger_event event,
		  enum ledger_kind kind)
{
	switch (event) {
	case LEDGER_READS:
		return kind != LEDGER_READ ? 0 :
			place->touched[LEDGER_READ] +
			place->touched[LEDGER_WRITE];
	case LEDGER_WRITES:
		return kind != LEDGER_WRITE ? 0 : place->touched[kind];
	default:
		return place->touched[kind];
	}
}

/* Whether any such access may have gone there. */
static bool is_possible(const struct ledger_place *place,
			enum ledger_event event, enum ledger_kind kind)
{
	if (event == LEDGER_BOTH && kind == LEDGER_READ)
		event = LEDGER_READS;
	return weight(place, event, kind);
}

bool ledger_divide(enum ledger_event event, u64 counted,
		   struct ledger_place *places, unsigned int nr)
{
	u64 total = 0, seen = 0, given = 0, part;
	unsigned int i, kind, possible = 0;

	for (i = 0; i < nr; i++)
		for (kind = 0; kind < LEDGER_KINDS; kind++) {
			total += weight(&places[i], event, kind);
			possible += is_possible(&places[i], event, kind);
		}
	if (!total)
		return false;
	for (i = 0; i < nr; i++)
		for (kind = 0; kind < LEDGER_KINDS; kind++) {
			seen += weight(&places[i], event, kind);
			part = mul_u64_u64_div_u64(counted, seen, total) - given;
			given += part;
			places[i].counted[kind] += part;
			if (possible > 1 && is_possible(&places[i], event, kind))
				places[i].error[kind] += max(part, counted - part);
		}
	return true;
}

static u64 part_of(u64 whole, u64 mine, u64 all)
{
	return all ? mul_u64_u64_div_u64(whole, min(mine, all), all) : 0;
}

void ledger_share(const struct ledger_place *place, bool apart, const u64 *total,
		  struct ledger_place *part)
{
	unsigned int kind;

	for (kind = 0; kind < LEDGER_KINDS; kind++) {
		enum ledger_event event = !apart ? LEDGER_BOTH :
			kind == LEDGER_READ ? LEDGER_READS : LEDGER_WRITES;
		u64 all = weight(place, event, kind);
		u64 mine = weight(part, event, kind);
		u64 most = apart ? total[kind] :
			total[LEDGER_READ] + total[LEDGER_WRITE];
		u64 counted = part_of(place->counted[kind], mine, all);

		part->counted[kind] = counted;
		if (is_possible(part, event, kind) &&
		    (place->error[kind] || mine != all))
			part->error[kind] = max(counted, most - counted);
	}
}

bool wear_spend(struct wear *wear, u64 budget_kib_per_day, u64 now_ms,
		u64 written_kib)
{
	s64 budget = budget_kib_per_day, most = budget * HOUR_MS;
	s64 elapsed_ms = min_t(u64, now_ms - wear->last_ms, HOUR_MS);
	s64 written = min(written_kib, MOST_KIB) * DAY_MS;

	wear->last_ms = now_ms;
	if (!wear->begun)
		wear->balance = most;
	wear->begun = budget;
	if (!budget) {
		wear->over = false;
		return false;
	}
	wear->balance = min(wear->balance + elapsed_ms * budget, most);
	/* A debt has a bound, to be far from overflow. */
	wear->balance = max(wear->balance - written, -(S64_MAX / 4));
	if (wear->balance < 0)
		wear->over = true;
	else if (wear->balance >= budget * MINUTE_MS)
		wear->over = false;
	return wear->over;
}
