// SPDX-License-Identifier: GPL-2.0-only
/* Making large folios ready; large_refill.h. */

#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include <compat/compat.h>

#include "frame/buddy_isolate.h"
#include "pool/large_depot.h"
#include "pool/large_refill.h"
#include "pool/pool_depot.h"
#include "pool/pool_inspect_private.h"

/* A region without a block of that order is looked at again after that. */
#define DRY_JIFFIES	(5 * HZ)

/* Page frames looked at for one block. */
#define LOOKS		4096UL

bool memsuite_large_refill_wants(struct memsuite_pool *pool)
{
	return memsuite_large_depot_lacks(pool) || memsuite_large_depot_unasked(pool) ||
	       pool->large.nr_wanted != memsuite_large_depot_count_wanted(pool);
}

static void make_ready(struct memsuite_pool *pool, struct page *page, unsigned int order)
{
	DECLARE_BITMAP(bad, 1UL << MEMSUITE_MAX_ORDER);
	unsigned long nr = 1UL << order;

	memsuite_frames_prepare(page, order, true);
	bitmap_zero(bad, nr);
	if (!memsuite_pool_inspect_block(page_to_pfn(page), nr, bad) || !bitmap_empty(bad, nr)) {
		memsuite_large_give_back(pool, page, order, bad);
		return;
	}
	memsuite_large_depot_put(pool, page, order);
}

void memsuite_large_refill_empty(struct memsuite_pool *pool)
{
	memsuite_pool_free_frames(pool, pool->large.rest, pool->large.nr_rest);
	pool->large.nr_rest = 0;
}

/* Goes on where the last block was; once around the region. */
static bool find_block(struct memsuite_pool *pool, unsigned int order,
		       struct memsuite_block *block)
{
	struct memsuite_large_shelf *shelf = &pool->large.shelves[order];
	struct memsuite_scan scan;
	int err;

	memsuite_pool_resume(pool, &scan, shelf->pfn);
	scan.orders &= ~((1U << order) - 1);
	err = memsuite_frames_isolate(&scan, LOOKS, block);
	if (err == -ENOMEM)
		memsuite_frames_skip_zone(&scan);
	shelf->pfn = scan.pfn;
	shelf->found |= !err;
	if (err != -ENOENT)
		return !err;
	if (!shelf->found)
		WRITE_ONCE(shelf->dry_until, jiffies + DRY_JIFFIES);
	shelf->found = false;
	shelf->pfn = pool->start_pfn;
	return false;
}

/* Of the block that the last one came from, if it has more. */
static struct page *next_frames(struct memsuite_pool *pool, unsigned int order)
{
	struct memsuite_large_depot *depot = &pool->large;
	struct memsuite_block block;
	struct page *page;

	if (depot->nr_rest < 1UL << order || !IS_ALIGNED(page_to_pfn(depot->rest), 1UL << order)) {
		memsuite_large_refill_empty(pool);
		if (!find_block(pool, order, &block))
			return NULL;
		depot->rest = block.page;
		depot->nr_rest = 1UL << block.order;
		pool->filled += depot->nr_rest;
	}
	page = depot->rest;
	depot->rest += 1UL << order;
	depot->nr_rest -= 1UL << order;
	return page;
}

/* Which orders are wanted, and how the pool is divided by that. */
static void follow_demand(struct memsuite_pool *pool)
{
	unsigned int nr_wanted = memsuite_large_depot_count_wanted(pool), order;

	while ((order = memsuite_large_depot_unasked(pool)))
		memsuite_large_depot_drop(pool, order, ULONG_MAX);
	if (nr_wanted == pool->large.nr_wanted)
		return;
	WRITE_ONCE(pool->large.nr_wanted, nr_wanted);
	memsuite_large_depot_trim(pool);
	memsuite_pool_trim_depot(pool);
}

void memsuite_large_refill_run(struct memsuite_pool *pool)
{
	struct memsuite_large_shelf *shelf;
	unsigned int order;
	struct page *page;

	follow_demand(pool);
	order = memsuite_large_depot_lacks(pool);
	if (!order)
		return;
	shelf = &pool->large.shelves[order];
	WRITE_ONCE(shelf->is_filling, true);
	page = next_frames(pool, order);
	if (page)
		make_ready(pool, page, order);
	if (memsuite_large_depot_lacks(pool) != order)
		WRITE_ONCE(shelf->is_filling, false);
}
