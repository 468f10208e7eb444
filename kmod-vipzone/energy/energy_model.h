/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arithmetic of energy, latency and wear. Pure logic: also built in user
 * space.
 *
 * Energy is idle power x time plus accesses x energy per access. Accesses are
 * known from accessed and dirty bits: a page that was touched counts as one access
 * to one cache line at each look, however many there were, so that accesses, their
 * energy and their latency are lower bounds. Or the processors count them; then
 * the bits tell only which of them went where.
 */
#ifndef VIPZONE_LEDGER_H
#define VIPZONE_LEDGER_H

#include <linux/bits.h>
#include <linux/types.h>

#include <memsuite/region.h>

#define LEDGER_MOST	(BIT_ULL(42) - 1)	/* at once */

enum ledger_kind {
	LEDGER_READ,
	LEDGER_WRITE,
	LEDGER_KINDS,
};

/**
 * struct ledger - what was counted
 * @touched: pages found read but not written, and found written
 * @counted: accesses that processors counted and that are taken to be these, in
 *	cache lines
 * @latency_ns: what all accesses took
 * @energy_nj: what all of them took beyond idle power
 * @rest_fj: and less than a nJ
 * @error_nj: by how much @energy_nj may be off, as accesses counted may be others
 */
struct ledger {
	u64 touched[LEDGER_KINDS];
	u64 counted[LEDGER_KINDS];
	u64 latency_ns;
	u64 energy_nj;
	u64 rest_fj;
	u64 error_nj;
};

/**
 * struct ledger_place - where accesses that were counted may have gone
 * @touched: pages found read but not written, and found written
 * @counted: accesses that are taken to have gone there
 * @error: by how many these may be off
 */
struct ledger_place {
	u64 touched[LEDGER_KINDS];
	u64 counted[LEDGER_KINDS];
	u64 error[LEDGER_KINDS];
};

/* What an event counts. */
enum ledger_event {
	LEDGER_READS,
	LEDGER_WRITES,
	LEDGER_BOTH,
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
u64 ledger_line_fj(const struct memsuite_region_spec *spec, bool write);

/**
 * ledger_touch() - note touches
 * @ledger: where
 * @spec: of the region that was touched
 * @touched: how many, by kind, LEDGER_MOST at most
 * @counted: accesses are counted otherwise; else each touch is charged as one
 *
 * Pure.
 */
void ledger_touch(struct ledger *ledger, const struct memsuite_region_spec *spec,
		  const u64 *touched, bool counted);

/**
 * ledger_count() - charge accesses that were counted
 * @ledger: where
 * @spec: of the region
 * @place: what went there, LEDGER_MOST at most
 *
 * Pure.
 */
void ledger_count(struct ledger *ledger, const struct memsuite_region_spec *spec,
		  const struct ledger_place *place);

/**
 * ledger_divide() - tell where accesses went
 * @event: what was counted
 * @counted: how many
 * @places: what was touched meanwhile; what they are taken to have got is added
 * @nr: how many places there are
 *
 * As many of them as of the touches went to each place. A page that was touched
 * once and one that was touched all the time are the same, so any place that was
 * touched may have got any number of the accesses: that is the error. What is
 * added to @places adds up to @counted.
 *
 * Pure. Return: false if nothing was touched that such accesses go to; nothing is
 * added then.
 */
bool ledger_divide(enum ledger_event event, u64 counted,
		   struct ledger_place *places, unsigned int nr);

/**
 * ledger_share() - what of a place one of those who touched it has made
 * @place: as ledger_divide() left it
 * @apart: reads and writes were counted apart
 * @total: by kind, what was counted and divided among all places
 * @part: @touched is its own part of that of @place; the rest is the result, and 0
 *	before
 *
 * As many of the accesses as of the touches, and again any number may be true,
 * unless nothing else was touched.
 *
 * Pure.
 */
void ledger_share(const struct ledger_place *place, bool apart, const u64 *total,
		  struct ledger_place *part);

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
