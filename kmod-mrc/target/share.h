/* SPDX-License-Identifier: GPL-2.0-only */
/* What a target gets of the memory, and what is known of its pages for that. */
#ifndef MRC_TARGET_SHARE_H
#define MRC_TARGET_SHARE_H

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
 * struct mrc_share - what a target gets of the memory
 * @weight: of its utility
 * @min: pages that it is never driven below
 * @pages: what it gets now; U64_MAX: nobody says
 * @running: how much of its time it did not wait for misses lately
 * @loops: it misses nearly always: what it used last is used last again
 * @fault: address of its last page fault over its share
 * @faults: its major faults by @looked
 * @missed: how many of them since it was looked at before
 * @coming: pages that come in, in an interval in which as many are missed
 * @fetched: major faults since it has executed its program
 * @anon: its anonymous pages by @looked, with those that are swapped out
 * @swapped: these
 * @mapped: pages of its address space by then: it can have no more
 * @growth: pages a second that @anon has grown by lately, in MRC_RATE
 * @looked: when that was, in us
 * @looks: how often
 * @execs: programs that it had executed by then
 * @real: misses in each second that it ran before that, in MRC_RATE
 * @real_most: the same, and the time before; U64_MAX: not known yet
 * @seen: of mrc_seen_add()
 * @over: in the table that page faults are looked up in
 * @errand: replaces pages of its own, in its own context
 * @sweeping: one at a time; protects what follows
 * @hand: where the next sweep begins
 * @warm: pages that could be evicted and are used too much, lately
 * @found: pages evicted meanwhile
 * @aging: one at a time; protects what follows, up to @notes
 * @ager: where the round over all pages goes on
 * @aged: when it last did, in us
 * @round: when this one began, in us
 * @tables: page tables that it has come over
 * @noted: the address space that is noted; only to be compared
 * @usage: of its pages, for the hand
 * @notes: of each page, a byte of mrc_usage_age(); changed under its page table's lock
 * @evict: pages on their way out
 * @rest_until: it found nothing to evict: jiffies
 * @evicted: pages, when free memory was low
 * @replaced: pages, in page faults of its own
 * @refused_shared: not evicted: mapped more than once
 * @refused_busy: not evicted: in parts, pinned, or off the LRU
 */
struct mrc_share {
	u32 weight;
	u64 min;
	u64 pages;
	u32 running;
	bool loops;
	unsigned long fault;
	u64 faults;
	u64 missed;
	u64 coming;
	u64 fetched;
	u64 anon;
	u64 swapped;
	u64 mapped;
	u64 growth;
	u64 looked;
	u64 looks;
	u64 execs;
	u64 real;
	u64 real_most;
	u64 seen[MRC_SIZES];
	struct hlist_node over;
	struct memsuite_task_work *errand;
	struct mutex sweeping;	/* hand to refused_busy */
	unsigned long hand;
	u64 warm;
	u64 found;
	struct mutex aging;	/* ager to notes */
	unsigned long ager;
	u64 aged;
	u64 round;
	u64 tables;
	const struct mm_struct *noted;
	struct mrc_usage usage;
	struct memsuite_page_map notes;
	struct memsuite_reclaim evict;
	unsigned long rest_until;
	u64 evicted;
	u64 replaced;
	u64 refused_shared;
	u64 refused_busy;
};

#endif
