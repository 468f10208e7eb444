// SPDX-License-Identifier: GPL-2.0-only
/* Pools of cleared pages; include/memsuite/pool.h tells how they work. */

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include <compat/compat.h>
#include <memsuite/pool.h>

#include "frame/buddy_isolate.h"
#include "kernel/unexported_calls.h"
#include "pool/pool_depot.h"
#include "pool/pool_inspect_private.h"
#include "pool/pool_private.h"
#include "pool/scout.h"

/* A refill thread at work needs no interrupt, which costs more than a page. */
static bool refill_thread_sleeps(struct memsuite_pool *pool)
{
	/* The slots are exchanged, which is a barrier. */
	return waitqueue_active(&pool->wait);
}

static noinline void pool_refill_cache(struct memsuite_pool *pool,
				       struct memsuite_pool_cache *cache)
{
	cache->front.chain = memsuite_pool_depot_take(pool, &cache->hint);
	if (READ_ONCE(memsuite_pools_prefilled) &&
	    atomic_read(&pool->nr_filled) <
	    DIV_ROUND_UP(memsuite_pool_small_target(pool), 2) &&
	    refill_thread_sleeps(pool))
		irq_work_queue(&pool->wake);
}

static bool pool_is_paused(const struct memsuite_pool *pool)
{
	return time_before(jiffies, READ_ONCE(pool->dry_until));
}

/*
 * By whichever CPU, for all that are at it. If two come here at once, one time is as good as the
 * other.
 */
static void pool_pause(struct memsuite_pool *pool, bool was_short)
{
	unsigned long wait = was_short ? 0 : 2 * READ_ONCE(pool->dry_jiffies);

	if (pool_is_paused(pool))
		return;
	wait = clamp_t(unsigned long, wait, MEMSUITE_POOL_DRY_JIFFIES,
		       MEMSUITE_POOL_DRY_MAX_JIFFIES);
	WRITE_ONCE(pool->dry_jiffies, wait);
	WRITE_ONCE(pool->dry_until, jiffies + wait);
}

/* Dry is a region walked from end to end in vain. */
static void pool_end_walk(struct memsuite_pool *pool, struct memsuite_pool_cache *cache)
{
	if (cache->vain)
		pool_pause(pool, cache->scan.was_short);
	memsuite_pool_rewind(pool, &cache->scan);
	cache->vain = true;
	cache->ended = true;
}

/*
 * A block that is as large as a batch tells that there may be more: the refill thread is to look,
 * now and then.
 */
static void pool_found_some(struct memsuite_pool *pool, struct memsuite_pool_cache *cache,
			    unsigned int order)
{
	cache->vain = false;
	if (unlikely(READ_ONCE(pool->dry_jiffies)))
		WRITE_ONCE(pool->dry_jiffies, READ_ONCE(pool->dry_jiffies) / 2);
	if (unlikely(pool_is_paused(pool)))
		WRITE_ONCE(pool->dry_until, jiffies);
	if (1UL << order >= MEMSUITE_POOL_BATCH_PAGES && memsuite_pool_rests(pool) &&
	    time_after_eq(jiffies, READ_ONCE(pool->tell_after))) {
		WRITE_ONCE(pool->tell_after, jiffies + MEMSUITE_POOL_DRY_MAX_JIFFIES);
		WRITE_ONCE(pool->rest_until, jiffies);
		irq_work_queue(&pool->wake);
	}
}

/*
 * Waits for the zone's lock, as the kernel does when it refills a CPU's list. With a
 * trylock, page after page would come from other regions while its holder is
 * preempted.
 */
static bool pool_refill_bare(struct memsuite_pool *pool, struct memsuite_pool_cache *cache,
			     unsigned long *looks)
{
	unsigned long at_once = min(*looks, MEMSUITE_POOL_LOOKS_AT_ONCE), left = at_once;
	struct memsuite_block block;
	int err;

	if (!*looks || (pool_is_paused(pool) && !cache->looks_anyway))
		return false;
	/* The refill thread has passed what is in use at the beginning of the region. */
	if (!cache->scan.end)
		memsuite_pool_resume(pool, &cache->scan, READ_ONCE(pool->scan.pfn));
	err = memsuite_frames_isolate_within(&cache->scan, &left, &block);
	*looks -= at_once - left;
	if (err == -EAGAIN)
		memsuite_scout_ask(pool, &cache->scan);
	if (err == -ENOMEM)
		memsuite_frames_skip_zone(&cache->scan);
	if (err == -ENOENT)
		pool_end_walk(pool, cache);
	if (err)
		return false;
	pool_found_some(pool, cache, block.order);
	cache->front.bare = block.page;
	cache->front.nr_bare = 1UL << block.order;
	cache->front.bare_fresh_until = get_jiffies_64();
	if (memsuite_pool_is_fresh(page_to_pfn(block.page), cache->front.nr_bare))
		cache->front.bare_fresh_until += MEMSUITE_POOL_FRESH_JIFFIES;
	cache->isolated += cache->front.nr_bare;
	return true;
}

