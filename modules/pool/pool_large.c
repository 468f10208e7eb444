// SPDX-License-Identifier: GPL-2.0-only
/* Large folios of a pool's region; include/memsuite/pool.h. */

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/wait.h>

#include <compat/compat.h>
#include <compat/page.h>

#include "frame/alloc_stats_private.h"
#include "frame/buddy_isolate.h"
#include "frame/handed.h"
#include "kernel/unexported_calls.h"
#include "pool/pool_depot.h"
#include "pool/pool_inspect_private.h"
#include "pool/pool_private.h"

static bool large_is_dry(const struct memsuite_pool *pool)
{
	return time_before(jiffies, READ_ONCE(pool->large_dry_until));
}

/* Goes on where the last one was found, once around the region. */
static bool large_find_block(struct memsuite_pool *pool, unsigned int order,
			     struct memsuite_block *block, unsigned long *looks)
{
	struct memsuite_scan scan;
	int rounds = 2, err;

	if (large_is_dry(pool))
		return false;
	memsuite_pool_rewind(pool, &scan);
	scan.orders &= ~((1U << order) - 1);
	memsuite_frames_go(&scan, clamp(READ_ONCE(pool->large_pfn), scan.pfn, scan.end));
	do {
		err = memsuite_frames_isolate_within(&scan, looks, block);
		if (err == -ENOMEM)
			memsuite_frames_skip_zone(&scan);
		if (err == -ENOENT) {
			memsuite_frames_go(&scan, pool->start_pfn);
			rounds--;
		}
	} while (rounds && err == -ENOENT);
	WRITE_ONCE(pool->large_pfn, scan.pfn);
	if (!rounds) {
		WRITE_ONCE(pool->large_dry_until, jiffies + MEMSUITE_POOL_DRY_JIFFIES);
		memsuite_pool_ask_for_more(pool);
	}
	return !err;
}

static bool large_page_is_good(struct page *page)
{
	unsigned long flags;
	bool good;

	if (PageHWPoison(page))
		return false;
	if (!static_branch_unlikely(&memsuite_pool_inspect_key))
		return true;
	local_irq_save(flags);
	good = memsuite_pool_inspect_page(page);
	local_irq_restore(flags);
	return good;
}

/* Returns the first that is bad, or @nr. */
static unsigned long large_first_bad(struct page *page, unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr && large_page_is_good(page + i); i++)
		;
	return i;
}

/*
 * The others have been looked at, or are when they are taken one by one. What
 * the kernel has found bad it keeps itself, when it is freed.
 */
static void large_give_back(struct memsuite_pool *pool, struct page *page,
			    unsigned int order, unsigned long bad)
{
	unsigned long i;

	split_page(page, order);
	for (i = 0; i < 1UL << order; i++) {
		if (i == bad && !PageHWPoison(page + i)) {
			memsuite_pool_reject(pool, page + i);
		} else {
			memsuite_alloc_stats_free(page + i, 0, __free_pages);
			atomic64_inc(&pool->freed);
		}
	}
}

static struct page *large_cut(struct memsuite_pool_cache *cache, unsigned int order)
{
	struct page *page = cache->front.large;

	if (cache->front.nr_large < 1UL << order ||
	    !IS_ALIGNED(page_to_pfn(page), 1UL << order))
		return NULL;
	cache->front.large += 1UL << order;
	cache->front.nr_large -= 1UL << order;
	return page;
}

/*
 * Bare. What is left of a block stays with the CPU, since to give it back is to
 * allocate it first, which with init_on_alloc clears it: there is no time for that here.
 */
static struct page *large_take(struct memsuite_pool *pool, struct memsuite_pool_cache *cache,
			       unsigned int order, unsigned long *looks)
{
	struct page *page = large_cut(cache, order);
	struct memsuite_block block;

	if (page || !large_find_block(pool, order, &block, looks))
		return page;
	/* Too small: of a smaller folio's. */
	if (cache->front.nr_large)
		memsuite_remnant_share(&pool->remnants, cache->front.large, cache->front.nr_large);
	cache->front.large = block.page;
	cache->front.nr_large = 1UL << block.order;
	cache->isolated += cache->front.nr_large;
	return large_cut(cache, order);
}

