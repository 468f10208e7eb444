// SPDX-License-Identifier: GPL-2.0-only
/* Pools of cleared pages; include/memsuite/pool.h tells how they work. */

#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "core.h"
#include "frame/isolate.h"
#include "kernel/alloc_stats.h"
#include "kernel/kcalls.h"
#include "pool/pool_inspect.h"
#include "pool/pool_private.h"

/* Frames a CPU looks at in a page fault when the depot is empty. */
#define BARE_BUDGET	1024

/* Of some banks, a frame is found by looking at several. */
#define BANKS_BUDGET	4096

/* Requests for a page after the first, with what this CPU had kept. */
#define MORE_TRIES	3

/* How long the filler rests after memory was wanted back. */
#define PRESSURE_JIFFIES	(2 * HZ)

bool memsuite_pools_prefilled = true;
LIST_HEAD(memsuite_pools);
DEFINE_MUTEX(memsuite_pools_lock);	/* of that list */
static int cpu_state;

unsigned long memsuite_pool_free(struct memsuite_pool *pool, struct page *chain)
{
	unsigned long freed = 0;
	struct page *page;

	while ((page = chain_pop(&chain))) {
		memsuite_alloc_stats_free(unmark(page), 0, __free_pages);
		freed++;
	}
	atomic64_add(freed, &pool->freed);
	return freed;
}

/* Bare frames cannot be freed as they are: they were never allocated. */
static void free_bare(struct memsuite_pool *pool, struct page *page)
{
	memsuite_frames_prepare(page, 0, false);
	memsuite_alloc_stats_free(page, 0, __free_pages);
	atomic64_inc(&pool->freed);
}

unsigned long memsuite_pool_free_bare(struct memsuite_pool *pool, struct page *chain)
{
	unsigned long freed = 0;
	struct page *page;

	while ((page = chain_pop(&chain))) {
		set_page_private(page, 0);
		free_bare(pool, page);
		freed++;
	}
	return freed;
}

unsigned long memsuite_pool_free_gifts(struct memsuite_pool *pool, struct page **gifts)
{
	unsigned long freed = memsuite_pool_free_bare(pool, xchg(gifts, NULL));

	atomic_sub(freed, &pool->nr_gifts);
	return freed;
}

static struct page *depot_take(struct memsuite_pool *pool, unsigned int *hint)
{
	unsigned int i, nr = READ_ONCE(pool->nr_used), slot = *hint;
	struct page *chain;

	if (!atomic_read(&pool->nr_filled))
		return NULL;
	for (i = 0; i < nr; i++, slot++) {
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
	return NULL;
}

bool memsuite_pool_put(struct memsuite_pool *pool, struct page *chain)
{
	unsigned int slot;

	for (slot = 0; slot < pool->nr_slots; slot++) {
		if (READ_ONCE(pool->slots[slot]) ||
		    cmpxchg(&pool->slots[slot], NULL, chain))
			continue;
		if (slot >= pool->nr_used)
			WRITE_ONCE(pool->nr_used, slot + 1);
		atomic_inc(&pool->nr_filled);
		return true;
	}
	return false;
}

/* A filler at work needs no interrupt, which costs more than a page. */
static bool filler_sleeps(struct memsuite_pool *pool)
{
	/* The slots are exchanged, which is a barrier. */
	return waitqueue_active(&pool->wait);
}

static noinline void refill_front(struct memsuite_pool *pool, struct front *front)
{
	front->chain = depot_take(pool, &front->hint);
	if (READ_ONCE(memsuite_pools_prefilled) &&
	    atomic_read(&pool->nr_filled) <
	    DIV_ROUND_UP(READ_ONCE(pool->target), 2) &&
	    filler_sleeps(pool))
		irq_work_queue(&pool->wake);
}

void memsuite_pool_rewind(struct memsuite_pool *pool, struct memsuite_scan *scan)
{
	*scan = (struct memsuite_scan) {
		.pfn = pool->start_pfn,
		.end = pool->end_pfn,
		.orders = MEMSUITE_ANY_ORDER,
		.nid = pool->nid,
		.migratetypes = MEMSUITE_ANY_MIGRATETYPE,
		.banks = pool->banks,
	};
}

/* It has passed what is in use at the beginning of the region. */
static void join_filler(struct memsuite_pool *pool, struct memsuite_scan *scan)
{
	memsuite_pool_rewind(pool, scan);
	scan->pfn = clamp(READ_ONCE(pool->scan.pfn), scan->pfn, scan->end);
}

/* Retiring sleeps: the filler does it. */
void memsuite_pool_reject(struct memsuite_pool *pool, struct page *page)
{
	chain_share(&pool->rejected, page);
	irq_work_queue(&pool->wake);
}

/*
 * It is under the zone's lock that the kernel, too, refills what a CPU has at
 * hand; who only tried it would leave page upon page to other regions while its
 * holder is preempted.
 */
static bool refill_bare(struct memsuite_pool *pool, struct front *front)
{
	struct memsuite_block block;
	int err;

	if (time_before(jiffies, front->dry_until))
		return false;
	if (!front->scan.end)
		join_filler(pool, &front->scan);
	err = memsuite_frames_isolate(&front->scan, pool->banks ? BANKS_BUDGET :
				      BARE_BUDGET, &block);
	if (err == -ENOMEM)
		memsuite_frames_skip_zone(&front->scan);
	if (err == -ENOENT)
		memsuite_pool_rewind(pool, &front->scan);
	front->ended |= err == -ENOENT;
	/* Dry is a region walked from end to end in vain. */
	if (err == -ENOENT && front->vain)
		front->dry_until = jiffies + DRY_JIFFIES;
	front->vain |= err == -ENOENT;
	if (err)
		return false;
	front->vain = false;
	front->bare = block.page;
	front->nr_bare = 1UL << block.order;
	front->isolated += front->nr_bare;
	return true;
}

/* Nobody gets a page that the kernel has found bad meanwhile: it is left as it is. */
static struct page *unless_poisoned(struct memsuite_pool *pool, struct page *page)
{
	if (likely(!PageHWPoison(page)))
		return page;
	atomic64_inc(&pool->freed);
	return NULL;
}

/* From the top of the block; the filler sees to the frames of other banks. */
static struct page *next_bare(struct memsuite_pool *pool, struct front *front)
{
	struct page *page;

