// SPDX-License-Identifier: GPL-2.0-only
/* Energy, latency and wear; ledger.h. Pure logic: also built in user space. */

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>

#include "ledger.h"

#define LINE_BITS	512
#define LINE_MAX_FJ	BIT_ULL(41)
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

u64 ledger_line_fj(const struct ms_region_spec *spec, bool write)
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

void ledger_add(struct ledger *ledger, const struct ms_region_spec *spec,
		unsigned int reads, unsigned int writes)
{
	u64 fj = ledger->rest_fj + reads * ledger_line_fj(spec, false) +
		 writes * ledger_line_fj(spec, true);

	ledger->reads += reads;
	ledger->writes += writes;
	ledger->latency_ns += reads * READ_ONCE(spec->read_latency_ns) +
			      writes * READ_ONCE(spec->write_latency_ns);
	ledger->energy_nj += div64_u64(fj, FJ_PER_NJ);
	ledger->rest_fj = fj - div64_u64(fj, FJ_PER_NJ) * FJ_PER_NJ;
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
