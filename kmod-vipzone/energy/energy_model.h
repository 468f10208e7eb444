/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arithmetic of energy, latency and wear. Pure logic: also built in user
 * space.
 *
 * Energy is idle power x time plus accesses x energy per access. Accesses are known
 * from accessed and dirty bits: at each look, a page that was touched counts as one
 * access to one cache line, however often it was accessed. So accesses, their
 * energy and their latency are lower bounds. Or the processors count accesses; then
 * the bits tell only where these went.
 */
#ifndef VIPZONE_ENERGY_ENERGY_MODEL_H
#define VIPZONE_ENERGY_ENERGY_MODEL_H

#include <linux/bits.h>
#include <linux/types.h>

#include <memsuite/region.h>

#define VIPZONE_ACCESS_MAX	(BIT_ULL(42) - 1)	/* at once */

enum vipzone_access_kind {
	VIPZONE_ACCESS_READ,
	VIPZONE_ACCESS_WRITE,
	VIPZONE_NR_ACCESS_KINDS,
};

/**
 * struct vipzone_energy - what was counted
 * @touched: pages found read but not written, and found written
 * @counted: accesses that processors counted, in cache lines, as far as they are
 *	taken to have gone here
 * @latency_ns: how long all accesses took
 * @energy_nj: energy of all accesses beyond idle power
 * @rest_fj: the rest of it, less than a nJ
 * @error_nj: by how much @energy_nj may be off, as accesses counted may be others
 */
struct vipzone_energy {
	u64 touched[VIPZONE_NR_ACCESS_KINDS];
	u64 counted[VIPZONE_NR_ACCESS_KINDS];
	u64 latency_ns;
	u64 energy_nj;
	u64 rest_fj;
	u64 error_nj;
};

/**
 * struct vipzone_energy_place - where accesses that were counted may have gone
 * @touched: pages found read but not written, and found written
 * @counted: accesses that are taken to have gone there
 * @error: by how many @counted may be off
 */
struct vipzone_energy_place {
	u64 touched[VIPZONE_NR_ACCESS_KINDS];
	u64 counted[VIPZONE_NR_ACCESS_KINDS];
	u64 error[VIPZONE_NR_ACCESS_KINDS];
};

/* What an event counts. */
enum vipzone_access_event {
	VIPZONE_EVENT_READS,
	VIPZONE_EVENT_WRITES,
	VIPZONE_EVENT_BOTH,
};

/**
 * vipzone_energy_line_fj() - energy of reading or writing a cache line of 64 bytes
 * @spec: of the region that it lies in
 * @write: whether it is written
 *
 * From the energy per bit; where that is not known, from the power beyond idle
 * power for as long as an access takes.
 *
 * Pure.
 *
 * Return: in fJ, 2^41 at most; 0 if it is not known.
 */
u64 vipzone_energy_line_fj(const struct memsuite_region_spec *spec, bool write);

/**
 * vipzone_energy_touch() - note touches
 * @energy: where
 * @spec: of the region that was touched
 * @touched: how many, by kind, VIPZONE_ACCESS_MAX at most
 * @counted: accesses are counted otherwise; else each touch is charged as one
 *
 * Pure.
 */
void vipzone_energy_touch(struct vipzone_energy *energy, const struct memsuite_region_spec *spec,
			  const u64 *touched, bool counted);

/**
 * vipzone_energy_count() - charge accesses that were counted
 * @energy: where
 * @spec: of the region
 * @place: what went there, VIPZONE_ACCESS_MAX at most
 *
 * Pure.
 */
void vipzone_energy_count(struct vipzone_energy *energy, const struct memsuite_region_spec *spec,
			  const struct vipzone_energy_place *place);

/**
 * vipzone_energy_divide() - divide counted accesses among places
 * @event: what was counted
 * @counted: how many
 * @places: what was touched meanwhile; their part of the accesses is added
 * @nr: how many places there are
 *
 * Each place gets accesses in proportion to its touches. A page that was touched
 * once and one that was touched all the time are the same, so any place that was
 * touched may have got any number of the accesses: that is the error. What is
 * added to @places adds up to @counted.
 *
 * Pure.
 *
 * Return: false if nothing was touched that such accesses go to; nothing is
 * added then.
 */
bool vipzone_energy_divide(enum vipzone_access_event event, u64 counted,
			   struct vipzone_energy_place *places, unsigned int nr);

/**
 * vipzone_energy_share() - the part of one process in the accesses to a place
 * @place: as vipzone_energy_divide() left it
 * @apart: reads and writes were counted apart
 * @total: by kind, what was counted and divided among all places
 * @part: @touched is the process's part of the touches of @place; @counted and
 *	@error are the result, and 0 before
 *
 * Its accesses are in proportion to its touches. Again any number may be true,
 * unless nothing else was touched.
 *
 * Pure.
 */
void vipzone_energy_share(const struct vipzone_energy_place *place, bool apart, const u64 *total,
			  struct vipzone_energy_place *part);

/**
 * struct vipzone_wear - how much may be written to a region now
 * @balance: KiB, times the milliseconds of a day
 * @last_ms: when it was last told
 * @begun: whether it was told before
 * @over: more was written than the time that has passed allows
 */
struct vipzone_wear {
	s64 balance;
	u64 last_ms;
	bool begun;
	bool over;
};

/**
 * vipzone_wear_spend() - account for what was written
 * @wear: of the region
 * @budget_kib_per_day: what may be, up to 2^40; 0 is no limit
 * @now_ms: the time, on a clock that does not go backwards
 * @written_kib: since the last call
 *
 * A budget is spent evenly. What was not written can be written later, but no more
 * than an hour's share. After writing too much, the region is over budget until the
 * debt is paid off, and a minute's share more.
 *
 * Pure.
 *
 * Return: @wear->over.
 */
bool vipzone_wear_spend(struct vipzone_wear *wear, u64 budget_kib_per_day, u64 now_ms,
			u64 written_kib);

#endif
