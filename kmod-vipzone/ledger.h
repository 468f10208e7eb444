/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arithmetic of energy, latency and wear. Pure logic: also built in user
 * space.
 *
 * Energy is idle power x time plus accesses x energy per access. What is
 * counted is what accessed and dirty bits tell: a page that was touched counts
 * as one access to one cache line at each look, however many there were. So
 * accesses, their energy and their latency are lower bounds.
 */
#ifndef VIPZONE_LEDGER_H
#define VIPZONE_LEDGER_H

#include <linux/types.h>

#include <memsuite/region.h>

/**
 * struct ledger - what was counted
 * @reads: accesses that were no writes
 * @writes: writes
 * @latency_ns: what all of them took
 * @energy_nj: what all of them took beyond idle power
 * @rest_fj: and less than a nJ
 */
struct ledger {
	u64 reads;
	u64 writes;
	u64 latency_ns;
	u64 energy_nj;
	u64 rest_fj;
};

/**
 * ledger_line_fj() - energy of reading or writing a cache line of 64 bytes
 * @spec: of the region that it lies in
 * @write: whether it is written
 *
 * From the energy per bit; where that is not known, from the power beyond idle
 * power for as long as an access takes.
 *
 * Pure. Return: in fJ, 2^41 at most; 0 if it is not known.
 */
u64 ledger_line_fj(const struct ms_region_spec *spec, bool write);

/**
 * ledger_add() - count accesses
 * @ledger: where
 * @spec: of the region that was accessed
 * @reads: how many, less than 2^20
 * @writes: likewise
 *
 * Pure.
 */
void ledger_add(struct ledger *ledger, const struct ms_region_spec *spec,
		unsigned int reads, unsigned int writes);

/**
 * struct wear - how much may be written to a region now
 * @balance: KiB, times the milliseconds of a day
 * @last_ms: when it was last told
 * @begun: whether it was
 * @over: more was written than the time that has passed allows
 */
struct wear {
	s64 balance;
	u64 last_ms;
	bool begun;
	bool over;
};

/**
 * wear_spend() - what was written meanwhile
 * @wear: of the region
 * @budget_kib_per_day: what may be, up to 2^40; 0 is no limit
 * @now_ms: the time, on a clock that does not go backwards
 * @written_kib: since the last call
 *
 * A budget is spent evenly: what was not written can be made up for later, but
 * no more than an hour's share; what was written too much has to be waited for,
 * and a minute's share more.
 *
 * Pure. Return: @wear->over.
 */
bool wear_spend(struct wear *wear, u64 budget_kib_per_day, u64 now_ms,
		u64 written_kib);

#endif
