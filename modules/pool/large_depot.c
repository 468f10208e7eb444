// SPDX-License-Identifier: GPL-2.0-only
/* Large folios that are ready; large_depot.h. */

#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include "frame/alloc_stats_private.h"
#include "frame/buddy_isolate.h"
#include "kernel/unexported_calls.h"
#include "pool/large_depot.h"

/* For how long after the last request of an order folios of it are kept. */
#define DEMAND_JIFFIES	(30 * HZ)

void memsuite_large_give_back(struct memsuite_pool *pool, struct page *page, unsigned int order,
			      const unsigned long *bad)
{
	unsigned long i;

	split_page(page, order);
	for (i = 0; i < 1UL << order; i++) {
		if (test_bit(i, bad) && !PageHWPoison(page + i)) {
			memsuite_pool_reject(pool, page + i);
		} else {
			memsuite_alloc_stats_free(page + i, 0, __free_pages);
			atomic64_inc(&pool->freed);
		}
	}
}

static void folio_mark(struct page *page, unsigned int order)
{
	unsigned long i;

	for (i = 0; i < 1UL << order; i++)
		__SetPageOffline(page + i);
}

/* Returns whether the kernel has found one of its pages bad. */
static bool folio_unmark(struct page *page, unsigned int order)
{
	bool poisoned = false;
	unsigned long i;

	for (i = 0; i < 1UL << order; i++) {
		__ClearPageOffline(page + i);
		poisoned |= PageHWPoison(page + i);
	}
	return poisoned;
}

static void unmarked_free(struct memsuite_pool *pool, struct page *page, unsigned int order)
{
	memsuite_frames_free(page, order);
	atomic64_add(1UL << order, &pool->freed);
}

static void folio_free(struct memsuite_pool *pool, struct page *page, unsigned int order)
{
	folio_unmark(page, order);
	unmarked_free(pool, page, order);
}

static struct page *shelf_take(struct memsuite_large_depot *depot, unsigned int order)
{
	struct memsuite_large_shelf *shelf = &depot->shelves[order];
	struct page *page;
	unsigned int i;

	for (i = 0; atomic_read(&shelf->nr) && i < MEMSUITE_LARGE_SLOTS; i++) {
		if (!READ_ONCE(shelf->slots[i]))
			continue;
		page = xchg(&shelf->slots[i], NULL);
		if (!page)
			continue;
		atomic_dec(&shelf->nr);
		return page;
	}
	return NULL;
}

static bool shelf_is_in_demand(const struct memsuite_large_shelf *shelf)
{
	unsigned long asked = READ_ONCE(shelf->asked);

	return asked && time_before(jiffies, asked + DEMAND_JIFFIES);
}

unsigned long memsuite_large_depot_pages(const struct memsuite_pool *pool)
{
	unsigned long pages = 0;
	unsigned int order;

	for (order = MEMSUITE_MAX_ORDER; order; order--)
		pages += (unsigned long)atomic_read(&pool->large.shelves[order].nr) << order;
	return pages;
}

unsigned int memsuite_large_depot_count_wanted(const struct memsuite_pool *pool)
{
	unsigned int order, nr = 0;

	for (order = MEMSUITE_MAX_ORDER; order; order--)
		nr += shelf_is_in_demand(&pool->large.shelves[order]);
	return nr;
}

/* How many folios of an order are for its shelf: each that is in demand has as much memory. */
static unsigned int shelf_size(const struct memsuite_pool *pool, unsigned int order)
{
	unsigned int nr_wanted = max(READ_ONCE(pool->large.nr_wanted), 1U);
	unsigned long pages = READ_ONCE(pool->target) / 2 * MEMSUITE_POOL_BATCH_PAGES / nr_wanted;

	return min_t(unsigned long, pages >> order, MEMSUITE_LARGE_SLOTS);
}

/* A shelf is filled when half of it is gone, then as a whole. */
static bool shelf_lacks(const struct memsuite_pool *pool, unsigned int order)
{
	const struct memsuite_large_shelf *shelf = &pool->large.shelves[order];
	unsigned int size = shelf_size(pool, order);

	return shelf_is_in_demand(shelf) && !time_before(jiffies, READ_ONCE(shelf->dry_until)) &&
	       atomic_read(&shelf->nr) <
	       (READ_ONCE(shelf->is_filling) ? size : DIV_ROUND_UP(size, 2));
}

