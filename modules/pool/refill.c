// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread that fills a pool: takes free blocks, clears their pages, has them
 * inspected, and puts them into the depot in the order in which they are to be
 * handed out.
 *
 * Of a block, a pool for some banks keeps only its own frames. What lies in
 * other banks goes to pools that are for these and have too few, or back.
 */

#include <linux/bitmap.h>
#include <linux/kthread.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched.h>

#include <compat/compat.h>
#include <memsuite/control.h>
#include <memsuite/target_frames.h>

#include "frame/buddy_isolate.h"
#include "frame/hwpoison.h"
#include "kernel/unexported_calls.h"
#include "pool/frame_order.h"
#include "pool/large_refill.h"
#include "pool/pool_depot.h"
#include "pool/pool_drain.h"
#include "pool/pool_inspect_private.h"
#include "pool/pool_private.h"
#include "pool/refill.h"
#include "pool/scout.h"

/* Frames looked at between two chances for others to run. */
#define FILL_BUDGET	4096

/* In a region that was walked in vain: blocks freed lately, and pageblocks to look at anew. */
#define PEEK_BLOCKS	16
#define LOOK_AGAIN	8
#define LOOK_AGAIN_HEADS	1024

/* CPUs are asked for what they keep once in this time at most, if that brings so many pages. */
#define GATHER_JIFFIES		(HZ / 10)
#define GATHER_WORTH_PAGES	(8 * MEMSUITE_POOL_BATCH_PAGES)

/* Blocks that are no huge page: there is no need to break those up first. */
#define SMALL_ORDERS	((1U << pageblock_order) - 1)

static void refill_retire(struct memsuite_pool *pool, struct page *page)
{
	memsuite_hwpoison_set(page);
	atomic64_inc(&pool->freed);
}

static void refill_retire_rejected(struct memsuite_pool *pool)
{
	struct page *chain = xchg(&pool->rejected, NULL), *page;
	unsigned long bad;

	while ((page = memsuite_chain_pop(&chain))) {
		set_page_private(page, 0);
		/* It is bad, whatever a second look says; but no more may be retired than that. */
		bad = 1;
		memsuite_pool_inspect_block(page_to_pfn(page), 1, &bad);
		if (bad)
			refill_retire(pool, page);
		else
			memsuite_pool_free(pool, page);
	}
}

static bool pool_wants_donation(const struct memsuite_pool *pool, struct page *page)
{
	unsigned long pfn = page_to_pfn(page);
	unsigned long has = atomic_read(&pool->nr_filled) * MEMSUITE_POOL_BATCH_PAGES +
			    atomic_read(&pool->nr_donated);

	return pool->banks && pfn >= pool->start_pfn && pfn < pool->end_pfn &&
	       (pool->nid == NUMA_NO_NODE || pool->nid == page_to_nid(page)) &&
	       READ_ONCE(memsuite_pools_prefilled) &&
	       has < (unsigned long)READ_ONCE(pool->target) * MEMSUITE_POOL_BATCH_PAGES &&
	       memsuite_pool_owns(pool, page);
}

/* A bare frame that is not of @pool. Under memsuite_pools_lock. */
static void refill_pass_on(struct memsuite_pool *pool, struct page *page)
{
	struct page *chain = NULL;
	struct memsuite_pool *other;

	atomic64_inc(&pool->foreign);
	list_for_each_entry(other, &memsuite_pools, link) {
		if (!pool_wants_donation(other, page))
			continue;
		atomic_inc(&other->nr_donated);
		atomic64_inc(&other->received);
		atomic64_inc(&pool->passed);
		atomic64_inc(&pool->freed);
		memsuite_chain_share(&other->donated, page);
		return;
	}
	memsuite_chain_push(&chain, page);
	memsuite_pool_free_bare(pool, chain);
}

static void refill_pass_on_others(struct memsuite_pool *pool)
{
	struct page *chain, *page;

	if (!READ_ONCE(pool->others))
		return;
	chain = xchg(&pool->others, NULL);
	mutex_lock(&memsuite_pools_lock);
	while ((page = memsuite_chain_pop(&chain)))
		refill_pass_on(pool, page);
	mutex_unlock(&memsuite_pools_lock);
}