	while (front->nr_bare) {
		page = front->bare + --front->nr_bare;
		if (likely(is_of_pool(pool, page)))
			return page;
		chain_share(&pool->others, page);
	}
	return NULL;
}

/* The depot is empty: take a free block, or part of one. */
static noinline struct page *pop_bare(struct memsuite_pool *pool,
				      struct front *front, gfp_t gfp)
{
	struct page *page = next_bare(pool, front);

	if (!page && refill_bare(pool, front))
		page = next_bare(pool, front);
	if (READ_ONCE(pool->others) && filler_sleeps(pool))
		irq_work_queue(&pool->wake);
	if (page)
		page = unless_poisoned(pool, page);
	if (!page)
		return NULL;
	memsuite_frames_prepare(page, 0, gfp & __GFP_ZERO);
	if (unlikely(!memsuite_pool_inspect_page(page))) {
		memsuite_pool_reject(pool, page);
		return NULL;
	}
	front->bare_handed++;
	return page;
}

/*
 * Who overwrites the page, as with what is read from a file, has no use for a
 * cleared one; but a tested one is quicker than a test, and an order is an order.
 */
static bool wants_bare(const struct memsuite_pool *pool, gfp_t gfp)
{
	return !(gfp & __GFP_ZERO) && !READ_ONCE(pool->container) &&
	       !static_branch_unlikely(&memsuite_pool_inspect_key);
}

/* The next of the chain, or of that of another batch. */
static struct page *pop_cleared(struct memsuite_pool *pool, struct front *front)
{
	struct page *page;

	if (unlikely(!front->chain))
		refill_front(pool, front);
	page = chain_pop(&front->chain);
	return likely(page) ? unless_poisoned(pool, unmark(page)) : NULL;
}

static struct page *pop(struct memsuite_pool *pool, gfp_t gfp)
{
	bool bare_first = wants_bare(pool, gfp);
	struct page *page = NULL;
	struct front *front;
	unsigned long flags;

	/* Draining comes as an interrupt. */
	local_irq_save(flags);
	front = this_cpu_ptr(pool->fronts);
	if (bare_first)
		page = pop_bare(pool, front, gfp);
	if (!page)
		page = pop_cleared(pool, front);
	if (unlikely(!page) && !bare_first)
		page = pop_bare(pool, front, gfp);
	if (page)
		front->handed++;
	local_irq_restore(flags);
	return page;
}

/*
 * What a program frees is kept by the CPU that it runs on, and may be all that
 * is left of the region. An interrupt may have come while that is being seen to.
 */
static noinline struct page *pop_again(struct memsuite_pool *pool, gfp_t gfp)
{
	struct page *page = NULL;
	int tries = MORE_TRIES;

	if (!in_task())
		return NULL;
	preempt_disable();
	this_cpu_write(pool->fronts->ended, false);
	memsuite_kcall_drain_local_pages(NULL);
	while (!page && tries--)
		page = pop(pool, gfp);
	preempt_enable();
	return page;
}

struct page *memsuite_pool_pop(struct memsuite_pool *pool, gfp_t gfp)
{
	struct page *page = pop(pool, gfp);

