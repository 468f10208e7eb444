/* SPDX-License-Identifier: GPL-2.0-only */
/* A pool, for the files of this folder; what others may do with one is in memsuite/pool.h. */
#ifndef MEMSUITE_POOL_POOL_PRIVATE_H
#define MEMSUITE_POOL_POOL_PRIVATE_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/wait.h>

#include <memsuite/block.h>
#include <memsuite/pool.h>

#include "frame/bank_map.h"
#include "frame/barren.h"
#include "frame/buddy_isolate.h"
#include "frame/held_pages_private.h"

#define MEMSUITE_POOL_BATCH_PAGES	128

/*
 * How long not to look again in a region that had nothing: for a CPU, which then gives up
 * what it keeps, and for the refill thread. Twice as long each time that there still is
 * nothing, half as long each time that something is found.
 */
#define MEMSUITE_POOL_DRY_JIFFIES	(HZ / 10)
#define MEMSUITE_POOL_DRY_MAX_JIFFIES	(HZ / 2)
#define MEMSUITE_POOL_REST_MAX_JIFFIES	(2 * HZ)

/**
 * struct memsuite_pool_front - pages that one CPU has at hand
 * @chain: cleared pages, linked through page->private
 * @bare: frames isolated but not prepared, in physical order
 * @nr_bare: how many
 * @bare_fresh_until: they need not be inspected, in jiffies
 * @large: frames isolated but not prepared, for large folios; from the first on
 * @nr_large: how many
 */
struct memsuite_pool_front {
	struct page *chain;
	struct page *bare;
	unsigned long nr_bare;
	u64 bare_fresh_until;
	struct page *large;
	unsigned long nr_large;
};

/**
 * struct memsuite_pool_cache - what one CPU has of a pool
 * @front: what it takes pages from
 * @drained: what it has parted with, to be given back: whoever drains it sees to that
 * @scan: where this CPU looks for free blocks
 * @vain: nothing was found since the walk began anew
 * @ended: the walk came to the end since a request last went on after it
 * @looks_anyway: a region that is dry, too: this CPU has just given it something
 * @drain_after: to have the kernel's lists of this CPU emptied was in vain: not again before
 * @drain_jiffies: for how long, when it last was
 * @hint: slot to look at first
 * @isolated: bare frames taken
 * @handed: pages handed out
 * @bare_handed: of these, bare ones
 * @misses: requests that found nothing
 */
struct memsuite_pool_cache {
	struct memsuite_pool_front front;
	struct memsuite_pool_front drained;
	struct memsuite_scan scan;
	bool vain;
	bool ended;
	bool looks_anyway;
	unsigned long drain_after;
	unsigned long drain_jiffies;
	unsigned int hint;
	u64 isolated;
	u64 handed;
	u64 bare_handed;
	u64 misses;
};

/* Of one order, folios that are ready. */
#define MEMSUITE_LARGE_SLOTS	64

/**
 * struct memsuite_large_shelf - large folios of one order that are ready
 * @slots: each NULL or a folio, prepared but not compound yet; taken and put by exchange only
 * @nr: how many there are
 * @asked: when a fault asked for one last, in jiffies; 0: never
 * @is_filling: half of them were gone, and it is not full again; of the refill thread
 * @pfn: where that looks for free blocks next
 * @found: it has found one since it began at the start of the region
 * @dry_until: it has not: do not look before
 */
struct memsuite_large_shelf {
	struct page *slots[MEMSUITE_LARGE_SLOTS];
	atomic_t nr;
	unsigned long asked;
	bool is_filling;
	unsigned long pfn;
	bool found;
	unsigned long dry_until;
};

/**
 * struct memsuite_large_depot - large folios that are ready
 * @shelves: by order
 * @nr_wanted: of how many orders faults want some; half of the pool is for these, if any
 * @rest: of a block, what was not needed, bare; of the refill thread, in a hold
 * @nr_rest: how many pages
 */
struct memsuite_large_depot {
	struct memsuite_large_shelf shelves[MEMSUITE_MAX_ORDER + 1];
	unsigned int nr_wanted;
	struct page *rest;
	unsigned long nr_rest;
};

