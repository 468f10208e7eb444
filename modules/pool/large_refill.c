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
#define DRY_JIFFIES	HZ

/* Page frames looked at for one block. */
#define LOOKS		4096UL

bool memsuite_large_refill_wants(struct memsuite_pool *pool)
{
	return memsuite_large_depot_lacks(pool) || memsuite_large_depot_unasked(pool);
}

/* The depots together hold no more than the pool is to. */
static void make_ready(struct memsuite_pool *pool, struct page *page, unsigned int order)
{
	DECLARE_BITMAP(bad, 1UL << MEMSUITE_MAX_ORDER);
	long nr = 1UL << order, surplus = memsuite_pool_surplus(pool) + nr;

	if (surplus > 0)
		memsuite_pool_drain_depot(pool, surplus);
	pool->filled += nr;
	memsuite_frames_prepare(page, order, true);
	bitmap_zero(bad, nr);
	memsuite_pool_inspect_block(page_to_pfn(page), nr, bad);
	if (unlikely(!bitmap_empty(bad, nr))) {
		memsuite_large_give_back(pool, page, order, bad);
		return;
	}
	memsuite_large_depot_put(pool, page, order);
}

/* Goes on where the last block was; once around the region. */
static bool find_large_block(struct memsuite_pool *pool, unsigned int order,
			     struct memsuite_block *block)
{
	struct memsuite_scan scan;
	int err;

	memsuite_pool_rewind(pool, &scan);
	scan.orders &= ~((1U << order) - 1);
	memsuite_frames_go(&scan, clamp(pool->large.pfn, scan.pfn, scan.end));
	err = memsuite_frames_isolate(&scan, LOOKS, block);
	if (err == -ENOMEM)
		memsuite_frames_skip_zone(&scan);
	pool->large.pfn = scan.pfn;
	if (err != -ENOENT) {
		pool->large.found |= !err;
		return !err;
	}
	if (!pool->large.found)
		WRITE_ONCE(pool->large.dry_until, jiffies + DRY_JIFFIES);
	pool->large.found = false;
	pool->large.pfn = pool->start_pfn;
	return false;
}

void memsuite_large_refill_run(struct memsuite_pool *pool)
{
	unsigned int order = memsuite_large_depot_unasked(pool);
	struct memsuite_block block;
	struct page *page;
	unsigned long left;

	if (order)
		memsuite_large_depot_drop(pool, order, ULONG_MAX);
	order = memsuite_large_depot_lacks(pool);
	if (!order || !find_large_block(pool, order, &block))
		return;
	page = block.page;
	left = 1UL << block.order;
	while (left && memsuite_large_depot_lacks(pool) == order) {
		make_ready(pool, page, order);
		page += 1UL << order;
		left -= 1UL << order;
		cond_resched();
	}
	pool->filled += left;
	memsuite_pool_free_frames(pool, page, left);
}
