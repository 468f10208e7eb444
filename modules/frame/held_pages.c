// SPDX-License-Identifier: GPL-2.0-only
/*
 * The count of the pages that somebody holds, those in pools left out, and the
 * stretches in which pages are held, for whoever must wait for their end.
 */

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/export.h>
#include <linux/percpu_counter.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/srcu.h>

#include "frame/held_pages_private.h"

static struct percpu_counter held;
DEFINE_STATIC_SRCU(hold_srcu);
static atomic_t nr_waiting = ATOMIC_INIT(0);

int memsuite_hold_begin(void)
	__acquires(&hold_srcu)
{
	return srcu_read_lock(&hold_srcu);
}
EXPORT_SYMBOL_GPL(memsuite_hold_begin);

void memsuite_hold_end(int token)
	__releases(&hold_srcu)
{
	srcu_read_unlock(&hold_srcu, token);
}
EXPORT_SYMBOL_GPL(memsuite_hold_end);

void memsuite_hold_wait(void)
{
	atomic_inc(&nr_waiting);
	synchronize_srcu(&hold_srcu);
	atomic_dec(&nr_waiting);
}
EXPORT_SYMBOL_GPL(memsuite_hold_wait);

struct hold_wait {
	struct rcu_head rcu;
	struct completion over;
	refcount_t users;
};

static void hold_wait_put(struct hold_wait *wait)
{
	if (refcount_dec_and_test(&wait->users))
		kfree(wait);
}

static void hold_wait_over(struct rcu_head *rcu)
{
	struct hold_wait *wait = container_of(rcu, struct hold_wait, rcu);

	complete(&wait->over);
	hold_wait_put(wait);
}

bool memsuite_hold_wait_for(unsigned long timeout)
{
	struct hold_wait *wait = kmalloc(sizeof(*wait), GFP_KERNEL);
	bool over;

	if (!wait)
		return false;
	init_completion(&wait->over);
	refcount_set(&wait->users, 2);
	atomic_inc(&nr_waiting);
	call_srcu(&hold_srcu, &wait->rcu, hold_wait_over);
	over = wait_for_completion_timeout(&wait->over, timeout);
	atomic_dec(&nr_waiting);
	hold_wait_put(wait);
	return over;
}

bool memsuite_hold_wanted(void)
{
	return atomic_read(&nr_waiting);
}
EXPORT_SYMBOL_GPL(memsuite_hold_wanted);

void memsuite_held_pages_add(long pages)
{
	percpu_counter_add(&held, pages);
}

long memsuite_held_pages_count(void)
{
	return percpu_counter_sum_positive(&held);
}

int memsuite_held_pages_init(void)
{
	return percpu_counter_init(&held, 0, GFP_KERNEL);
}

void memsuite_held_pages_exit(void)
{
	/* Who waited in vain in memsuite_hold_wait_for() left something behind. */
	srcu_barrier(&hold_srcu);
	WARN_ON(percpu_counter_sum(&held));
	percpu_counter_destroy(&held);
}
