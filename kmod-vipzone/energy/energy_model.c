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

u64 vipzone_energy_line_fj(const struct memsuite_region_spec *spec, bool write)
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

static void energy_charge(struct vipzone_energy *energy, const struct memsuite_region_spec *spec,
			  const u64 *accesses)
{
	unsigned int kind;

	for (kind = 0; kind < VIPZONE_NR_ACCESS_KINDS; kind++) {
		energy->latency_ns += accesses[kind] * line_ns(spec, kind);
		energy->energy_nj += lines_nj(accesses[kind],
					      vipzone_energy_line_fj(spec, kind),
					      &energy->rest_fj);
	}
}

void vipzone_energy_touch(struct vipzone_energy *energy, const struct memsuite_region_spec *spec,
			  const u64 *touched, bool counted)
{
	unsigned int kind;

	for (kind = 0; kind < VIPZONE_NR_ACCESS_KINDS; kind++)
		energy->touched[kind] += touched[kind];
	if (!counted)
		energy_charge(energy, spec, touched);
}

void vipzone_energy_count(struct vipzone_energy *energy, const struct memsuite_region_spec *spec,
			  const struct vipzone_energy_place *place)
{
	unsigned int kind;

	for (kind = 0; kind < VIPZONE_NR_ACCESS_KINDS; kind++) {
		u64 rest_fj = FJ_PER_NJ - 1;	/* rounded up */

		energy->counted[kind] += place->counted[kind];
		energy->error_nj += lines_nj(place->error[kind],
					     vipzone_energy_line_fj(spec, kind),
					     &rest_fj);
	}
	energy_charge(energy, spec, place->counted);
}

/* A page that was written may have been read as well, so it counts for reads, too. */
static u64 place_weight(const struct vipzone_energy_place *place, enum vipzone_access_event event,
			enum vipzone_access_kind kind)
{
	switch (event) {
	case VIPZONE_EVENT_READS:
		return kind != VIPZONE_ACCESS_READ ? 0 :
			place->touched[VIPZONE_ACCESS_READ] +
			place->touched[VIPZONE_ACCESS_WRITE];
	case VIPZONE_EVENT_WRITES:
		return kind != VIPZONE_ACCESS_WRITE ? 0 : place->touched[kind];
	default:
		return place->touched[kind];
	}
}

/* Whether any such access may have gone there. */
static bool is_possible(const struct vipzone_energy_place *place,
			enum vipzone_access_event event, enum vipzone_access_kind kind)
{
	if (event == VIPZONE_EVENT_BOTH && kind == VIPZONE_ACCESS_READ)
		event = VIPZONE_EVENT_READS;
	return place_weight(place, event, kind);
}

bool vipzone_energy_divide(enum vipzone_access_event event, u64 counted,
			   struct vipzone_energy_place *places, unsigned int nr)
{
	u64 total = 0, seen = 0, given = 0, part;
	unsigned int i, kind, possible = 0;

	for (i = 0; i < nr; i++)
		for (kind = 0; kind < VIPZONE_NR_ACCESS_KINDS; kind++) {
			total += place_weight(&places[i], event, kind);
			possible += is_possible(&places[i], event, kind);
		}
	if (!total)
		return false;
	for (i = 0; i < nr; i++)
		for (kind = 0; kind < VIPZONE_NR_ACCESS_KINDS; kind++) {
			seen += place_weight(&places[i], event, kind);
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

void vipzone_energy_share(const struct vipzone_energy_place *place, bool apart, const u64 *total,
			  struct vipzone_energy_place *part)
{
	unsigned int kind;

	for (kind = 0; kind < VIPZONE_NR_ACCESS_KINDS; kind++) {
		enum vipzone_access_event event = !apart ? VIPZONE_EVENT_BOTH :
			kind == VIPZONE_ACCESS_READ ? VIPZONE_EVENT_READS : VIPZONE_EVENT_WRITES;
		u64 all = place_weight(place, event, kind);
		u64 mine = place_weight(part, event, kind);
		u64 most = apart ? total[kind] :
			total[VIPZONE_ACCESS_READ] + total[VIPZONE_ACCESS_WRITE];
		u64 counted = part_of(place->counted[kind], mine, all);

		part->counted[kind] = counted;
		if (is_possible(part, event, kind) &&
		    (place->error[kind] || mine != all))
			part->error[kind] = max(counted, most - counted);
	}
}

bool vipzone_wear_spend(struct vipzone_wear *wear, u64 budget_kib_per_day, u64 now_ms,
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
