// SPDX-License-Identifier: GPL-2.0-only
/* Stamps of single pages, and a reserve of them; test_age_page.h. */

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "frame/test_age_page.h"

/* As many blocks as are split in what the refill takes to begin. */
#define RESERVE		256U

static struct kmem_cache *cache;
static struct memsuite_test_age_page *reserve;	/* under reserve_lock */
static unsigned int nr_reserve;
static DEFINE_RAW_SPINLOCK(reserve_lock);
static atomic_long_t nr_all = ATOMIC_LONG_INIT(0);

static struct memsuite_test_age_page *reserve_pop(void)
{
	struct memsuite_test_age_page *pages;
	unsigned long flags;

	raw_spin_lock_irqsave(&reserve_lock, flags);
	pages = reserve;
	if (pages) {
		reserve = pages->next;
		nr_reserve--;
	}
	raw_spin_unlock_irqrestore(&reserve_lock, flags);
	return pages;
}

static bool reserve_push(struct memsuite_test_age_page *pages, unsigned int most)
{
	unsigned long flags;
	bool room;

	raw_spin_lock_irqsave(&reserve_lock, flags);
	room = nr_reserve < most;
	if (room) {
		pages->next = reserve;
		reserve = pages;
		nr_reserve++;
	}
	raw_spin_unlock_irqrestore(&reserve_lock, flags);
	return room;
}

static void pages_discard(struct memsuite_test_age_page *pages)
{
	atomic_long_dec(&nr_all);
	kmem_cache_free(cache, pages);
}

/* Reclaim is not to be troubled for it: a block can do without. */
static int reserve_fill(void)
{
	struct memsuite_test_age_page *pages;

	while (READ_ONCE(nr_reserve) < RESERVE) {
		pages = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NORETRY |
						__GFP_NOWARN);
		if (!pages)
			return -ENOMEM;
		atomic_long_inc(&nr_all);
		if (!reserve_push(pages, RESERVE))
			pages_discard(pages);
	}
	return 0;
}

static void reserve_refill(struct work_struct *work)
{
	reserve_fill();
}

static DECLARE_WORK(refill_work, reserve_refill);

/* Work cannot be queued from everywhere that pages are freed. */
static void reserve_ask_for_refill(struct irq_work *work)
{
	schedule_work(&refill_work);
}

static struct irq_work refill_request;

int memsuite_test_age_page_start(void)
{
	int err;

	cache = kmem_cache_create("memsuite_stamps",
				  sizeof(struct memsuite_test_age_page), 0, 0, NULL);
	if (!cache)
		return -ENOMEM;
	init_irq_work(&refill_request, reserve_ask_for_refill);
	err = reserve_fill();
	if (err)
		memsuite_test_age_page_stop();
	return err;
}

void memsuite_test_age_page_stop(void)
{
	struct memsuite_test_age_page *pages;

	irq_work_sync(&refill_request);
	cancel_work_sync(&refill_work);
	rcu_barrier();
	while ((pages = reserve_pop()))
		pages_discard(pages);
	kmem_cache_destroy(cache);
}

struct memsuite_test_age_page *memsuite_test_age_page_take(void)
{
	struct memsuite_test_age_page *pages = reserve_pop();

	if (READ_ONCE(nr_reserve) < RESERVE / 2)
		irq_work_queue(&refill_request);
	return pages;
}

void memsuite_test_age_page_put(struct memsuite_test_age_page *pages)
{
	reserve_push(pages, UINT_MAX);
}

static void pages_put_late(struct rcu_head *rcu)
{
	struct memsuite_test_age_page *pages =
		container_of(rcu, struct memsuite_test_age_page, rcu);

	if (!reserve_push(pages, RESERVE))
		pages_discard(pages);
}

void memsuite_test_age_page_put_rcu(struct memsuite_test_age_page *pages)
{
	call_rcu(&pages->rcu, pages_put_late);
}

size_t memsuite_test_age_page_bytes(void)
{
	return atomic_long_read(&nr_all) * sizeof(struct memsuite_test_age_page);
}
