// SPDX-License-Identifier: GPL-2.0-only
/* Making pools, changing what they keep, and ending them. */

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <memsuite/held_pages.h>

#include "hook/soft_offline.h"
#include "pool/frame_order.h"
#include "pool/large_depot.h"
#include "pool/pool_admin.h"
#include "pool/pool_depot.h"
#include "pool/pool_drain.h"
#include "pool/pool_private.h"
#include "pool/refill.h"

/* A page that errs is to go offline: that it is free again is all that the kernel needs. */
static void frame_give_back(unsigned long pfn)
{
	memsuite_pools_give_back_frame(pfn);
}

static void pool_wake(struct irq_work *work)
{
	wake_up(&container_of(work, struct memsuite_pool, wake)->wait);
}

void memsuite_pool_set_target(struct memsuite_pool *pool, unsigned long target)
{
	unsigned long batches = DIV_ROUND_UP(target, MEMSUITE_POOL_BATCH_PAGES);

	WRITE_ONCE(pool->target, min_t(unsigned long, batches, pool->nr_slots));
	memsuite_large_depot_trim(pool);
	memsuite_pool_trim_depot(pool);
	memsuite_pool_end_rest(pool);
	wake_up(&pool->wait);
}

void memsuite_pool_set_container(struct memsuite_pool *pool, unsigned int container)
{
	WRITE_ONCE(pool->container, container);
	memsuite_pool_drain(pool);
	wake_up(&pool->wait);
}

struct memsuite_pool *memsuite_pool_create(const char *name, unsigned long start_pfn,
					   unsigned long end_pfn, int nid,
					   const struct memsuite_bank_set *banks,
					   unsigned long target, unsigned int container)
{
	struct memsuite_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	int order;

	if (!pool)
		return ERR_PTR(-ENOMEM);
	pool->start_pfn = start_pfn;
	pool->end_pfn = end_pfn;
	pool->nid = nid;
	pool->banks = banks;
	pool->container = container;
	pool->dry_until = jiffies;
	pool->pressed_until = jiffies;
	pool->rest_until = jiffies;
	pool->look_after = jiffies;
	pool->gather_after = jiffies;
	pool->tell_after = jiffies;
	pool->large_dry_until = jiffies;
	for (order = 0; order <= MEMSUITE_MAX_ORDER; order++)
		pool->large.shelves[order].dry_until = jiffies;
	memsuite_pool_rewind(pool, &pool->scan);
	mutex_init(&pool->drain_lock);
	init_waitqueue_head(&pool->all_finished);
	init_waitqueue_head(&pool->wait);
	init_irq_work(&pool->wake, pool_wake);
	pool->nr_slots = DIV_ROUND_UP(end_pfn - start_pfn, MEMSUITE_POOL_BATCH_PAGES);
	pool->slots = kvcalloc(pool->nr_slots, sizeof(*pool->slots),
			       GFP_KERNEL);
	pool->frames = kvcalloc(MEMSUITE_MAX_CONTAINER, sizeof(*pool->frames),
				GFP_KERNEL);
	pool->caches = alloc_percpu(struct memsuite_pool_cache);
	if (!pool->slots || !pool->frames || !pool->caches ||
	    memsuite_barren_init(&pool->barren, start_pfn, end_pfn))
		goto err;
	pool->refill_thread = kthread_create_on_node(memsuite_refill_run, pool, nid, "ms_fill/%s",
						     name);
	if (IS_ERR(pool->refill_thread))
		goto err;
	set_user_nice(pool->refill_thread, MAX_NICE);
	memsuite_soft_offline_get(frame_give_back);
	mutex_lock(&memsuite_pools_lock);
	list_add(&pool->link, &memsuite_pools);
	mutex_unlock(&memsuite_pools_lock);
	memsuite_pool_set_target(pool, target);
	wake_up_process(pool->refill_thread);
	return pool;

err:
	memsuite_barren_exit(&pool->barren);
	free_percpu(pool->caches);
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
	kthread_stop(pool->refill_thread);
	/* Nobody takes of it any more, but what was taken may not be ready. */
	wait_event(pool->all_finished, !atomic_read(&pool->nr_unfinished));
	synchronize_rcu();
	irq_work_sync(&pool->wake);
	/* A CPU may have gone since it left the list. */
	for_each_possible_cpu(cpu)
		memsuite_pool_drain_cache(pool, per_cpu_ptr(pool->caches, cpu));
	memsuite_pool_drain(pool);
	token = memsuite_hold_begin();
	memsuite_refill_empty(pool);
	memsuite_hold_end(token);
	memsuite_pool_read_stats(pool, &stats);
	WARN_ON(stats.pages);
	memsuite_soft_offline_put();
	memsuite_barren_exit(&pool->barren);
	free_percpu(pool->caches);
	kvfree(pool->frames);
	kvfree(pool->slots);
	kfree(pool);
}