unsigned int memsuite_large_depot_lacks(const struct memsuite_pool *pool)
{
	unsigned int order;

	if (!memsuite_pool_may_fill(pool))
		return 0;
	for (order = MEMSUITE_MAX_ORDER; order; order--)
		if (shelf_lacks(pool, order))
			return order;
	return 0;
}

unsigned int memsuite_large_depot_unasked(const struct memsuite_pool *pool)
{
	unsigned int order;

	for (order = MEMSUITE_MAX_ORDER; order; order--)
		if (atomic_read(&pool->large.shelves[order].nr) &&
		    !shelf_is_in_demand(&pool->large.shelves[order]))
			return order;
	return 0;
}

struct page *memsuite_large_depot_take(struct memsuite_pool *pool, unsigned int order)
{
	struct page *page;

	WRITE_ONCE(pool->large.shelves[order].asked, jiffies | 1);
	page = shelf_take(&pool->large, order);
	if (wq_has_sleeper(&pool->wait) && memsuite_large_depot_lacks(pool))
		irq_work_queue(&pool->wake);
	return page;
}

struct page *memsuite_large_depot_open(struct memsuite_pool *pool, struct page *page,
				       unsigned int order)
{
	if (unlikely(folio_unmark(page, order))) {
		unmarked_free(pool, page, order);
		return NULL;
	}
	memsuite_kcall_make_large(page, order);
	this_cpu_add(pool->caches->handed, 1UL << order);
	return page;
}

void memsuite_large_depot_put(struct memsuite_pool *pool, struct page *page, unsigned int order)
{
	struct memsuite_large_shelf *shelf = &pool->large.shelves[order];
	unsigned int i;

	folio_mark(page, order);
	for (i = 0; i < MEMSUITE_LARGE_SLOTS; i++) {
		if (READ_ONCE(shelf->slots[i]))
			continue;
		atomic_inc(&shelf->nr);
		/* The folio is what it is, for who takes it. */
		smp_store_release(&shelf->slots[i], page);
		return;
	}
	folio_free(pool, page, order);
}

static bool shelf_give_back(struct memsuite_pool *pool, unsigned int order, struct page *folio)
{
	struct memsuite_large_shelf *shelf = &pool->large.shelves[order];
	unsigned int i;

	for (i = 0; i < MEMSUITE_LARGE_SLOTS; i++) {
		if (READ_ONCE(shelf->slots[i]) != folio ||
		    cmpxchg(&shelf->slots[i], folio, NULL) != folio)
			continue;
		atomic_dec(&shelf->nr);
		folio_free(pool, folio, order);
		return true;
	}
	return false;
}

bool memsuite_large_depot_give_back(struct memsuite_pool *pool, struct page *page)
{
	unsigned long pfn = page_to_pfn(page);
	unsigned int order;

	for (order = MEMSUITE_MAX_ORDER; order; order--)
		if (atomic_read(&pool->large.shelves[order].nr) &&
		    shelf_give_back(pool, order, pfn_to_page(ALIGN_DOWN(pfn, 1UL << order))))
			return true;
	return false;
}

unsigned long memsuite_large_depot_drop(struct memsuite_pool *pool, unsigned int order,
					unsigned long pages)
{
	unsigned long freed = 0;
	struct page *page;

	while (freed < pages && (page = shelf_take(&pool->large, order))) {
		folio_free(pool, page, order);
		freed += 1UL << order;
	}
	return freed;
}

unsigned long memsuite_large_depot_drain(struct memsuite_pool *pool, unsigned long pages)
{
	unsigned long freed = 0;
	unsigned int order;

	for (order = MEMSUITE_MAX_ORDER; order && freed < pages; order--)
		freed += memsuite_large_depot_drop(pool, order, pages - freed);
	return freed;
}

/* What is more than there is to be, also since another order is wanted as well. */
void memsuite_large_depot_trim(struct memsuite_pool *pool)
{
	unsigned int order, nr, size;

	for (order = MEMSUITE_MAX_ORDER; order; order--) {
		nr = atomic_read(&pool->large.shelves[order].nr);
		size = shelf_size(pool, order);
		if (nr > size)
			memsuite_large_depot_drop(pool, order, (unsigned long)(nr - size) << order);
	}
}