/**
 * struct memsuite_pool - pages of one region
 * @start_pfn: first frame
 * @end_pfn: first frame behind it
 * @nid: node of the region, or NUMA_NO_NODE
 * @banks: of its frames, those in these banks; NULL: all
 * @target: batches to keep in the depot
 * @container: frames that are handed out in a random order; 0: in their own
 * @dry_until: a CPU has walked over the region in vain: none is to look before
 * @dry_jiffies: for how long, when that was last so
 * @nr_filled: batches in the depot
 * @nr_slots: slots of the depot
 * @nr_used: no slot from here on was ever filled; set by the refill thread
 * @put_slot: where it looks first for one that is empty
 * @slots: each NULL or a batch of MEMSUITE_POOL_BATCH_PAGES; taken and put by exchange only
 * @caches: per-CPU; touched by their CPU only, with interrupts off
 * @drain_lock: held to drain @caches
 * @nr_unfinished: large folios that are taken, and not ready yet
 * @all_finished: where one waits until there are none
 * @refill_thread: thread that fills the slots
 * @wait: where the refill thread sleeps
 * @wake: wakes it from where no scheduler lock may be taken
 * @scan: where the refill thread stands
 * @scout_pfn: a CPU ran out of looks here: find for it what is free next; 0: nobody asks
 * @barren: pageblocks that have nothing for this pool
 * @look_after: pageblocks were looked at anew a moment ago: not before
 * @gather: a CPU has come to the end of the region: CPUs are to part with what they keep
 * @gather_after: they were asked to a moment ago: not before
 * @gather_jiffies: for how long, when they last were
 * @got: pages that the pool had taken by then
 * @has_gathered: CPUs have, and the refill thread looks once more before it rests
 * @tell_after: a fault has told the refill thread of a large block a moment ago: not before
 * @pressed_until: memory was wanted back: do not fill before
 * @rest_until: there was none: likewise
 * @rest_jiffies: for how long
 * @large: large folios that are ready
 * @large_pfn: where large blocks are looked for next
 * @large_dry_until: there was none in the whole region: do not look before
 * @missed: requests that had found nothing when CPUs last parted with what they kept
 * @cut: the block that the refill thread took last, and cuts up
 * @cut_next: its next frame
 * @cut_end: how many it has
 * @cut_bad: those that the inspector found bad
 * @cut_out: those in other banks, which are gone
 * @frames: what the refill thread is putting in order, MEMSUITE_MAX_CONTAINER of them
 * @rejected: pages found bad in a fault, linked through page->private
 * @others: bare frames in other banks, found in a fault; likewise
 * @remnants: bare frames that were too few for a large folio: memsuite_remnant_share()
 * @donated: bare frames that other pools passed on to this one; likewise
 * @donated_own: those of them that the refill thread has taken
 * @nr_donated: how many @donated and @donated_own
 * @filled: pages that the refill thread took
 * @received: pages that other pools passed on
 * @freed: pages given back, or passed on
 * @foreign: of the frames of blocks taken, those in other banks
 * @passed: of these, those passed on
 * @link: in all pools, under memsuite_pools_lock
 */
struct memsuite_pool {
	unsigned long start_pfn;
	unsigned long end_pfn;
	int nid;
	const struct memsuite_bank_set *banks;
	unsigned int target;
	unsigned int container;
	unsigned long dry_until;
	unsigned long dry_jiffies;
	atomic_t nr_filled;
	unsigned int nr_slots;
	unsigned int nr_used;
	unsigned int put_slot;
	struct page **slots;
	struct memsuite_pool_cache __percpu *caches;
	struct mutex drain_lock;	/* of what CPUs have parted with */
	atomic_t nr_unfinished;
	wait_queue_head_t all_finished;
	struct task_struct *refill_thread;
	wait_queue_head_t wait;
	struct irq_work wake;
	struct memsuite_scan scan;
	unsigned long scout_pfn;
	struct memsuite_barren barren;
	unsigned long look_after;
	bool gather;
	unsigned long gather_after;
	unsigned long gather_jiffies;
	u64 got;
	bool has_gathered;
	unsigned long tell_after;
	unsigned long pressed_until;
	unsigned long rest_until;
	unsigned long rest_jiffies;
	struct memsuite_large_depot large;
	unsigned long large_pfn;
	unsigned long large_dry_until;
	u64 missed;
	struct page *cut;
	unsigned long cut_next;
	unsigned long cut_end;
	DECLARE_BITMAP(cut_bad, 1UL << MEMSUITE_MAX_ORDER);
	DECLARE_BITMAP(cut_out, 1UL << MEMSUITE_MAX_ORDER);
	u64 *frames;
	struct page *rejected;
	struct page *others;
	struct page *remnants;
	struct page *donated;
	struct page *donated_own;
	atomic_t nr_donated;
	u64 filled;
	atomic64_t received;
	atomic64_t freed;
	atomic64_t foreign;
	atomic64_t passed;
	struct list_head link;
};

extern bool memsuite_pools_prefilled;	/* in pool_depot.c */

/* In pool_drain.c. */
extern struct list_head memsuite_pools;	/* under memsuite_pools_lock */
extern struct mutex memsuite_pools_lock;

static inline struct page *memsuite_chain_pop(struct page **chain)
{
	struct page *page = *chain;

	if (page)
		*chain = (struct page *)page_private(page);
	return page;
}

static inline void memsuite_chain_push(struct page **chain, struct page *page)
{
	set_page_private(page, (unsigned long)*chain);
	*chain = page;
}

/* Takes one out of the midst; returns whether it is there. */
static inline bool memsuite_chain_remove(struct page **chain, struct page *page)
{
	struct page *at = *chain, *before = NULL;

	while (at && at != page) {
		before = at;
		at = (struct page *)page_private(at);
	}
	if (!at)
		return false;
	if (before)
		set_page_private(before, page_private(page));
	else
		*chain = (struct page *)page_private(page);
	set_page_private(page, 0);
	return true;
}

