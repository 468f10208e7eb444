// SPDX-License-Identifier: GPL-2.0-only
/*
 * The depot of a pool: whole batches of cleared pages in slots, taken and put by
 * exchange; and how pages of a pool go back to the kernel.
 */

#include <linux/mm.h>

#include "frame/alloc_stats_private.h"
#include "frame/buddy_isolate.h"
#include "pool/pool_depot.h"

/* Slots that a fault looks at, with IRQs off: some 10 us. The next one goes on behind them. */
#define LOOKS_MAX	1024

bool memsuite_pools_prefilled = true;

static struct page *depot_take(struct memsuite_pool *pool, unsigned int *hint, unsigned int looks)
{
	unsigned int i, nr = READ_ONCE(pool->nr_used), slot = *hint;
	struct page *chain;

	if (!atomic_read(&pool->nr_filled))
		return NULL;
	for (i = 0; i < min(nr, looks); i++, slot++) {
		if (slot >= nr)
			slot = 0;
		if (!READ_ONCE(pool->slots[slot]))
			continue;
		chain = xchg(&pool->slots[slot], NULL);
		if (chain) {
			atomic_dec(&pool->nr_filled);
			*hint = slot + 1;
			return chain;
		}
	}
	*hint = slot;
	return NULL;
}

struct page *memsuite_pool_depot_take(struct memsuite_pool *pool, unsigned int *hint)
{
	return depot_take(pool, hint, LOOKS_MAX);
}

bool memsuite_pool_depot_put(struct memsuite_pool *pool, struct page *chain)
{
	unsigned int i, slot = pool->put_slot;

	/* Low slots: those from the highest that was ever used on are looked at by nobody. */
	if (slot >= memsuite_pool_small_target(pool))
		slot = 0;
	for (i = 0; i < pool->nr_slots; i++, slot++) {
		if (slot >= pool->nr_slots)
			slot = 0;
		if (READ_ONCE(pool->slots[slot]) ||
		    cmpxchg(&pool->slots[slot], NULL, chain))
			continue;
		if (slot >= pool->nr_used)
			WRITE_ONCE(pool->nr_used, slot + 1);
		atomic_inc(&pool->nr_filled);
		pool->put_slot = slot + 1;
		return true;
	}
	return false;
}

unsigned long memsuite_pool_free(struct memsuite_pool *pool, struct page *chain)
{
	unsigned long freed = 0;
	struct page *page;

	while ((page = memsuite_chain_pop(&chain))) {
		memsuite_alloc_stats_free(memsuite_pool_unmark(page), 0, __free_pages);
		freed++;
	}
	atomic64_add(freed, &pool->freed);
	return freed;
}

unsigned long memsuite_pool_drain_depot(struct memsuite_pool *pool, unsigned long pages)
{
	unsigned long freed = 0;
	struct page *chain;
	unsigned int hint = 0;

	while (freed < pages && (chain = depot_take(pool, &hint, UINT_MAX))) {
		freed += memsuite_pool_free(pool, chain);
		cond_resched();
	}
	return freed;
}

/* The refill thread may have filled the slot meanwhile: the batch is one too many then. */
static void depot_put_back(struct memsuite_pool *pool, unsigned int slot, struct page *chain)
{
	if (!chain)
		return;
	if (cmpxchg(&pool->slots[slot], NULL, chain))
		memsuite_pool_free(pool, chain);
	else
		atomic_inc(&pool->nr_filled);
}

/* Each batch is taken out for the look: a fault that comes meanwhile finds others. */
bool memsuite_pool_depot_give_back(struct memsuite_pool *pool, struct page *page)
{
	unsigned int slot, nr = READ_ONCE(pool->nr_used);
	struct page *chain;
	bool found = false;

	for (slot = 0; slot < nr && !found; slot++) {
		cond_resched();
		chain = xchg(&pool->slots[slot], NULL);
		if (!chain)
			continue;
		atomic_dec(&pool->nr_filled);
		found = memsuite_chain_remove(&chain, page);
		depot_put_back(pool, slot, chain);
	}
	if (found)
		memsuite_pool_free(pool, page);
	return found;
}

void memsuite_pool_trim_depot(struct memsuite_pool *pool)
{
	int surplus = atomic_read(&pool->nr_filled) - memsuite_pool_small_target(pool);

	if (surplus > 0)
		memsuite_pool_drain_depot(pool, (unsigned long)surplus * MEMSUITE_POOL_BATCH_PAGES);
}

/* Bare frames cannot be freed as they are: they were never allocated. */
static void pool_free_bare_page(struct memsuite_pool *pool, struct page *page)
{
	memsuite_frames_prepare(page, 0, false);
	memsuite_alloc_stats_free(page, 0, __free_pages);
	atomic64_inc(&pool->freed);
}

unsigned long memsuite_pool_free_bare(struct memsuite_pool *pool, struct page *chain)
{
	unsigned long freed = 0;
	struct page *page;

	while ((page = memsuite_chain_pop(&chain))) {
		set_page_private(page, 0);
		pool_free_bare_page(pool, page);
		freed++;
	}
	return freed;
}

unsigned long memsuite_pool_free_donated(struct memsuite_pool *pool, struct page **donated)
{
	unsigned long freed = memsuite_pool_free_bare(pool, xchg(donated, NULL));

	atomic_sub(freed, &pool->nr_donated);
	return freed;
}

unsigned long memsuite_pool_free_frames(struct memsuite_pool *pool, struct page *page,
					unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr; i++)
		pool_free_bare_page(pool, page + i);
	return nr;
}

unsigned long memsuite_pool_free_remnants(struct memsuite_pool *pool)
{
	unsigned long freed = 0, nr;
	struct page *chain, *page;

	if (likely(!READ_ONCE(pool->remnants)))
		return 0;
	chain = xchg(&pool->remnants, NULL);
	while ((page = memsuite_chain_pop(&chain))) {
		nr = page_private(page + 1);
		set_page_private(page, 0);
		set_page_private(page + 1, 0);
		freed += memsuite_pool_free_frames(pool, page, nr);
	}
	return freed;
}
