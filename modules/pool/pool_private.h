/* SPDX-License-Identifier: GPL-2.0-only */
/* What pool.c, which hands out, and refill.c share. */
#ifndef MEMSUITE_POOL_INNER_H
#define MEMSUITE_POOL_INNER_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/wait.h>

#include <memsuite/block.h>

#include "frame/bank_map.h"
#include "pool/pool.h"
#include "retire/give_back.h"

#define BATCH_PAGES	128

/* How long not to look again in a region that had nothing. */
#define DRY_JIFFIES	(HZ / 10)

/**
 * struct front - what one CPU has at hand
 * @chain: cleared pages, linked through page->private
 * @bare: frames isolated but not prepared, in physical order
 * @nr_bare: how many
 * @large: frames isolated but not prepared, for large folios; from the first on
 * @nr_large: how many
 * @scan: where this CPU looks for free blocks
 * @dry_until: do not look before
 * @vain: nothing was found since the walk began anew
 * @ended: the walk came to the end since a request last went on after it
 * @hint: slot to look at first
 * @isolated: bare frames taken
 * @handed: pages handed out
 * @bare_handed: of these, bare ones
 * @misses: requests that found nothing
 */
struct front {
	struct page *chain;
	struct page *bare;
	unsigned long nr_bare;
	struct page *large;
	unsigned long nr_large;
	struct memsuite_scan scan;
	unsigned long dry_until;
	bool vain;
	bool ended;
	unsigned int hint;
	u64 isolated;
	u64 handed;
	u64 bare_handed;
	u64 misses;
};

/**
 * struct memsuite_pool - pages of one region
 * @start_pfn: first frame
 * @end_pfn: first frame behind it
 * @nid: node of the region, or NUMA_NO_NODE
 * @banks: of its frames, those in these banks; NULL: all
 * @target: batches to keep in the depot
 * @container: frames that are handed out in a random order; 0: in their own
 * @nr_filled: batches in the depot
 * @nr_slots: slots of the depot
 * @nr_used: no slot from here on was ever filled; set by the filler
 * @slots: each NULL or a batch of BATCH_PAGES; taken and put by exchange only
 * @fronts: per-CPU; touched by their CPU only, with interrupts off
 * @filler: thread that fills the slots
 * @wait: where the filler sleeps
 * @wake: wakes it from where no scheduler lock may be taken
 * @scan: where the filler stands
 * @rest_until: memory was short: do not fill before
 * @large_pfn: where large blocks are looked for next
 * @large_dry_until: there was none in the whole region: do not look before
 * @missed: requests that had found nothing when the filler found nothing, either
 * @cut: the block that the filler took last, and cuts up
 * @cut_next: its next frame
 * @cut_end: how many it has
 * @cut_bad: those that the inspector found bad
 * @cut_out: those in other banks, which are gone
 * @frames: what the filler is putting in order, MEMSUITE_MAX_CONTAINER of them
 * @rejected: pages found bad in a fault, linked through page->private
 * @others: bare frames in other banks, found in a fault; likewise
 * @gifts: bare frames that other pools passed on to this one; likewise
 * @opened: those of them that the filler has taken
 * @nr_gifts: how many @gifts and @opened
 * @filled: pages that the filler took
 * @gifted: pages that other pools passed on
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
	atomic_t nr_filled;
	unsigned int nr_slots;
	unsigned int nr_used;
	struct page **slots;
	struct front __percpu *fronts;
	struct task_struct *filler;
	wait_queue_head_t wait;
	struct irq_work wake;
	struct memsuite_scan scan;
	unsigned long rest_until;
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
	struct page *gifts;
	struct page *opened;
	atomic_t nr_gifts;
	u64 filled;
	atomic64_t gifted;
	atomic64_t freed;
	atomic64_t foreign;
	atomic64_t passed;
	struct list_head link;
};

extern bool memsuite_pools_prefilled;
extern struct list_head memsuite_pools;	/* under memsuite_pools_lock */
extern struct mutex memsuite_pools_lock;

static inline struct page *chain_pop(struct page **chain)
{
	struct page *page = *chain;

	if (page)
		*chain = (struct page *)page_private(page);
	return page;
}

static inline void chain_push(struct page **chain, struct page *page)
{
	set_page_private(page, (unsigned long)*chain);
	*chain = page;
}

/* Where others push as well; they take the chain as a whole, by xchg(). */
static inline void chain_share(struct page **chain, struct page *page)
{
	struct page *head;

	do {
		head = READ_ONCE(*chain);
		set_page_private(page, (unsigned long)head);
	} while (cmpxchg(chain, head, page) != head);
}

static inline struct page *unmark(struct page *page)
{
	set_page_private(page, 0);
	__ClearPageOffline(page);
	return page;
}

static inline bool is_short(const struct memsuite_pool *pool)
{
	return atomic_read(&pool->nr_filled) < READ_ONCE(pool->target);
}

static inline bool wants_filling(const struct memsuite_pool *pool)
{
	return READ_ONCE(memsuite_pools_prefilled) && is_short(pool) &&
	       !memsuite_hold_wanted() &&
	       time_after_eq(jiffies, READ_ONCE(pool->rest_until));
}

static inline bool is_of_pool(const struct memsuite_pool *pool, struct page *page)
{
	return !pool->banks || memsuite_bank_set_has(pool->banks, page_to_pfn(page));
}

/* pool.c: the walk over the region begins anew. */
void memsuite_pool_rewind(struct memsuite_pool *pool, struct memsuite_scan *scan);

/* pool.c: the filler retires a page found bad in a fault. */
void memsuite_pool_reject(struct memsuite_pool *pool, struct page *page);

/* pool.c: puts a batch into the depot, unless that is full. */
bool memsuite_pool_put(struct memsuite_pool *pool, struct page *chain);

/* pool.c: give cleared pages back, or bare frames; how many. May sleep. */
unsigned long memsuite_pool_free(struct memsuite_pool *pool, struct page *chain);
unsigned long memsuite_pool_free_bare(struct memsuite_pool *pool, struct page *chain);
unsigned long memsuite_pool_free_gifts(struct memsuite_pool *pool, struct page **gifts);

/* pool.c: gives back @nr bare frames from @page on; how many. */
unsigned long memsuite_pool_free_frames(struct memsuite_pool *pool, struct page *page,
					unsigned long nr);

/* pool.c: gives back what CPUs have at hand; how many pages. May sleep. */
unsigned long memsuite_pool_drain_fronts(struct memsuite_pool *pool);

/**
 * memsuite_refill_run() - fill a pool until the thread is to stop
 * @data: the pool
 */
int memsuite_refill_run(void *data);

/*
 * Gives back what the filler has at hand, which does not run. Between
 * memsuite_hold_begin() and memsuite_hold_end(); may sleep.
 */
void memsuite_refill_empty(struct memsuite_pool *pool);

#endif