/* Where others push as well; they take the chain as a whole, by xchg(). */
static inline void memsuite_chain_share(struct page **chain, struct page *page)
{
	struct page *head;

	do {
		head = READ_ONCE(*chain);
		set_page_private(page, (unsigned long)head);
	} while (cmpxchg(chain, head, page) != head);
}

/*
 * Frames that lie together go to a chain as one, two at least: the first has the next
 * in page->private, the second how many they are.
 */
static inline void memsuite_remnant_share(struct page **chain, struct page *page, unsigned long nr)
{
	set_page_private(page + 1, nr);
	memsuite_chain_share(chain, page);
}

static inline struct page *memsuite_pool_unmark(struct page *page)
{
	set_page_private(page, 0);
	__ClearPageOffline(page);
	return page;
}

/* Of the batches that the pool is to hold, those that are not for large folios. */
static inline unsigned int memsuite_pool_small_target(const struct memsuite_pool *pool)
{
	unsigned int target = READ_ONCE(pool->target);

	return READ_ONCE(pool->large.nr_wanted) ? target - target / 2 : target;
}

static inline bool memsuite_pool_is_short(const struct memsuite_pool *pool)
{
	return atomic_read(&pool->nr_filled) < memsuite_pool_small_target(pool);
}

static inline bool memsuite_pool_rests(const struct memsuite_pool *pool)
{
	return time_before(jiffies, READ_ONCE(pool->rest_until));
}

static inline bool memsuite_pool_may_fill(const struct memsuite_pool *pool)
{
	return READ_ONCE(memsuite_pools_prefilled) && !memsuite_hold_wanted() &&
	       !memsuite_pool_rests(pool) &&
	       time_after_eq(jiffies, READ_ONCE(pool->pressed_until));
}

static inline bool memsuite_pool_wants_refill(const struct memsuite_pool *pool)
{
	return memsuite_pool_is_short(pool) && memsuite_pool_may_fill(pool);
}

/* It is to fill, or may have something: there is no use in waiting. */
static inline void memsuite_pool_end_rest(struct memsuite_pool *pool)
{
	WRITE_ONCE(pool->rest_jiffies, 0);
	WRITE_ONCE(pool->rest_until, jiffies);
}

static inline bool memsuite_pool_owns(const struct memsuite_pool *pool, struct page *page)
{
	return !pool->banks || memsuite_bank_set_has(pool->banks, page_to_pfn(page));
}

/* The walk over the region begins anew. */
static inline void memsuite_pool_rewind(struct memsuite_pool *pool, struct memsuite_scan *scan)
{
	*scan = (struct memsuite_scan) {
		.pfn = pool->start_pfn,
		.end = pool->end_pfn,
		.orders = MEMSUITE_ANY_ORDER,
		.nid = pool->nid,
		.migratetypes = MEMSUITE_ANY_MIGRATETYPE,
		.banks = pool->banks,
		.barren = &pool->barren,
		.vain_pfn = pool->start_pfn,
	};
}

/* It goes on at @pfn. */
static inline void memsuite_pool_resume(struct memsuite_pool *pool, struct memsuite_scan *scan,
					unsigned long pfn)
{
	memsuite_pool_rewind(pool, scan);
	memsuite_frames_go(scan, clamp(pfn, scan->pfn, scan->end));
}

/*
 * There is nothing more in the region, as far as this CPU knows: other CPUs may keep
 * something. Now and then, for all are asked. The refill thread sees to it.
 */
static inline void memsuite_pool_ask_for_more(struct memsuite_pool *pool)
{
	if (time_before(jiffies, READ_ONCE(pool->gather_after)))
		return;
	/* The thread says when the next may. */
	WRITE_ONCE(pool->gather_after, jiffies + MEMSUITE_POOL_REST_MAX_JIFFIES);
	WRITE_ONCE(pool->gather, true);
	irq_work_queue(&pool->wake);
}

/* A fault has walked in vain: look at a little of what may have been freed since. */
static inline void memsuite_pool_glance(struct memsuite_pool *pool)
{
	memsuite_barren_peek(&pool->barren, 4);
	memsuite_barren_look_again(&pool->barren, 0, 128);
}

/* Who may sleep has walked in vain: look at more, which takes a millisecond, once a second. */
static inline void memsuite_pool_look_again(struct memsuite_pool *pool)
{
	unsigned long due = READ_ONCE(pool->look_after);

	if (time_before(jiffies, due) || cmpxchg(&pool->look_after, due, jiffies + HZ) != due)
		return;
	memsuite_barren_peek(&pool->barren, 16);
	memsuite_barren_look_again(&pool->barren, 64, 4096);
}

/* A page was found bad in a fault. Retiring sleeps: the refill thread does it. */
static inline void memsuite_pool_reject(struct memsuite_pool *pool, struct page *page)
{
	memsuite_chain_share(&pool->rejected, page);
	irq_work_queue(&pool->wake);
}

#endif
