// SPDX-License-Identifier: GPL-2.0-only
/* Pools of cleared pages; include/memsuite/pool.h tells how they work. */

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "core.h"
#include "demand.h"
#include "frames.h"
#include "inspection.h"
#include "poison.h"
#include "pool.h"

#define BATCH_PAGES	128

/* Frames a CPU looks at in a page fault when the depot is empty. */
#define BARE_BUDGET	1024

/* Frames the filler looks at between two chances for others to run. */
#define FILL_BUDGET	4096

/* How long not to look again in a region that had nothing. */
#define DRY_JIFFIES	(HZ / 10)

/* How long the filler rests after memory was wanted back. */
#define PRESSURE_JIFFIES	(2 * HZ)

/**
 * struct front - what one CPU has at hand
 * @chain: cleared pages, linked through page->private
 * @bare: frames isolated but not prepared, in physical order
 * @nr_bare: how many
 * @scan: where this CPU looks for free blocks
 * @dry_until: do not look before
 * @vain: nothing was found since the walk began anew
 * @hint: slot to look at first
 * @isolated: bare frames taken
 * @handed: pages handed out
 * @bare_handed: of these, bare ones
 * @misses: requests that found nothing
 */
struct front {
	struct page *chain;
	struct page *bare;
	unsigned long nr_bare;
	struct ms_scan scan;
	unsigned long dry_until;
	bool vain;
	unsigned int hint;
	u64 isolated;
	u64 handed;
	u64 bare_handed;
	u64 misses;
};

/**
 * struct ms_pool - pages of one region
 * @start_pfn: first frame
 * @end_pfn: first frame behind it
 * @nid: node of the region, or NUMA_NO_NODE
 * @target: batches to keep in the depot
 * @nr_filled: batches in the depot
 * @nr_slots: slots of the depot
 * @slots: each NULL or a batch of BATCH_PAGES; taken and put by exchange only
 * @fronts: per-CPU; touched by their CPU only, with interrupts off
 * @filler: thread that fills the slots
 * @wait: where the filler sleeps
 * @wake: wakes it from where no scheduler lock may be taken
 * @scan: where the filler stands
 * @rest_until: memory was short: do not fill before
 * @cut: the block that the filler took last, and cuts up
 * @cut_next: its next frame
 * @cut_end: how many it has
 * @cut_bad: those that the inspector found bad
 * @rejected: pages found bad in a fault, linked through page->private
 * @filled: pages that the filler took
 * @freed: pages given back
 * @link: in all pools, under pools_lock
 */
struct ms_pool {
	unsigned long start_pfn;
	unsigned long end_pfn;
	int nid;
	unsigned int target;
	atomic_t nr_filled;
	unsigned int nr_slots;
	struct page **slots;
	struct front __percpu *fronts;
	struct task_struct *filler;
	wait_queue_head_t wait;
	struct irq_work wake;
	struct ms_scan scan;
	unsigned long rest_until;
	struct page *cut;
	unsigned long cut_next;
	unsigned long cut_end;
	DECLARE_BITMAP(cut_bad, 1UL << MS_MAX_ORDER);
	struct page *rejected;
	u64 filled;
	atomic64_t freed;
	struct list_head link;
};

static bool prefill = true;
static LIST_HEAD(pools);
static DEFINE_MUTEX(pools_lock);
static int cpu_state;

static struct page *chain_pop(struct page **chain)
{
	struct page *page = *chain;

	if (page)
		*chain = (struct page *)page_private(page);
	return page;
}

static void chain_push(struct page **chain, struct page *page)
{
	set_page_private(page, (unsigned long)*chain);
	*chain = page;
}

static struct page *unmark(struct page *page)
{
	set_page_private(page, 0);
	__ClearPageOffline(page);
	return page;
}

static unsigned long free_chain(struct ms_pool *pool, struct page *chain)
{
	unsigned long freed = 0;
	struct page *page;

	while ((page = chain_pop(&chain))) {
		ms_demand_free(unmark(page), 0, __free_pages);
		freed++;
	}
	atomic64_add(freed, &pool->freed);
	return freed;
}

