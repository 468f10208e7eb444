// SPDX-License-Identifier: GPL-2.0-only
/* Which pages the best region is for; ranking.h. Pure logic: also built in user space. */

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "audit/ranking.h"

/* A part that is tried again at each look at the room. */
#define FORGET_DENIED_SHIFT	3

enum measure { ENERGY, POWER, LATENCY, NR_MEASURES };

static u64 access_cost(const struct memsuite_region_spec *spec, enum measure measure, bool write)
{
	switch (measure) {
	case ENERGY:
		return write ? READ_ONCE(spec->write_energy_fj_per_bit) :
			       READ_ONCE(spec->read_energy_fj_per_bit);
	case POWER:
		return write ? READ_ONCE(spec->write_power_mw) : READ_ONCE(spec->read_power_mw);
	default:
		return write ? READ_ONCE(spec->write_latency_ns) :
			       READ_ONCE(spec->read_latency_ns);
	}
}

/* Whether it is known of all regions. */
static bool is_told(const struct memsuite_region_spec * const *specs, unsigned int nr,
		    enum measure measure, bool write)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!access_cost(specs[i], measure, write))
			return false;
	return true;
}

/* @most is greater than 0, for the sum of both gains is. A great loss is cut off. */
static int gain_in_64ths(s64 gain, s64 most)
{
	return div64_s64(max(gain, -most) * VIPZONE_GAIN_ONE, most);
}

/* What a read and a write cost, 0 if it is not known of all regions, and both of them. */
struct costs {
	s64 read;
	s64 write;
	s64 sum;
};

static bool ends_by(enum measure measure, const struct memsuite_region_spec * const *specs,
		    unsigned int nr, struct vipzone_ends *ends)
{
	bool reads = is_told(specs, nr, measure, false), writes = is_told(specs, nr, measure, true);
	struct costs cost, least = { .sum = S64_MAX }, most = { .sum = -1 };
	unsigned int i, hot = 0, idle = 0;
	s64 read_gain, write_gain;

	for (i = 0; i < nr; i++) {
		cost.read = reads ? access_cost(specs[i], measure, false) : 0;
		cost.write = writes ? access_cost(specs[i], measure, true) : 0;
		cost.sum = cost.read + cost.write;
		if (cost.sum < least.sum) {
			least = cost;
			hot = i;
		}
		if (cost.sum > most.sum) {
			most = cost;
			idle = i;
		}
	}
	if (least.sum == most.sum)
		return false;
	read_gain = most.read - least.read;
	write_gain = most.write - least.write;
	ends->hot = hot;
	ends->idle = idle;
	ends->read_gain = gain_in_64ths(read_gain, max(read_gain, write_gain));
	ends->write_gain = gain_in_64ths(write_gain, max(read_gain, write_gain));
	return true;
}

bool vipzone_ends_choose(const struct memsuite_region_spec * const *specs, unsigned int nr,
			 struct vipzone_ends *ends)
{
	enum measure measure;

	for (measure = 0; nr > 1 && measure < NR_MEASURES; measure++)
		if (ends_by(measure, specs, nr, ends))
			return true;
	return false;
}

bool vipzone_ends_gains(const struct vipzone_ends *ends, struct vipzone_hotness hotness,
			unsigned int looks)
{
	/* Of kinds of use that gain nothing, any amount is none. */
	if (ends->read_gain <= 0)
		hotness.reads = 0;
	if (ends->write_gain <= 0)
		hotness.writes = 0;
	return vipzone_ends_rank(ends, hotness) && vipzone_hotness_is_used(hotness, looks);
}

/* Two ranks an octave: so many times as much is as many ranks above, however little it is. */
unsigned int vipzone_ends_rank(const struct vipzone_ends *ends, struct vipzone_hotness hotness)
{
	int gain = (int)hotness.reads * ends->read_gain + (int)hotness.writes * ends->write_gain;
	unsigned int octave;

	if (gain <= 0)
		return 0;
	octave = ilog2(gain);
	return 1 + 2 * octave + (2 * gain >= 3 << octave);
}

void vipzone_ranking_see(struct vipzone_ranking *ranking, unsigned long free, unsigned long kept)
{
	kept += ranking->denied;
	ranking->free = free;
	ranking->room = free > kept ? free - kept : 0;
	ranking->denied -= DIV_ROUND_UP(ranking->denied, 1U << FORGET_DENIED_SHIFT);
}

void vipzone_ranking_fill(struct vipzone_ranking *ranking, unsigned long pages)
{
	if (!pages)
		return;
	ranking->full = true;
	ranking->denied = min(ranking->denied + pages + ranking->room, ranking->free);
	ranking->room = 0;
}

void vipzone_ranking_count(struct vipzone_ranking *ranking, unsigned int rank, bool there,
			   unsigned long pages)
{
	ranking->pages[rank] += pages;
	if (there)
		ranking->there[rank] += pages;
}

bool vipzone_ranking_admits(struct vipzone_ranking *ranking, unsigned int rank,
			    unsigned long pages)
{
	if (rank < ranking->least)
		return false;
	if (!ranking->full && ranking->room >= pages)
		return true;
	ranking->waiting[rank] += pages;
	return false;
}

bool vipzone_ranking_releases(const struct vipzone_ranking *ranking, unsigned int rank,
			      unsigned long pages)
{
	return rank < ranking->leave_below && ranking->leaving >= pages;
}

/* The rank of which not all pages have a place in the region, or the lowest. */
static unsigned int last_admitted(const struct vipzone_ranking *ranking)
{
	unsigned long capacity = ranking->full ? 0 : ranking->room, sum = 0;
	unsigned int rank;

	for (rank = 0; rank < VIPZONE_RANKS; rank++)
		capacity += ranking->there[rank];
	for (rank = VIPZONE_RANKS - 1; rank; rank--) {
		sum += ranking->pages[rank];
		if (sum > capacity)
			break;
	}
	return rank;
}

/*
 * The first that wait take the place of the last that are there, as long as they gain enough by
 * it: of a set that is too large for the region, too, there is what has room.
 */
static void choose_who_leaves(struct vipzone_ranking *ranking)
{
	unsigned int low = 0, high = VIPZONE_RANKS - 1;
	unsigned long there = ranking->there[low], waiting = ranking->waiting[high], nr;

	ranking->leaving = 0;
	ranking->leave_below = 0;
	while (high >= low + VIPZONE_RANK_MARGIN) {
		nr = min(there, waiting);
		there -= nr;
		waiting -= nr;
		ranking->leaving += nr;
		if (nr)
			ranking->leave_below = low + 1;
		if (!there)
			there = ranking->there[++low];
		else
			waiting = ranking->waiting[--high];
	}
}

static bool somebody_waits(const struct vipzone_ranking *ranking)
{
	unsigned int rank;

	for (rank = 0; rank < VIPZONE_RANKS; rank++)
		if (ranking->waiting[rank])
			return true;
	return false;
}

void vipzone_ranking_conclude(struct vipzone_ranking *ranking)
{
	ranking->least = last_admitted(ranking);
	ranking->waits = somebody_waits(ranking);
	choose_who_leaves(ranking);
	ranking->full = false;
	memset(ranking->pages, 0, sizeof(ranking->pages));
	memset(ranking->there, 0, sizeof(ranking->there));
	memset(ranking->waiting, 0, sizeof(ranking->waiting));
}
