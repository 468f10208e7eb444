// SPDX-License-Identifier: GPL-2.0-only
/*
 * All pools: what they hold, and how it goes back to the kernel, when memory is
 * short, goes offline, or is to be looked at anew.
 */

#include <linux/cpuhotplug.h>
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include <memsuite/control.h>
#include <memsuite/pool_inspect.h>

#include "frame/held_pages_private.h"
#include "pool/large_depot.h"
#include "pool/pool_depot.h"
#include "pool/pool_drain.h"

/* How long the refill thread rests after memory was wanted back. */
#define PRESSURE_JIFFIES	(2 * HZ)

/* And after one frame was. */
#define FRAME_JIFFIES	(HZ / 10)

LIST_HEAD(memsuite_pools);
DEFINE_MUTEX(memsuite_pools_lock);	/* of that list */
static int cpuhp_state;

/* What goes back is left to whoever wants it for so long. */
static void pool_press(struct memsuite_pool *pool, unsigned long time)
{
	if (time_before(READ_ONCE(pool->pressed_until), jiffies + time))
		WRITE_ONCE(pool->pressed_until, jiffies + time);
}

static unsigned long front_give_back(struct memsuite_pool *pool,
				     struct memsuite_pool_front *front)
{
	unsigned long freed;

	freed = memsuite_pool_free(pool, front->chain);
	freed += memsuite_pool_free_frames(pool, front->bare, front->nr_bare);
	freed += memsuite_pool_free_frames(pool, front->large, front->nr_large);
	*front = (struct memsuite_pool_front){};
	return freed;
}

/* Takes the cache of a CPU that is dead. */
unsigned long memsuite_pool_drain_cache(struct memsuite_pool *pool,
					struct memsuite_pool_cache *cache)
{
	return front_give_back(pool, &cache->front);
}

/* Runs with interrupts off: thousands of frames are no more than parted with. */
static void pool_part_with_front(void *pool)
{
	struct memsuite_pool_cache *cache = this_cpu_ptr(((struct memsuite_pool *)pool)->caches);

	cache->drained = cache->front;
	cache->front = (struct memsuite_pool_front){};
}

unsigned long memsuite_pool_drain_caches(struct memsuite_pool *pool)
{
	unsigned long freed = 0;
	int cpu;

	mutex_lock(&pool->drain_lock);
	on_each_cpu(pool_part_with_front, pool, 1);
	for_each_possible_cpu(cpu)
		freed += front_give_back(pool, &per_cpu_ptr(pool->caches, cpu)->drained);
	mutex_unlock(&pool->drain_lock);
	return freed;
}

/* What CPUs have at hand, and what is on its way to others. */
static unsigned long pool_drain_loose(struct memsuite_pool *pool)
{
	return memsuite_pool_drain_caches(pool) +
	       memsuite_pool_free_bare(pool, xchg(&pool->others, NULL)) +
	       memsuite_pool_free_remnants(pool) +
	       memsuite_pool_free_donated(pool, &pool->donated);
}

/* Walks over the region know nothing of what was given back. */
static void pool_forget_vain(struct memsuite_pool *pool)
{
	memsuite_barren_forget(&pool->barren);
	WRITE_ONCE(pool->dry_until, jiffies);
}

unsigned long memsuite_pool_drain(struct memsuite_pool *pool)
{
	unsigned long freed;

	/* First the depot: a CPU with nothing at hand takes from there. */
	freed = memsuite_pool_drain_depot(pool, ULONG_MAX);
	freed += memsuite_large_depot_drain(pool, ULONG_MAX);
	freed += pool_drain_loose(pool);
	pool_forget_vain(pool);
	return freed;
}

unsigned long memsuite_pools_drain(unsigned long start_pfn, unsigned long end_pfn)
{
	unsigned long freed = 0;
	struct memsuite_pool *pool;

	mutex_lock(&memsuite_pools_lock);
	list_for_each_entry(pool, &memsuite_pools, link) {
		if (pool->start_pfn >= end_pfn || pool->end_pfn <= start_pfn)
			continue;
		pool_press(pool, PRESSURE_JIFFIES);
		freed += memsuite_pool_drain(pool);
		wake_up(&pool->wait);
	}
	mutex_unlock(&memsuite_pools_lock);
	return freed;
}

static bool pool_drain_frame(struct memsuite_pool *pool, struct page *page)
{
	if (memsuite_pool_depot_give_back(pool, page) ||
	    memsuite_large_depot_give_back(pool, page))
		return true;
	if (pool_drain_loose(pool)) {
		pool_forget_vain(pool);
		memsuite_pool_end_rest(pool);
	}
	return false;
}

bool memsuite_pools_drain_frame(unsigned long pfn)
{
	struct memsuite_pool *pool;
	bool found = false;

	mutex_lock(&memsuite_pools_lock);
	list_for_each_entry(pool, &memsuite_pools, link) {
		if (pool->start_pfn > pfn || pool->end_pfn <= pfn)
			continue;
		pool_press(pool, FRAME_JIFFIES);
		found = found || pool_drain_frame(pool, pfn_to_page(pfn));
	}
	mutex_unlock(&memsuite_pools_lock);
	return found;
}

/*
 * A holder of pages may be retiring one, for which the kernel takes locks that are
 * held while memory goes offline. Offlining then fails, to be tried another time.
 */