/* Until it is ready, what is to become of it is noted in its first two pages. */
static void large_note(struct page *page, struct memsuite_pool *pool, unsigned int order,
		       gfp_t gfp)
{
	set_page_private(page, (unsigned long)pool);
	set_page_private(page + 1, order << 1 | (gfp & __GFP_ZERO ? 1 : 0));
}

static struct page *pool_take_large(struct memsuite_pool *pool, unsigned int order,
				    unsigned long *looks)
{
	unsigned long at_once = min(*looks, MEMSUITE_POOL_LOOKS_AT_ONCE), left = at_once;
	unsigned long flags;
	struct page *page;

	local_irq_save(flags);
	page = large_take(pool, this_cpu_ptr(pool->caches), order, &left);
	local_irq_restore(flags);
	*looks -= at_once - left;
	return page;
}

/* Walked in vain: something may have been freed since. */
static noinline struct page *pool_take_large_again(struct memsuite_pool *pool,
						   unsigned int order, unsigned long *looks)
{
	memsuite_pool_glance(pool);
	WRITE_ONCE(pool->large_dry_until, jiffies);
	return pool_take_large(pool, order, looks);
}

struct page *memsuite_pool_take_large(struct memsuite_pool *pool, unsigned int order,
				      gfp_t gfp, unsigned long *looks)
{
	bool was_dry = large_is_dry(pool);
	struct page *page;

	if (pool->banks || order > MEMSUITE_MAX_ORDER)
		return NULL;
	page = pool_take_large(pool, order, looks);
	if (unlikely(!page) && !was_dry && large_is_dry(pool))
		page = pool_take_large_again(pool, order, looks);
	if (!page)
		return NULL;
	atomic_inc(&pool->nr_unfinished);
	large_note(page, pool, order, gfp);
	return page;
}
EXPORT_SYMBOL_GPL(memsuite_pool_take_large);

static struct page *large_prepare(struct memsuite_pool *pool, struct page *page,
				  unsigned int order, bool zero)
{
	unsigned long nr = 1UL << order, bad;

	memsuite_frames_prepare(page, order, zero);
	bad = large_first_bad(page, nr);
	if (unlikely(bad < nr)) {
		large_give_back(pool, page, order, bad);
		return NULL;
	}
	memsuite_kcall_make_large(page, order);
	this_cpu_add(pool->caches->handed, nr);
	return page;
}

/* Of a bad one, another takes the place: not all who ask can do without. */
static struct page *large_finish(struct page *page)
{
	struct memsuite_pool *pool = (struct memsuite_pool *)page_private(page);
	unsigned long note = page_private(page + 1), looks = MEMSUITE_POOL_LOOKS;
	unsigned int order = note >> 1;
	struct page *folio;

	set_page_private(page, 0);
	set_page_private(page + 1, 0);
	do {
		folio = large_prepare(pool, page, order, note & 1);
	} while (unlikely(!folio) && (page = pool_take_large(pool, order, &looks)));
	memsuite_pool_free_remnants(pool);
	/* Whoever waits for it frees the pool after a grace period. */
	rcu_read_lock();
	if (atomic_dec_and_test(&pool->nr_unfinished))
		wake_up_all(&pool->all_finished);
	rcu_read_unlock();
	return folio;
}

struct page *memsuite_pool_finish_large(struct page *page)
{
	page = large_finish(page);
	if (likely(page))
		memsuite_frame_handed(page, memsuite_page_order(page), GFP_TRANSHUGE);
	return page;
}
EXPORT_SYMBOL_GPL(memsuite_pool_finish_large);

struct page *memsuite_pool_pop_large(struct memsuite_pool *pool, unsigned int order,
				     gfp_t gfp)
{
	unsigned long looks = MEMSUITE_POOL_LOOKS;
	struct page *page = memsuite_pool_take_large(pool, order, gfp, &looks);

	return page ? large_finish(page) : NULL;
}
EXPORT_SYMBOL_GPL(memsuite_pool_pop_large);