/* Bare frames cannot be freed as they are: they were never allocated. */
static unsigned long free_bare(struct ms_pool *pool, struct page *bare,
			       unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr; i++) {
		ms_frames_prepare(bare + i, 0, false);
		ms_demand_free(bare + i, 0, __free_pages);
	}
	atomic64_add(nr, &pool->freed);
	return nr;
}

static struct page *depot_take(struct ms_pool *pool, unsigned int *hint)
{
	unsigned int i, slot = *hint;
	struct page *chain;

	if (!atomic_read(&pool->nr_filled))
		return NULL;
	for (i = 0; i < pool->nr_slots; i++, slot++) {
		if (slot >= pool->nr_slots)
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

static bool depot_put(struct ms_pool *pool, struct page *chain)
{
	unsigned int slot;

	for (slot = 0; slot < pool->nr_slots; slot++) {
		if (READ_ONCE(pool->slots[slot]) ||
		    cmpxchg(&pool->slots[slot], NULL, chain))
			continue;
		atomic_inc(&pool->nr_filled);
		return true;
	}
	return false;
}

static bool is_short(const struct ms_pool *pool)
{
	return atomic_read(&pool->nr_filled) < READ_ONCE(pool->target);
}

static bool wants_filling(const struct ms_pool *pool)
{
	return READ_ONCE(prefill) && is_short(pool) &&
	       time_after_eq(jiffies, READ_ONCE(pool->rest_until));
}

/* A filler at work needs no interrupt, which costs more than a page. */
static bool filler_sleeps(struct ms_pool *pool)
{
	/* The slots are exchanged, which is a barrier. */
	return waitqueue_active(&pool->wait);
}

static noinline void refill_front(struct ms_pool *pool, struct front *front)
{
	front->chain = depot_take(pool, &front->hint);
	if (READ_ONCE(prefill) &&
	    atomic_read(&pool->nr_filled) < READ_ONCE(pool->target) / 2 &&
	    filler_sleeps(pool))
		irq_work_queue(&pool->wake);
}

static void rewind(struct ms_pool *pool, struct ms_scan *scan)
{
	*scan = (struct ms_scan) {
		.pfn = pool->start_pfn,
		.end = pool->end_pfn,
		.orders = MS_ANY_ORDER,
		.nid = pool->nid,
		.migratetypes = MS_ANY_MIGRATETYPE,
	};
}

/* It has passed what is in use at the beginning of the region. */
static void join_filler(struct ms_pool *pool, struct ms_scan *scan)
{
	rewind(pool, scan);
	scan->pfn = clamp(READ_ONCE(pool->scan.pfn), scan->pfn, scan->end);
}

/* Retiring sleeps: the filler does it. */
static void reject(struct ms_pool *pool, struct page *page)
{
	struct page *head;

	do {
		head = READ_ONCE(pool->rejected);
		set_page_private(page, (unsigned long)head);
	} while (cmpxchg(&pool->rejected, head, page) != head);
	irq_work_queue(&pool->wake);
}

/*
 * The depot is empty: take a free block, or part of one. It is under the zone's
 * lock that the kernel, too, refills what a CPU has at hand; who only tried it
 * would leave page upon page to other regions while its holder is preempted.
 */
static noinline struct page *pop_bare(struct ms_pool *pool,
				      struct front *front, gfp_t gfp)
{
	struct ms_block block;
	struct page *page;
	int err;

	if (!front->nr_bare) {
		if (time_before(jiffies, front->dry_until))
			return NULL;
		if (!front->scan.end)
			join_filler(pool, &front->scan);
		err = ms_frames_isolate(&front->scan, BARE_BUDGET, &block);
		if (err == -ENOMEM)
			ms_frames_skip_zone(&front->scan);
		if (err == -ENOENT)
			rewind(pool, &front->scan);
		/* Dry is a region walked from end to end in vain. */
		if (err == -ENOENT && front->vain)
			front->dry_until = jiffies + DRY_JIFFIES;
		front->vain |= err == -ENOENT;
		if (err)
			return NULL;
		front->vain = false;
		front->bare = block.page;
		front->nr_bare = 1UL << block.order;
		front->isolated += front->nr_bare;
	}
	page = front->bare++;
	front->nr_bare--;
	ms_frames_prepare(page, 0, gfp & __GFP_ZERO);
	if (unlikely(!ms_inspect_page(page))) {
		reject(pool, page);
		return NULL;
	}
	front->bare_handed++;
	return page;
}

struct page *ms_pool_pop(struct ms_pool *pool, gfp_t gfp)
{
	struct front *front;
	struct page *page;
	unsigned long flags;

	/* Draining comes as an interrupt. */
	local_irq_save(flags);
	front = this_cpu_ptr(pool->fronts);
	if (unlikely(!front->chain))
		refill_front(pool, front);
	page = chain_pop(&front->chain);
	if (likely(page))
		unmark(page);
	else
		page = pop_bare(pool, front, gfp);
	if (page)
		front->handed++;
	else
		front->misses++;
	local_irq_restore(flags);
	return page;
}
EXPORT_SYMBOL_GPL(ms_pool_pop);

static void retire(struct ms_pool *pool, struct page *page)
{
	ms_poison(page);
	atomic64_inc(&pool->freed);
}

static void retire_rejected(struct ms_pool *pool)
{
	struct page *chain = xchg(&pool->rejected, NULL), *page;
	unsigned long bad = 0;

	while ((page = chain_pop(&chain))) {
		set_page_private(page, 0);
		/* It is bad, whatever a second look says: for the record. */
		ms_inspect_block(page_to_pfn(page), 1, &bad);
		retire(pool, page);
	}
}

/* Takes a block, clears it, and has it inspected. */
static bool cut_block(struct ms_pool *pool)
{
	struct ms_block block;
	unsigned long i;
	int err;

	err = ms_frames_isolate(&pool->scan, FILL_BUDGET, &block);
	if (err == -ENOMEM)
		ms_frames_skip_zone(&pool->scan);
	/* Walked to the end: what there was is taken, come back later. */
	if (err == -ENOENT) {
		rewind(pool, &pool->scan);
		pool->rest_until = jiffies + DRY_JIFFIES;
	}
	if (err)
		return false;
	pool->cut = block.page;
	pool->cut_next = 0;
	pool->cut_end = 1UL << block.order;
	pool->filled += pool->cut_end;
	for (i = 0; i < pool->cut_end; i++) {
		ms_frames_prepare(block.page + i, 0, true);
		__SetPageOffline(block.page + i);
		cond_resched();
	}
	bitmap_zero(pool->cut_bad, pool->cut_end);
	ms_inspect_block(page_to_pfn(block.page), pool->cut_end, pool->cut_bad);
	return true;
}

/* The next page of the block, or NULL if it is bad and was retired. */
static struct page *cut_page(struct ms_pool *pool)
{
	struct page *page = pool->cut + pool->cut_next;

	if (!test_bit(pool->cut_next++, pool->cut_bad))
		return page;
	retire(pool, unmark(page));
	return NULL;
}

static struct page *fill_page(struct ms_pool *pool)
{
	struct page *page = NULL;

	while (!page && (pool->cut_next < pool->cut_end || cut_block(pool)))
		page = cut_page(pool);
	return page;
}

static void free_cut(struct ms_pool *pool)
{
	struct page *chain = NULL, *page;

	while (pool->cut_next < pool->cut_end) {
		page = cut_page(pool);
		if (page)
			chain_push(&chain, page);
	}
	free_chain(pool, chain);
}

static void fill_batch(struct ms_pool *pool)
{
	struct page *chain = NULL, *page;
	int i, token = ms_hold_begin();

	for (i = 0; i < BATCH_PAGES && READ_ONCE(prefill); i++) {
		page = fill_page(pool);
		if (!page)
			break;
		chain_push(&chain, page);
	}
	if (chain && !depot_put(pool, chain))
		free_chain(pool, chain);
	ms_hold_end(token);
}

/* What the filler does not go on with, it does not keep. */
static void fill_end(struct ms_pool *pool)
{
	int token = ms_hold_begin();

	free_cut(pool);
	retire_rejected(pool);
	ms_hold_end(token);
}

static int filler(void *data)
{
	struct ms_pool *pool = data;

	while (!kthread_should_stop()) {
		wait_event_interruptible_timeout(pool->wait,
						 kthread_should_stop() ||
						 pool->rejected ||
						 wants_filling(pool),
						 is_short(pool) ? DRY_JIFFIES :
						 MAX_SCHEDULE_TIMEOUT);
		while (!kthread_should_stop() && wants_filling(pool)) {
			fill_batch(pool);
			cond_resched_tasks_rcu_qs();
		}
		fill_end(pool);
	}
	return 0;
}

static void wake_filler(struct irq_work *work)
{
	wake_up(&container_of(work, struct ms_pool, wake)->wait);
}

/* Takes the front of a CPU that is this one, or dead. */
static unsigned long drain_front(struct ms_pool *pool, struct front *front)
{
	unsigned long freed;

	freed = free_chain(pool, front->chain);
	front->chain = NULL;
	freed += free_bare(pool, front->bare, front->nr_bare);
	front->nr_bare = 0;
	return freed;
}

struct drain {
	struct ms_pool *pool;
	atomic_long_t freed;
};

static void drain_this_cpu(void *data)
{
	struct drain *drain = data;

	atomic_long_add(drain_front(drain->pool,
				    this_cpu_ptr(drain->pool->fronts)),
			&drain->freed);
}

static unsigned long drain_depot(struct ms_pool *pool, unsigned long pages)
{
	unsigned long freed = 0;
	struct page *chain;
	unsigned int hint = 0;

	while (freed < pages && (chain = depot_take(pool, &hint)))
		freed += free_chain(pool, chain);
	return freed;
}

static unsigned long drain(struct ms_pool *pool)
{
	struct drain drain = { .pool = pool, .freed = ATOMIC_LONG_INIT(0) };

	on_each_cpu(drain_this_cpu, &drain, 1);
	return atomic_long_read(&drain.freed) + drain_depot(pool, ULONG_MAX);
}

unsigned long ms_pools_drain(unsigned long start_pfn, unsigned long end_pfn)
{
	unsigned long freed = 0;
	struct ms_pool *pool;

	mutex_lock(&pools_lock);
	list_for_each_entry(pool, &pools, link) {
		if (pool->start_pfn >= end_pfn || pool->end_pfn <= start_pfn)
			continue;
		WRITE_ONCE(pool->rest_until, jiffies + PRESSURE_JIFFIES);
		freed += drain(pool);
	}
	mutex_unlock(&pools_lock);
	return freed;
}

void ms_pools_recycle(void)
{
	struct ms_pool *pool;

	mutex_lock(&pools_lock);
	list_for_each_entry(pool, &pools, link) {
		drain(pool);
		wake_up(&pool->wait);
	}
	mutex_unlock(&pools_lock);
}
EXPORT_SYMBOL_GPL(ms_pools_recycle);

void ms_pools_prefill(bool on)
{
	if (on == READ_ONCE(prefill))
		return;
	WRITE_ONCE(prefill, on);
	if (!on)
		ms_hold_wait();	/* for batches that are being filled */
	ms_pools_recycle();
}
EXPORT_SYMBOL_GPL(ms_pools_prefill);

unsigned long ms_pools_shrink(unsigned long pages)
{
	unsigned long freed = 0;
	struct ms_pool *pool;

	/* Reclaim may come from under the lock: making a pool allocates. */
	if (!mutex_trylock(&pools_lock))
		return 0;
	list_for_each_entry(pool, &pools, link) {
		if (freed >= pages)
			break;
		WRITE_ONCE(pool->rest_until, jiffies + PRESSURE_JIFFIES);
		freed += drain_depot(pool, pages - freed);
	}
	mutex_unlock(&pools_lock);
	return freed;
}

void ms_pool_read_stats(struct ms_pool *pool, struct ms_pool_stats *stats)
{
	stats->handed = ms_stat_sum(pool->fronts, handed);
	stats->bare = ms_stat_sum(pool->fronts, bare_handed);
	stats->misses = ms_stat_sum(pool->fronts, misses);
	stats->filled = READ_ONCE(pool->filled);
	stats->pages = stats->filled + ms_stat_sum(pool->fronts, isolated) -
		       stats->handed - atomic64_read(&pool->freed);
}

unsigned long ms_pools_pages(void)
{
	struct ms_pool_stats stats;
	unsigned long pages = 0;
	struct ms_pool *pool;

	if (!mutex_trylock(&pools_lock))
		return 0;
	list_for_each_entry(pool, &pools, link) {
		ms_pool_read_stats(pool, &stats);
		pages += stats.pages;
	}
	mutex_unlock(&pools_lock);
	return pages;
}

void ms_pool_set_target(struct ms_pool *pool, unsigned long target)
{
	unsigned long batches = DIV_ROUND_UP(target, BATCH_PAGES);
	int surplus;

	WRITE_ONCE(pool->target, min_t(unsigned long, batches, pool->nr_slots));
	surplus = atomic_read(&pool->nr_filled) - pool->target;
	if (surplus > 0)
		drain_depot(pool, surplus * BATCH_PAGES);
	wake_up(&pool->wait);
}

struct ms_pool *ms_pool_create(const char *name, unsigned long start_pfn,
			       unsigned long end_pfn, int nid,
			       unsigned long target)
{
	struct ms_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	int cpu;

	if (!pool)
		return ERR_PTR(-ENOMEM);
	pool->start_pfn = start_pfn;
	pool->end_pfn = end_pfn;
	pool->nid = nid;
	pool->rest_until = jiffies;
	rewind(pool, &pool->scan);
	init_waitqueue_head(&pool->wait);
	init_irq_work(&pool->wake, wake_filler);
	pool->nr_slots = DIV_ROUND_UP(end_pfn - start_pfn, BATCH_PAGES);
	pool->slots = kvcalloc(pool->nr_slots, sizeof(*pool->slots),
			       GFP_KERNEL);
	pool->fronts = alloc_percpu(struct front);
	if (!pool->slots || !pool->fronts)
		goto err;
	for_each_possible_cpu(cpu) {
		rewind(pool, &per_cpu_ptr(pool->fronts, cpu)->scan);
		per_cpu_ptr(pool->fronts, cpu)->dry_until = jiffies;
	}
	pool->filler = kthread_create_on_node(filler, pool, nid, "ms_fill/%s",
					      name);
	if (IS_ERR(pool->filler))
		goto err;
	set_user_nice(pool->filler, MAX_NICE);
	mutex_lock(&pools_lock);
	list_add(&pool->link, &pools);
	mutex_unlock(&pools_lock);
	ms_pool_set_target(pool, target);
	wake_up_process(pool->filler);
	return pool;

err:
	free_percpu(pool->fronts);
	kvfree(pool->slots);
	kfree(pool);
	return ERR_PTR(-ENOMEM);
}

void ms_pool_destroy(struct ms_pool *pool)
{
	struct ms_pool_stats stats;

	mutex_lock(&pools_lock);
	list_del(&pool->link);
	mutex_unlock(&pools_lock);
	kthread_stop(pool->filler);
	irq_work_sync(&pool->wake);
	drain(pool);
	fill_end(pool);
	ms_pool_read_stats(pool, &stats);
	WARN_ON(stats.pages);
	free_percpu(pool->fronts);
	kvfree(pool->slots);
	kfree(pool);
}

static int drain_dead_cpu(unsigned int cpu)
{
	struct ms_pool *pool;

	mutex_lock(&pools_lock);
	list_for_each_entry(pool, &pools, link)
		drain_front(pool, per_cpu_ptr(pool->fronts, cpu));
	mutex_unlock(&pools_lock);
	return 0;
}

int ms_pools_init(void)
{
	cpu_state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN,
					      "mm/memsuite:dead", NULL,
					      drain_dead_cpu);
	return cpu_state < 0 ? cpu_state : 0;
}

void ms_pools_exit(void)
{
	cpuhp_remove_state_nocalls(cpu_state);
}