/* Parts with those frames of the block that are not of the pool. */
static void cut_sort_out(struct memsuite_pool *pool)
{
	unsigned long i;

	bitmap_zero(pool->cut_out, pool->cut_end);
	if (!pool->banks)
		return;
	mutex_lock(&memsuite_pools_lock);
	for (i = 0; i < pool->cut_end; i++) {
		if (memsuite_pool_owns(pool, pool->cut + i))
			continue;
		__set_bit(i, pool->cut_out);
		refill_pass_on(pool, pool->cut + i);
	}
	mutex_unlock(&memsuite_pools_lock);
}

static void page_prepare(struct page *page)
{
	memsuite_frames_prepare(page, 0, true);
	__SetPageOffline(page);
	cond_resched();
}

static void cut_prepare(struct memsuite_pool *pool)
{
	unsigned long i;

	for (i = 0; i < pool->cut_end; i++)
		if (!test_bit(i, pool->cut_out))
			page_prepare(pool->cut + i);
}

/* Returns whether all of them were. */
static bool cut_inspect(struct memsuite_pool *pool)
{
	unsigned long first = page_to_pfn(pool->cut), i, bad;
	bool whole = true;

	bitmap_zero(pool->cut_bad, pool->cut_end);
	if (!pool->banks)
		return memsuite_pool_inspect_block(first, pool->cut_end, pool->cut_bad);
	for (i = 0; i < pool->cut_end && whole; i++) {
		if (test_bit(i, pool->cut_out))
			continue;
		bad = 0;
		whole = memsuite_pool_inspect_block(first + i, 1, &bad);
		__assign_bit(i, pool->cut_bad, bad);
	}
	return whole;
}

/* Whether somebody was left without a page since CPUs parted with what they kept. */
static bool pool_is_missed(struct memsuite_pool *pool)
{
	return memsuite_stat_sum(pool->caches, misses) != pool->missed;
}

/*
 * Of blocks that CPUs took in faults: one may be all that a small region has. A guess, for they go
 * on meanwhile.
 */
static bool cpus_keep_bare(const struct memsuite_pool *pool)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (READ_ONCE(per_cpu_ptr(pool->caches, cpu)->front.nr_bare))
			return true;
	return false;
}

/* NULL: it lies in several. */
static struct zone *pool_zone(const struct memsuite_pool *pool)
{
	struct page *first = pfn_to_online_page(pool->start_pfn);
	struct page *last = pfn_to_online_page(pool->end_pfn - 1);

	return first && last && page_zone(first) == page_zone(last) ? page_zone(first) : NULL;
}

/*
 * What CPUs keep, of the pool and of what programs have freed. They must fetch new pages then:
 * where the region got little by it they are asked ever more seldom. What they gave back does not
 * count.
 */
static void refill_gather_frames(struct memsuite_pool *pool)
{
	u64 got = pool->filled + memsuite_stat_sum(pool->caches, isolated);
	bool is_worth_it = (s64)(got - pool->got) >= GATHER_WORTH_PAGES;

	pool->missed = memsuite_stat_sum(pool->caches, misses);
	pool->gather_jiffies = clamp_t(unsigned long, is_worth_it ? 0 : 2 * pool->gather_jiffies,
				       GATHER_JIFFIES, MEMSUITE_POOL_REST_MAX_JIFFIES);
	pool->got = got + memsuite_pool_drain_caches(pool);
	memsuite_kcall_drain_all_pages(pool_zone(pool));
	WRITE_ONCE(pool->gather_after, jiffies + pool->gather_jiffies);
}

/* So much, and no more, does a region cost that is full, every other second. */
static void refill_look_again(struct memsuite_pool *pool)
{
	memsuite_barren_peek(&pool->barren, PEEK_BLOCKS);
	memsuite_barren_look_again(&pool->barren, LOOK_AGAIN, LOOK_AGAIN_HEADS);
}

static void refill_rest(struct memsuite_pool *pool, bool was_short)
{
	unsigned long rest = was_short ? 0 : 2 * pool->rest_jiffies;

	pool->rest_jiffies = clamp_t(unsigned long, rest, MEMSUITE_POOL_DRY_JIFFIES,
				     MEMSUITE_POOL_REST_MAX_JIFFIES);
	WRITE_ONCE(pool->rest_until, jiffies + pool->rest_jiffies);
}

