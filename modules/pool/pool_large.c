// SPDX-License-Identifier: GPL-2.0-only
/* Large folios of a pool's region; include/memsuite/pool.h. */

#include <linux/bitmap.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/wait.h>

#include <compat/compat.h>
#include <compat/page.h>

#include "frame/buddy_isolate.h"
#include "frame/handed.h"
#include "hook/hook_clear.h"
#include "kernel/unexported_calls.h"
#include "pool/large_depot.h"
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
	memsuite_pool_resume(pool, &scan, READ_ONCE(pool->large_pfn));
	scan.orders &= ~((1U << order) - 1);
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

/*
 * Up to the first that is bad: the others are looked at when they are taken one by one. What
 * the kernel has found bad it keeps itself, when it is freed.
 */
static bool large_is_good(struct page *page, unsigned long nr, unsigned long *bad)
{
	unsigned long i;

	for (i = 0; i < nr && large_page_is_good(page + i); i++)
		;
	bitmap_zero(bad, nr);
	if (unlikely(i < nr))
		__set_bit(i, bad);
	return likely(i == nr);
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

/* What is to become of a folio until it is finished: besides its order. */
#define NOTE_ZERO	1UL
#define NOTE_READY	2UL	/* of the depot */
#define NOTE_BITS	2

/* It is noted in its first two pages. */
static struct page *large_note(struct page *page, struct memsuite_pool *pool, unsigned int order,
			       unsigned long note)
{
	atomic_inc(&pool->nr_unfinished);
	set_page_private(page, (unsigned long)pool);
	set_page_private(page + 1, (unsigned long)order << NOTE_BITS | note);
	return page;
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

/* Where the kernel would clear it once more, and nobody tests it, it were ready for nothing. */
struct page *memsuite_pool_take_ready_large(struct memsuite_pool *pool, unsigned int order)
{
	struct page *page;

	if (pool->banks || order > MEMSUITE_MAX_ORDER ||
	    (!memsuite_hook_clear_spares() &&
	     !static_branch_unlikely(&memsuite_pool_inspect_key)))
		return NULL;
	page = memsuite_large_depot_take(pool, order);
	return page ? large_note(page, pool, order, NOTE_ZERO | NOTE_READY) : NULL;
}
EXPORT_SYMBOL_GPL(memsuite_pool_take_ready_large);

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
	return page ? large_note(page, pool, order, gfp & __GFP_ZERO ? NOTE_ZERO : 0) : NULL;
}
EXPORT_SYMBOL_GPL(memsuite_pool_take_large);

static struct page *large_prepare(struct memsuite_pool *pool, struct page *page,
				  unsigned int order, bool zero)
{
	DECLARE_BITMAP(bad, 1UL << MEMSUITE_MAX_ORDER);
	unsigned long nr = 1UL << order;

	memsuite_frames_prepare(page, order, zero);
	if (unlikely(!large_is_good(page, nr, bad))) {
		memsuite_large_give_back(pool, page, order, bad);
		return NULL;
	}
	memsuite_kcall_make_large(page, order);
	this_cpu_add(pool->caches->handed, nr);
	return page;
}

static struct page *large_open(struct memsuite_pool *pool, struct page *page, unsigned int order)
{
	page = memsuite_large_depot_open(pool, page, order);
	if (likely(page) && memsuite_fault_clears_large() && memsuite_hook_clear_spares())
		memsuite_hook_clear_set(page);
	return page;
}

/* Of a bad one, another takes the place: not all who ask can do without. */
static struct page *large_finish(struct page *page)
{
	struct memsuite_pool *pool = (struct memsuite_pool *)page_private(page);
	unsigned long note = page_private(page + 1), looks = MEMSUITE_POOL_LOOKS;
	unsigned int order = note >> NOTE_BITS;
	struct page *folio;

	set_page_private(page, 0);
	set_page_private(page + 1, 0);
	folio = note & NOTE_READY ? large_open(pool, page, order) :
				    large_prepare(pool, page, order, note & NOTE_ZERO);
	while (unlikely(!folio) && (page = pool_take_large(pool, order, &looks)))
		folio = large_prepare(pool, page, order, note & NOTE_ZERO);
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
