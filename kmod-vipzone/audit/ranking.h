/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which pages the best region is for: those that gain most by it. Pages are
 * ranked by what their reads and writes cost less there, and as many of the first
 * belong there as it has room for. Pure logic: also built in user space.
 */
#ifndef VIPZONE_AUDIT_RANKING_H
#define VIPZONE_AUDIT_RANKING_H

#include <linux/types.h>

#include <memsuite/region.h>

#include "audit/hotness.h"

/* 0: nothing is gained; then two an octave. */
#define VIPZONE_RANKS		27

/*
 * So many ranks a page must be above another to take its place: it gains nearly
 * three times as much. A page that is used at every second look differs less from look
 * to look.
 */
#define VIPZONE_RANK_MARGIN	3

/* A gain of 1. */
#define VIPZONE_GAIN_ONE	64

/**
 * struct vipzone_ends - the two ends of a list of regions, and what lies between
 * @hot: number of the region whose accesses are the cheapest
 * @idle: of that whose accesses are the dearest
 * @read_gain: what a read costs less in @hot than in @idle, in 64ths of the greater
 *	of both gains, rounded towards 0; less than 0 if it costs more
 * @write_gain: what a write costs less, likewise
 */
struct vipzone_ends {
	unsigned int hot;
	unsigned int idle;
	int read_gain;
	int write_gain;
};

/**
 * vipzone_ends_choose() - choose regions for hot and for idle pages
 * @specs: the regions
 * @nr: how many
 * @ends: result
 *
 * By energy, if it tells them apart; else by power, else by latency. Of each, what is
 * known of all regions counts: the costs of reads, of writes, or their sum.
 *
 * Pure.
 *
 * Return: false if nothing tells them apart; @ends is untouched.
 */
bool vipzone_ends_choose(const struct memsuite_region_spec * const *specs, unsigned int nr,
			 struct vipzone_ends *ends);

/**
 * vipzone_ends_gains() - whether a page is used in a way that gains by the hot region
 * @ends: the regions
 * @hotness: how it is used
 * @looks: as vipzone_hotness_is_used()
 *
 * Pure.
 *
 * Return: whether it is used so, and as much as at @looks in a row.
 */
bool vipzone_ends_gains(const struct vipzone_ends *ends, struct vipzone_hotness hotness,
			unsigned int looks);

/* The rank of a page that is used so, less than VIPZONE_RANKS. Pure. */
unsigned int vipzone_ends_rank(const struct vipzone_ends *ends, struct vipzone_hotness hotness);

/**
 * struct vipzone_ranking - who is to have room in a region
 * @pass: the pass over all processes that is counted now
 * @pages: by rank: pages seen in this pass that may lie in the region
 * @there: of these, those that do
 * @waiting: of these, those that are to come, and found no room
 * @least: pages of a lower rank do not come
 * @leave_below: pages of a lower rank leave,
 * @leaving: but so many at most
 * @waits: in the last pass, some found no room
 * @free: pages that looked free
 * @room: pages that it still has room for
 * @denied: pages that looked free, and could not be had
 * @looked_ms: when that was found out
 * @full: it turned out that there was no room
 */
struct vipzone_ranking {
	u64 pass;
	unsigned long pages[VIPZONE_RANKS];
	unsigned long there[VIPZONE_RANKS];
	unsigned long waiting[VIPZONE_RANKS];
	unsigned int least;
	unsigned int leave_below;
	unsigned long leaving;
	bool waits;
	unsigned long free;
	unsigned long room;
	unsigned long denied;
	u64 looked_ms;
	bool full;
};

/**
 * vipzone_ranking_see() - note how much room there is
 * @ranking: of the region
 * @free: pages that look free
 * @kept: so many of them are for others
 *
 * What could not be had lately, as a zone's reserve, is no room.
 *
 * Pure.
 */
void vipzone_ranking_see(struct vipzone_ranking *ranking, unsigned long free, unsigned long kept);

/* So many pages found no room; 0: there was room for all. Pure. */
void vipzone_ranking_fill(struct vipzone_ranking *ranking, unsigned long pages);

/* Pages of that rank were seen, which lie in the region or do not. Pure. */
void vipzone_ranking_count(struct vipzone_ranking *ranking, unsigned int rank, bool there,
			   unsigned long pages);

/**
 * vipzone_ranking_admits() - whether pages may come
 * @ranking: of the region
 * @rank: theirs
 * @pages: how many; if there is no room for them, they wait for it
 *
 * Pure.
 *
 * Return: whether they belong in the region, and there is room for them.
 */
bool vipzone_ranking_admits(struct vipzone_ranking *ranking, unsigned int rank,
			    unsigned long pages);

/* Whether pages of that rank, which are there, leave for others that wait. Pure. */
bool vipzone_ranking_releases(const struct vipzone_ranking *ranking, unsigned int rank,
			      unsigned long pages);

/**
 * vipzone_ranking_conclude() - all pages were seen: decide for the next pass
 * @ranking: of the region
 *
 * Pure.
 */
void vipzone_ranking_conclude(struct vipzone_ranking *ranking);

#endif