/*
 * Walked to the end: what there was is taken. Once more, if CPUs may keep what is missed; if not,
 * later.
 */
static void refill_scan_anew(struct memsuite_pool *pool)
{
	bool small = pool->scan.orders != MEMSUITE_ANY_ORDER, was_short = pool->scan.was_short;

	memsuite_pool_rewind(pool, &pool->scan);
	if (small)
		return;
	if (!pool->has_gathered && time_after_eq(jiffies, READ_ONCE(pool->gather_after)) &&
	    (pool_is_missed(pool) || cpus_keep_bare(pool))) {
		pool->has_gathered = true;
		refill_gather_frames(pool);
		refill_look_again(pool);
		return;
	}
	pool->has_gathered = false;
	refill_look_again(pool);
	refill_rest(pool, was_short);
	if (pool->banks)
		pool->scan.orders = SMALL_ORDERS;
}

static int refill_take_block(struct memsuite_pool *pool, struct memsuite_block *block)
{
	int err;

	do {
		cond_resched();
		err = memsuite_frames_isolate(&pool->scan, FILL_BUDGET, block);
		if (err == -ENOMEM)
			memsuite_frames_skip_zone(&pool->scan);
		if (err == -ENOENT)
			refill_scan_anew(pool);
	} while (err && memsuite_pool_wants_refill(pool) && !kthread_should_stop());
	return err;
}

/* The next page of the block; NULL if it is gone, or bad and was retired. */
static struct page *cut_next_page(struct memsuite_pool *pool)
{
	unsigned long i = pool->cut_next++;

	if (test_bit(i, pool->cut_out))
		return NULL;
	if (!test_bit(i, pool->cut_bad))
		return pool->cut + i;
	refill_retire(pool, memsuite_pool_unmark(pool->cut + i));
	return NULL;
}

static void cut_free(struct memsuite_pool *pool)
{
	struct page *chain = NULL, *page;

	while (pool->cut_next < pool->cut_end) {
		page = cut_next_page(pool);
		if (page)
			memsuite_chain_push(&chain, page);
	}
	memsuite_pool_free(pool, chain);
}

/* Takes a block, clears it, and has it inspected; gives it back if that was ended. */
static bool refill_cut_block(struct memsuite_pool *pool)
{
	struct memsuite_block block;

	if (refill_take_block(pool, &block))
		return false;
	pool->rest_jiffies /= 2;
	pool->cut = block.page;
	pool->cut_next = 0;
	pool->cut_end = 1UL << block.order;
	pool->filled += pool->cut_end;
	cut_sort_out(pool);
	cut_prepare(pool);
	if (cut_inspect(pool))
		return true;
	cut_free(pool);
	return false;
}

/* A frame that another pool passed on, or NULL. */
static struct page *refill_donated_page(struct memsuite_pool *pool)
{
	unsigned long bad = 0;
	struct page *page;
	bool whole;

	if (!pool->donated_own && READ_ONCE(pool->donated))
		pool->donated_own = xchg(&pool->donated, NULL);
	page = memsuite_chain_pop(&pool->donated_own);
	if (!page)
		return NULL;
	atomic_dec(&pool->nr_donated);
	page_prepare(page);
	whole = memsuite_pool_inspect_block(page_to_pfn(page), 1, &bad);
	if (whole && !bad)
		return page;
	if (bad)
		refill_retire(pool, memsuite_pool_unmark(page));
	else
		memsuite_pool_free(pool, page);
	return NULL;
}

static struct page *refill_page(struct memsuite_pool *pool)
{
	struct page *page = refill_donated_page(pool);

	while (!page && (pool->cut_next < pool->cut_end || refill_cut_block(pool)))
		page = cut_next_page(pool);
	return page;
}

static unsigned int refill_gather(struct memsuite_pool *pool, unsigned int most)
{
	unsigned int nr = 0;
	struct page *page;

	while (nr < most && READ_ONCE(memsuite_pools_prefilled)) {
		page = refill_page(pool);
		if (!page)
			break;
		pool->frames[nr++] = page_to_pfn(page);
	}
	return nr;
}