/* Nobody gets a page that the kernel has found bad meanwhile: it is left as it is. */
static struct page *pool_page_unless_poisoned(struct memsuite_pool *pool, struct page *page)
{
	if (likely(!PageHWPoison(page)))
		return page;
	atomic64_inc(&pool->freed);
	return NULL;
}

/* From the top of the block; the refill thread sees to the frames of other banks. */
static struct page *pool_next_bare(struct memsuite_pool *pool, struct memsuite_pool_cache *cache)
{
	struct page *page;

	while (cache->front.nr_bare) {
		page = cache->front.bare + --cache->front.nr_bare;
		if (likely(memsuite_pool_owns(pool, page)))
			return page;
		memsuite_chain_share(&pool->others, page);
	}
	return NULL;
}

/* A bare page that this CPU has at hand, made ready. */
static noinline struct page *pool_pop_bare(struct memsuite_pool *pool,
					   struct memsuite_pool_cache *cache, gfp_t gfp)
{
	struct page *page = pool_next_bare(pool, cache);

	if (READ_ONCE(pool->others) && refill_thread_sleeps(pool))
		irq_work_queue(&pool->wake);
	if (page)
		page = pool_page_unless_poisoned(pool, page);
	if (!page)
		return NULL;
	memsuite_frames_prepare(page, 0, gfp & __GFP_ZERO);
	if (unlikely(time_is_before_eq_jiffies64(cache->front.bare_fresh_until) &&
		     !memsuite_pool_inspect_page(page))) {
		memsuite_pool_reject(pool, page);
		return NULL;
	}
	cache->bare_handed++;
	return page;
}

/* The depot is empty: take a free block, or part of one. */
static struct page *pool_take_bare(struct memsuite_pool *pool, struct memsuite_pool_cache *cache,
				   gfp_t gfp, unsigned long *looks)
{
	struct page *page = pool_pop_bare(pool, cache, gfp);

	if (!page && !cache->front.nr_bare && pool_refill_bare(pool, cache, looks))
		page = pool_pop_bare(pool, cache, gfp);
	return page;
}

/*
 * A caller that overwrites the page, as with what is read from a file, does not need
 * a cleared one. But to take a tested page is quicker than to test one, and a random
 * order must be kept to.
 */
static bool pool_wants_bare(const struct memsuite_pool *pool, gfp_t gfp)
{
	return !(gfp & __GFP_ZERO) && !READ_ONCE(pool->container) &&
	       !static_branch_unlikely(&memsuite_pool_inspect_key);
}

/* There is a chain. */
static struct page *pool_pop_chain(struct memsuite_pool *pool, struct memsuite_pool_cache *cache)
{
	struct page *page = memsuite_chain_pop(&cache->front.chain);

	return pool_page_unless_poisoned(pool, memsuite_pool_unmark(page));
}

/* The next of the chain, or of that of another batch. */
static struct page *pool_pop_cleared(struct memsuite_pool *pool, struct memsuite_pool_cache *cache)
{
	if (unlikely(!cache->front.chain))
		pool_refill_cache(pool, cache);
	return likely(cache->front.chain) ? pool_pop_chain(pool, cache) : NULL;
}

static struct page *pool_pop_once(struct memsuite_pool *pool, gfp_t gfp, unsigned long *looks)
{
	bool bare_first = pool_wants_bare(pool, gfp);
	struct page *page = NULL;
	struct memsuite_pool_cache *cache;
	unsigned long flags;

	/* Draining comes as an interrupt. */
	local_irq_save(flags);
	cache = this_cpu_ptr(pool->caches);
	if (bare_first)
		page = pool_take_bare(pool, cache, gfp, looks);
	if (!page)
		page = pool_pop_cleared(pool, cache);
	if (unlikely(!page) && !bare_first)
		page = pool_take_bare(pool, cache, gfp, looks);
	if (page)
		cache->handed++;
	local_irq_restore(flags);
	return page;
}