	if (unlikely(!page) && this_cpu_read(pool->fronts->ended))
		page = pop_again(pool, gfp);
	if (unlikely(!page))
		this_cpu_inc(pool->fronts->misses);
	return page;
}
EXPORT_SYMBOL_GPL(memsuite_pool_pop);

static void wake_filler(struct irq_work *work)
{
	wake_up(&container_of(work, struct memsuite_pool, wake)->wait);
}

unsigned long memsuite_pool_free_frames(struct memsuite_pool *pool, struct page *page,
					unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr; i++)
		free_bare(pool, page + i);
	return nr;
}

/* Takes the front of a CPU that is this one, or dead. */
static unsigned long drain_front(struct memsuite_pool *pool, struct front *front)
{
	unsigned long freed;

	freed = memsuite_pool_free(pool, front->chain);
	front->chain = NULL;
	freed += memsuite_pool_free_frames(pool, front->bare, front->nr_bare);
	front->nr_bare = 0;
	freed += memsuite_pool_free_frames(pool, front->large, front->nr_large);
	front->nr_large = 0;
	return freed;
}

struct drain {
	struct memsuite_pool *pool;
	atomic_long_t freed;
};

static void drain_this_cpu(void *data)
{
	struct drain *drain = data;

	atomic_long_add(drain_front(drain->pool,
				    this_cpu_ptr(drain->pool->fronts)),
			&drain->freed);
}

static unsigned long drain_depot(struct memsuite_pool *pool, unsigned long pages)
{
	unsigned long freed = 0;
	struct page *chain;
	unsigned int hint = 0;

	while (freed < pages && (chain = depot_take(pool, &hint)))
		freed += memsuite_pool_free(pool, chain);
	return freed;
}

unsigned long memsuite_pool_drain_fronts(struct memsuite_pool *pool)
{
	struct drain drain = { .pool = pool, .freed = ATOMIC_LONG_INIT(0) };

	on_each_cpu(drain_this_cpu, &drain, 1);
	return atomic_long_read(&drain.freed);
}

static unsigned long drain(struct memsuite_pool *pool)
{
	unsigned long freed;

	/* First the depot: a CPU with nothing at hand takes from there. */
	freed = drain_depot(pool, ULONG_MAX);
	return freed + memsuite_pool_drain_fronts(pool) +
	       memsuite_pool_free_bare(pool, xchg(&pool->others, NULL)) +
	       memsuite_pool_free_gifts(pool, &pool->gifts);
}

unsigned long memsuite_pools_drain(unsigned long start_pfn, unsigned long end_pfn)
{
	unsigned long freed = 0;
	struct memsuite_pool *pool;

	mutex_lock(&memsuite_pools_lock);
	list_for_each_entry(pool, &memsuite_pools, link) {
		if (pool->start_pfn >= end_pfn || pool->end_pfn <= start_pfn)
			continue;
		WRITE_ONCE(pool->rest_until, jiffies + PRESSURE_JIFFIES);
		freed += drain(pool);
		wake_up(&pool->wait);
	}
	mutex_unlock(&memsuite_pools_lock);
	return freed;
}