static void refill_shuffle(struct memsuite_pool *pool, unsigned int nr,
			   unsigned int container)
{
	const struct memsuite_bank_map *map = pool->banks ? pool->banks->map : NULL;
	unsigned int i;

	for (i = 0; i < nr; i += container)
		memsuite_frame_order_shuffle(pool->frames + i, min(container, nr - i),
					     map, get_random_u64());
}

/* What is pushed last is handed out first. */
static void refill_put_batch(struct memsuite_pool *pool, unsigned int first,
			     unsigned int last, bool reverse)
{
	struct page *chain = NULL;
	unsigned int i;

	for (i = first; i < last; i++)
		memsuite_chain_push(&chain, pfn_to_page(pool->frames[reverse ?
				first + last - 1 - i : i]));
	if (!memsuite_pool_depot_put(pool, chain))
		memsuite_pool_free(pool, chain);
}

/* A batch, or a container if that is more. */
static void refill_fill(struct memsuite_pool *pool)
{
	unsigned int container = READ_ONCE(pool->container), nr, i;

	nr = refill_gather(pool, max_t(unsigned int, container, MEMSUITE_POOL_BATCH_PAGES));
	if (container)
		refill_shuffle(pool, nr, container);
	for (i = 0; i < nr; i += MEMSUITE_POOL_BATCH_PAGES)
		refill_put_batch(pool, i, min_t(unsigned int, i + MEMSUITE_POOL_BATCH_PAGES, nr),
				 container);
	refill_pass_on_others(pool);
}

/* What the refill thread does not go on with, it does not keep. */
void memsuite_refill_empty(struct memsuite_pool *pool)
{
	cut_free(pool);
	memsuite_large_refill_empty(pool);
	refill_pass_on_others(pool);
	memsuite_pool_free_donated(pool, &pool->donated_own);
	memsuite_pool_free_donated(pool, &pool->donated);
	refill_retire_rejected(pool);
}

/*
 * A pool that is short is looked at again soon, since nothing tells when memory
 * is free again; one that is full, when it has become short. Folios that nobody asks for
 * any more are given back.
 */
static long refill_patience(const struct memsuite_pool *pool)
{
	long rest = max_t(long, READ_ONCE(pool->rest_until) - jiffies,
			  READ_ONCE(pool->pressed_until) - jiffies);

	if (memsuite_pool_is_short(pool))
		return clamp_t(long, rest, MEMSUITE_POOL_DRY_JIFFIES,
			       MEMSUITE_POOL_REST_MAX_JIFFIES);
	return pool->large.nr_wanted ? 10 * HZ : MAX_SCHEDULE_TIMEOUT;
}

static void refill_await_work(struct memsuite_pool *pool)
{
	bool was_short = memsuite_pool_is_short(pool);

	wait_event_interruptible_timeout(pool->wait,
					 kthread_should_stop() ||
					 pool->rejected || pool->others || pool->gather ||
					 memsuite_scout_is_asked(pool) ||
					 memsuite_pool_is_short(pool) != was_short ||
					 memsuite_pool_wants_refill(pool) ||
					 memsuite_large_refill_wants(pool),
					 refill_patience(pool));
}

static bool refill_some(struct memsuite_pool *pool)
{
	if (memsuite_pool_wants_refill(pool))
		refill_fill(pool);
	else if (memsuite_large_refill_wants(pool))
		memsuite_large_refill_run(pool);
	else
		return false;
	cond_resched_tasks_rcu_qs();
	return true;
}

int memsuite_refill_run(void *data)
{
	struct memsuite_pool *pool = data;
	int token;

	while (!kthread_should_stop()) {
		refill_await_work(pool);
		memsuite_scout_run(pool);
		if (READ_ONCE(pool->gather)) {
			WRITE_ONCE(pool->gather, false);
			refill_gather_frames(pool);
			/* A pool that fills looks at more of them when it comes to the end. */
			if (memsuite_pool_is_short(pool))
				memsuite_barren_peek(&pool->barren, PEEK_BLOCKS);
			else
				refill_look_again(pool);
			WRITE_ONCE(pool->dry_until, jiffies);
			WRITE_ONCE(pool->rest_until, jiffies);
		}
		/* What it has at hand is held from one batch to the next. */
		token = memsuite_hold_begin();
		while (!kthread_should_stop() && refill_some(pool))
			;
		memsuite_refill_empty(pool);
		memsuite_hold_end(token);
	}
	return 0;
}