/* Interrupts come in between. */
static struct page *pool_pop(struct memsuite_pool *pool, gfp_t gfp, unsigned long *looks)
{
	unsigned long before;
	struct page *page;

	do {
		before = *looks;
		page = pool_pop_once(pool, gfp, looks);
	} while (unlikely(!page) && *looks && before - *looks == MEMSUITE_POOL_LOOKS_AT_ONCE);
	return page;
}

/* It is no use to wait until the region may have something: it was given something. */
static void pool_begin_anew(struct memsuite_pool *pool)
{
	struct memsuite_pool_cache *cache;
	unsigned long flags;

	local_irq_save(flags);
	cache = this_cpu_ptr(pool->caches);
	memsuite_pool_rewind(pool, &cache->scan);
	cache->looks_anyway = true;
	local_irq_restore(flags);
}

/* What was emptied has to be filled again, page by page, by whoever comes next. */
static void pool_rate_drain(struct memsuite_pool_cache *cache, bool found)
{
	cache->drain_jiffies = found ? 0 :
		clamp_t(unsigned long, 2 * cache->drain_jiffies, MEMSUITE_POOL_DRY_JIFFIES,
			MEMSUITE_POOL_DRY_MAX_JIFFIES);
	cache->drain_after = jiffies + cache->drain_jiffies;
}

/*
 * The CPU that a program runs on keeps what the program frees, which may be all that
 * is left of the region. Not in an interrupt: it may have come while this CPU holds
 * the lock of its own lists. Nor where it takes long for a stretch without preemption:
 * the refill thread does it then.
 */
static noinline struct page *pool_pop_again(struct memsuite_pool *pool, gfp_t gfp)
{
	unsigned long looks = MEMSUITE_POOL_LOOKS;
	struct memsuite_pool_cache *cache;
	struct page *page = NULL;

	if (!in_task() || memsuite_pool_is_in_stretch())
		return NULL;
	migrate_disable();
	cache = this_cpu_ptr(pool->caches);
	if (time_after_eq(jiffies, cache->drain_after)) {
		memsuite_kcall_drain_local_pages(NULL);
		memsuite_pool_glance(pool);
		pool_begin_anew(pool);
		page = pool_pop(pool, gfp, &looks);
		cache->looks_anyway = false;
		pool_rate_drain(cache, page);
	}
	migrate_enable();
	return page;
}

/* This CPU has nothing at hand, nor has the depot, and it is no use to look for more. */
static bool pool_is_dry(const struct memsuite_pool *pool, const struct memsuite_pool_cache *cache)
{
	return !cache->front.chain && !cache->front.nr_bare &&
	       !atomic_read(&pool->nr_filled) && pool_is_paused(pool);
}

struct page *memsuite_pool_pop_at_hand(struct memsuite_pool *pool, bool only)
{
	struct memsuite_pool_cache *cache;
	struct page *page = NULL;

	/* Draining comes as an interrupt. */
	local_irq_disable();
	cache = this_cpu_ptr(pool->caches);
	if (likely(cache->front.chain))
		page = pool_pop_chain(pool, cache);
	else if (cache->front.nr_bare && !atomic_read(&pool->nr_filled))
		page = pool_pop_bare(pool, cache, __GFP_ZERO);
	if (likely(page)) {
		cache->handed++;
	} else if (only && pool_is_dry(pool, cache)) {
		cache->misses++;
		page = MEMSUITE_POOL_DRY;
	}
	local_irq_enable();
	return page;
}
EXPORT_SYMBOL_GPL(memsuite_pool_pop_at_hand);

struct page *memsuite_pool_pop(struct memsuite_pool *pool, gfp_t gfp, unsigned long *looks)
{
	struct page *page;
	bool ended;

	/* Of another CPU, if that has changed, a guess like any other. */
	if (unlikely(pool_is_dry(pool, raw_cpu_ptr(pool->caches)))) {
		this_cpu_inc(pool->caches->misses);
		return NULL;
	}
	page = pool_pop(pool, gfp, looks);
	ended = unlikely(!page) && this_cpu_read(pool->caches->ended);
	if (ended) {
		this_cpu_write(pool->caches->ended, false);
		page = pool_pop_again(pool, gfp);
	}
	if (likely(page))
		return page;
	if (ended)
		memsuite_pool_ask_for_more(pool);
	this_cpu_inc(pool->caches->misses);
	return NULL;
}
EXPORT_SYMBOL_GPL(memsuite_pool_pop);
