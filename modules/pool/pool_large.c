// SPDX-License-Identifier: GPL-2.0-only
/* Large folios of a pool's region; include/memsuite/pool.h. */

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include <compat/compat.h>

#include "frame/alloc_stats_private.h"
#include "frame/buddy_isolate.h"
#include "kernel/unexported_calls.h"
#include "pool/pool_depot.h"
#include "pool/pool_inspect_private.h"
#include "pool/pool_private.h"

/* Places looked at for one folio, each the size of it. */
#define LARGE_BUDGET	1024

/* Goes on where the last one was found, once around the region. */
static bool large_find_block(struct memsuite_pool *pool, unsigned int order,
			     struct memsuite_block *block)
{
	struct memsuite_scan scan;
	int rounds = 2, err;

	if (time_before(jiffies, READ_ONCE(pool->large_dry_until)))
		return false;
	memsuite_pool_rewind(pool, &scan);
	scan.orders &= ~((1U << order) - 1);
	scan.pfn = clamp(READ_ONCE(pool->large_pfn), scan.pfn, scan.end);
	do {
		err = memsuite_frames_isolate(&scan, LARGE_BUDGET, block);
		if (err == -ENOMEM)
			memsuite_frames_skip_zone(&scan);
		if (err == -ENOENT) {
			scan.pfn = pool->start_pfn;
			rounds--;
		}
	} while (rounds && (err == -ENOENT || err == -ENOMEM));
	WRITE_ONCE(pool->large_pfn, scan.pfn);
	if (!rounds)
		WRITE_ONCE(pool->large_dry_until, jiffies + MEMSUITE_POOL_DRY_JIFFIES);
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
	struct page *page = cache->large;

	if (cache->nr_large < 1UL << order ||
	    !IS_ALIGNED(page_to_pfn(page), 1UL << order))
		return NULL;
	cache->large += 1UL << order;
	cache->nr_large -= 1UL << order;
	return page;
}

/*
 * Bare. What is left of a block stays with the CPU, since to give it back is to
 * allocate it first, which with init_on_alloc clears it.
 */
static struct page *large_take(struct memsuite_pool *pool, struct memsuite_pool_cache *cache,
			       unsigned int order)
{
	struct page *page = large_cut(cache, order);
	struct memsuite_block block;

	if (page || !large_find_block(pool, order, &block))
		return page;
	/* Too small: of a smaller folio's. */
	memsuite_pool_free_frames(pool, cache->large, cache->nr_large);
	cache->large = block.page;
	cache->nr_large = 1UL << block.order;
	cache->isolated += cache->nr_large;
	return large_cut(cache, order);
}

struct page *memsuite_pool_pop_large(struct memsuite_pool *pool, unsigned int order,
				     gfp_t gfp)
{
	unsigned long nr = 1UL << order, bad, flags;
	struct page *page;

	if (pool->banks || order > MEMSUITE_MAX_ORDER)
		return NULL;
	local_irq_save(flags);
	page = large_take(pool, this_cpu_ptr(pool->caches), order);
	local_irq_restore(flags);
	if (!page)
		return NULL;
	memsuite_frames_prepare(page, order, gfp & __GFP_ZERO);
	bad = large_first_bad(page, nr);
	if (unlikely(bad < nr)) {
		large_give_back(pool, page, order, bad);
		return NULL;
	}
	memsuite_kcall_make_large(page, order);
	this_cpu_add(pool->caches->handed, nr);
	return page;
}
EXPORT_SYMBOL_GPL(memsuite_pool_pop_large);
