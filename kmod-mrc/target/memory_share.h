/* SPDX-License-Identifier: GPL-2.0-only */
/* What a target gets of the memory, and what is known of its pages for that. */
#ifndef MRC_TARGET_MEMORY_SHARE_H
#define MRC_TARGET_MEMORY_SHARE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <memsuite/page_map.h>
#include <memsuite/reclaim_pages.h>

#include "curve/curve.h"
#include "target/page_usage.h"

struct memsuite_task_work;
struct mm_struct;

/**
 * struct mrc_share_counts - what was counted of all targets, those that have ended among them
 * @evicted: as in struct mrc_share, as are the others
 * @replaced: and so on
 * @fetched: of all programs that they have executed
 * @refused_shared: how often
 * @refused_busy: how often
 */
struct mrc_share_counts {
	u64 evicted;
	u64 replaced;
	u64 fetched;
	u64 refused_shared;
	u64 refused_busy;
};

/**
 * struct mrc_share - what a target gets of the memory
 * @weight: of its utility
 * @min: it is never driven below so many pages
 * @pages: what it gets now; U64_MAX: as many as it likes
 * @given: what it had when that was told, but for what it has given up for others since
 * @running: how much of its time it did not wait for misses lately
 * @loops: it misses nearly always: what it has just used is what it uses last
 * @fault: address of its last page fault over its share
 * @faults: its major faults at the last look
 * @missed: how many there were between the last two looks
 * @coming: pages that these would bring in within an interval of the division
 * @fetched: major faults since it executed its program
 * @anon: the most anonymous pages that it had at a look, with those that were swapped out
 * @had: those that it had at the last look
 * @gave_back: when it had a fifth less than at the look before, in us; 0: never
 * @regrowth: pages a second that it took again soon after that, at the last look, in MRC_RATE
 * @swapped: how many were swapped out at the last look
 * @mapped: pages of its address space at the last look, or what its control groups
 *	allow: it can have no more
 * @limit: what the strictest of its control groups allows all of its processes together
 * @limiter: which one that is; 0: none
 * @demand: pages that it will need by the next division, of those planned for it
 * @growth: pages a second that @anon has grown by lately, in MRC_RATE
 * @looked: when the last look was, in us
 * @looks: how many there were
 * @execs: programs that it had executed at the last look
 * @real: misses in each second that it ran before that, in MRC_RATE
 * @real_most: the same, and the time before; U64_MAX: not known yet
 * @seen: of mrc_seen_add()
 * @over: link in the table in which a page fault looks up its process
 * @task_work: replaces pages of its own, in its own context
 * @evicting: held while its pages are evicted; protects @evict_hand to @refused_busy
 * @evict_hand: where the next eviction begins
 * @warm: pages that could be evicted lately, but are used too much
 * @found: pages evicted in that time
 * @aging: held while its pages are aged; protects @aging_hand to @usage_map
 * @aging_hand: where the round over all pages goes on
 * @aged: when it last went on, in us
 * @round: when this round began, in us
 * @tables: page tables that this round has come over
 * @usage_mm: the address space that @usage_map is of; only to be compared
 * @usage: sums over its pages, which tell what is evicted
 * @usage_map: of each page, a byte of mrc_page_usage_age(); changed under its page table's lock
 * @reclaim: pages on their way out
 * @rest: how long it has rested, as it found nothing to evict, in jiffies
 * @rest_until: it rests
 * @evicted: pages, when free memory was low
 * @replaced: pages, in page faults of its own
 * @refused_shared: not evicted: mapped more than once
 * @refused_busy: not evicted: in parts, pinned, or off the LRU
 */
struct mrc_share {
	u32 weight;
	u64 min;
	u64 pages;
	u64 given;
	u32 running;
	bool loops;
	unsigned long fault;
	u64 faults;
	u64 missed;
	u64 coming;
	u64 fetched;
	u64 anon;
	u64 had;
	u64 gave_back;
	u64 regrowth;
	u64 swapped;
	u64 mapped;
	u64 limit;
	u64 limiter;
	u64 demand;
	u64 growth;
	u64 looked;
	u64 looks;
	u64 execs;
	u64 real;
	u64 real_most;
	u64 seen[MRC_SIZES];
	struct hlist_node over;
	struct memsuite_task_work *task_work;
	struct mutex evicting;	/* evict_hand to refused_busy */
	unsigned long evict_hand;
	u64 warm;
	u64 found;
	struct mutex aging;	/* aging_hand to usage_map */
	unsigned long aging_hand;
	u64 aged;
	u64 round;
	u64 tables;
	const struct mm_struct *usage_mm;
	struct mrc_page_usage usage;
	struct memsuite_page_map usage_map;
	struct memsuite_reclaim reclaim;
	unsigned long rest;
	unsigned long rest_until;
	u64 evicted;
	u64 replaced;
	u64 refused_shared;
	u64 refused_busy;
};

#endif