void memsuite_pools_recycle(void)
{
	struct memsuite_pool *pool;

	mutex_lock(&memsuite_pools_lock);
	list_for_each_entry(pool, &memsuite_pools, link) {
		drain(pool);
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

unsigned long memsuite_pools_shrink(unsigned long pages)
{
	unsigned long freed = 0;
	struct memsuite_pool *pool;

	/* Reclaim may come from under the lock: making a pool allocates. */
	if (!mutex_trylock(&memsuite_pools_lock))
		return 0;
	list_for_each_entry(pool, &memsuite_pools, link) {
		if (freed >= pages)
			break;
		WRITE_ONCE(pool->rest_until, jiffies + PRESSURE_JIFFIES);
		freed += drain_depot(pool, pages - freed);
		wake_up(&pool->wait);
	}
	mutex_unlock(&memsuite_pools_lock);
	return freed;
}

void memsuite_pool_read_stats(struct memsuite_pool *pool, struct memsuite_pool_stats *stats)
{
	/* First: what is freed later was not counted as filled, either. */
	u64 freed = atomic64_read(&pool->freed);

	stats->handed = memsuite_stat_sum(pool->fronts, handed);
	stats->bare = memsuite_stat_sum(pool->fronts, bare_handed);
	stats->misses = memsuite_stat_sum(pool->fronts, misses);
	stats->filled = READ_ONCE(pool->filled) + atomic64_read(&pool->gifted);
	stats->foreign = atomic64_read(&pool->foreign);
	stats->passed = atomic64_read(&pool->passed);
	stats->pages = stats->filled + memsuite_stat_sum(pool->fronts, isolated) -
		       stats->handed - freed;
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

void memsuite_pool_set_target(struct memsuite_pool *pool, unsigned long target)
{
	unsigned long batches = DIV_ROUND_UP(target, BATCH_PAGES);
	int surplus;

	WRITE_ONCE(pool->target, min_t(unsigned long, batches, pool->nr_slots));
	surplus = atomic_read(&pool->nr_filled) - pool->target;
	if (surplus > 0)
		drain_depot(pool, surplus * BATCH_PAGES);
	wake_up(&pool->wait);
}

void memsuite_pool_set_container(struct memsuite_pool *pool, unsigned int container)
{
	WRITE_ONCE(pool->container, container);
	drain(pool);
	wake_up(&pool->wait);
}

struct memsuite_pool *memsuite_pool_create(const char *name, unsigned long start_pfn,
					   unsigned long end_pfn, int nid,
					   const struct memsuite_bank_set *banks,
					   unsigned long target, unsigned int container)
{
	struct memsuite_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	int cpu;

	if (!pool)
		return ERR_PTR(-ENOMEM);
	pool->start_pfn = start_pfn;
	pool->end_pfn = end_pfn;
	pool->nid = nid;
	pool->banks = banks;
	pool->container = container;
	pool->rest_until = jiffies;
	pool->large_dry_until = jiffies;
	memsuite_pool_rewind(pool, &pool->scan);
	init_waitqueue_head(&pool->wait);
	init_irq_work(&pool->wake, wake_filler);
	pool->nr_slots = DIV_ROUND_UP(end_pfn - start_pfn, BATCH_PAGES);
	pool->slots = kvcalloc(pool->nr_slots, sizeof(*pool->slots),
			       GFP_KERNEL);
	pool->frames = kvcalloc(MEMSUITE_MAX_CONTAINER, sizeof(*pool->frames),
				GFP_KERNEL);
	pool->fronts = alloc_percpu(struct front);
	if (!pool->slots || !pool->frames || !pool->fronts)
		goto err;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(pool->fronts, cpu)->dry_until = jiffies;
	pool->filler = kthread_create_on_node(memsuite_refill_run, pool, nid, "ms_fill/%s",
					      name);
	if (IS_ERR(pool->filler))
		goto err;
	set_user_nice(pool->filler, MAX_NICE);
	mutex_lock(&memsuite_pools_lock);
	list_add(&pool->link, &memsuite_pools);
	mutex_unlock(&memsuite_pools_lock);
	memsuite_pool_set_target(pool, target);
	wake_up_process(pool->filler);
	return pool;

err:
	free_percpu(pool->fronts);
	kvfree(pool->frames);
	kvfree(pool->slots);
	kfree(pool);
	return ERR_PTR(-ENOMEM);
}

void memsuite_pool_destroy(struct memsuite_pool *pool)
{
	struct memsuite_pool_stats stats;
	int cpu, token;

	mutex_lock(&memsuite_pools_lock);
	list_del(&pool->link);
	mutex_unlock(&memsuite_pools_lock);
	kthread_stop(pool->filler);
	irq_work_sync(&pool->wake);
	/* Nobody uses it any more; a CPU may have gone since it left the list. */
	for_each_possible_cpu(cpu)
		drain_front(pool, per_cpu_ptr(pool->fronts, cpu));
	drain(pool);
	token = memsuite_hold_begin();
	memsuite_refill_empty(pool);
	memsuite_hold_end(token);
	memsuite_pool_read_stats(pool, &stats);
	WARN_ON(stats.pages);
	free_percpu(pool->fronts);
	kvfree(pool->frames);
	kvfree(pool->slots);
	kfree(pool);
}

static int drain_dead_cpu(unsigned int cpu)
{
	struct memsuite_pool *pool;

	mutex_lock(&memsuite_pools_lock);
	list_for_each_entry(pool, &memsuite_pools, link)
		drain_front(pool, per_cpu_ptr(pool->fronts, cpu));
	mutex_unlock(&memsuite_pools_lock);
	return 0;
}

int memsuite_pools_init(void)
{
	cpu_state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN,
					      "mm/memsuite:dead", NULL,
					      drain_dead_cpu);
	return cpu_state < 0 ? cpu_state : 0;
}

void memsuite_pools_exit(void)
{
	cpuhp_remove_state_nocalls(cpu_state);
}