#define HOLD_JIFFIES	(30 * HZ)

/*
 * Twice: a refill thread that got a block during the first time has put it into its
 * pool by the second, and rests.
 */
int memsuite_pools_give_back(unsigned long start_pfn, unsigned long end_pfn)
{
	int times;

	for (times = 0; times < 2; times++) {
		if (!memsuite_hold_wait_for(HOLD_JIFFIES))
			return -EBUSY;
		memsuite_pools_drain(start_pfn, end_pfn);
	}
	return 0;
}

int memsuite_pools_give_back_frame(unsigned long pfn)
{
	int times;

	for (times = 0; times < 2; times++) {
		if (!memsuite_hold_wait_for(HOLD_JIFFIES))
			return -EBUSY;
		if (memsuite_pools_drain_frame(pfn))
			break;
	}
	return 0;
}

void memsuite_pools_recycle(void)
{
	struct memsuite_pool *pool;

	mutex_lock(&memsuite_pools_lock);
	list_for_each_entry(pool, &memsuite_pools, link) {
		memsuite_pool_drain(pool);
		memsuite_pool_end_rest(pool);
		wake_up(&pool->wait);
	}
	mutex_unlock(&memsuite_pools_lock);
}
EXPORT_SYMBOL_GPL(memsuite_pools_recycle);

void memsuite_pools_prefill(bool on)
{
	if (on == READ_ONCE(memsuite_pools_prefilled))
		return;
	WRITE_ONCE(memsuite_pools_prefilled, on);
	if (!on)
		memsuite_hold_wait();	/* for batches that are being filled */
	memsuite_pools_recycle();
}
EXPORT_SYMBOL_GPL(memsuite_pools_prefill);

/* It may have pages of the node. */
static bool pool_is_on(const struct memsuite_pool *pool, int nid)
{
	return pool->nid == nid || pool->nid == NUMA_NO_NODE;
}

unsigned long memsuite_pools_shrink(int nid, unsigned long pages)
{
	unsigned long freed = 0;
	struct memsuite_pool *pool;

	/* Reclaim may come from under the lock: making a pool allocates. */
	if (!mutex_trylock(&memsuite_pools_lock))
		return 0;
	list_for_each_entry(pool, &memsuite_pools, link) {
		if (freed >= pages)
			break;
		if (!pool_is_on(pool, nid))
			continue;
		pool_press(pool, PRESSURE_JIFFIES);
		freed += memsuite_large_depot_drain(pool, pages - freed);
		if (freed < pages)
			freed += memsuite_pool_drain_depot(pool, pages - freed);
		wake_up(&pool->wait);
	}
	mutex_unlock(&memsuite_pools_lock);
	return freed;
}

void memsuite_pool_read_stats(struct memsuite_pool *pool, struct memsuite_pool_stats *stats)
{
	/* First: what is freed later was not counted as filled, either. */
	u64 freed = atomic64_read(&pool->freed);

	stats->handed = memsuite_stat_sum(pool->caches, handed);
	stats->bare = memsuite_stat_sum(pool->caches, bare_handed);
	stats->misses = memsuite_stat_sum(pool->caches, misses);
	stats->filled = READ_ONCE(pool->filled) + atomic64_read(&pool->received);
	stats->large = memsuite_large_depot_pages(pool);
	stats->foreign = atomic64_read(&pool->foreign);
	stats->passed = atomic64_read(&pool->passed);
	stats->pages = stats->filled + memsuite_stat_sum(pool->caches, isolated) -
		       stats->handed - freed;
}

unsigned long memsuite_pools_shrinkable(int nid)
{
	unsigned long pages = 0;
	struct memsuite_pool *pool;

	if (!mutex_trylock(&memsuite_pools_lock))
		return 0;
	list_for_each_entry(pool, &memsuite_pools, link)
		if (pool_is_on(pool, nid))
			pages += memsuite_large_depot_pages(pool) +
				 (unsigned long)atomic_read(&pool->nr_filled) *
				 MEMSUITE_POOL_BATCH_PAGES;
	mutex_unlock(&memsuite_pools_lock);
	return pages;
}

unsigned long memsuite_pools_pages(void)
{
	struct memsuite_pool_stats stats;
	unsigned long pages = 0;
	struct memsuite_pool *pool;

	if (!mutex_trylock(&memsuite_pools_lock))
		return 0;
	list_for_each_entry(pool, &memsuite_pools, link) {
		memsuite_pool_read_stats(pool, &stats);
		pages += stats.pages;
	}
	mutex_unlock(&memsuite_pools_lock);
	return pages;
}

static int pools_drain_dead_cpu(unsigned int cpu)
{
	struct memsuite_pool *pool;

	mutex_lock(&memsuite_pools_lock);
	list_for_each_entry(pool, &memsuite_pools, link)
		memsuite_pool_drain_cache(pool, per_cpu_ptr(pool->caches, cpu));
	mutex_unlock(&memsuite_pools_lock);
	return 0;
}

int memsuite_pools_init(void)
{
	cpuhp_state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN,
						"mm/memsuite:dead", NULL,
						pools_drain_dead_cpu);
	return cpuhp_state < 0 ? cpuhp_state : 0;
}

void memsuite_pools_exit(void)
{
	cpuhp_remove_state_nocalls(cpuhp_state);
}
