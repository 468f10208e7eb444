// SPDX-License-Identifier: GPL-2.0-only
/* Blocks that somebody holds: taking, giving back, retiring. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/mm.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/srcu.h>

#include <compat/compat.h>
#include <memsuite/block.h>

#include "core.h"
#include "frame/hwpoison.h"
#include "frame/isolate.h"
#include "kernel/alloc_stats.h"
#include "kernel/kcalls.h"
#include "retire/give_back.h"

/* Frames looked at between two chances for others to run. */
#define TAKE_BUDGET	4096

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

static void put_wait(struct hold_wait *wait)
{
	if (refcount_dec_and_test(&wait->users))
		kfree(wait);
}

static void holds_over(struct rcu_head *rcu)
{
	struct hold_wait *wait = container_of(rcu, struct hold_wait, rcu);

	complete(&wait->over);
	put_wait(wait);
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
	call_srcu(&hold_srcu, &wait->rcu, holds_over);
	over = wait_for_completion_timeout(&wait->over, timeout);
	atomic_dec(&nr_waiting);
	put_wait(wait);
	return over;
}

void memsuite_hold_exit(void)
{
	srcu_barrier(&hold_srcu);
}

bool memsuite_hold_wanted(void)
{
	return atomic_read(&nr_waiting);
}

static void mark(struct memsuite_block *block, bool offline)
{
	unsigned long i;

	for (i = 0; i < 1UL << block->order; i++) {
		if (offline)
			__SetPageOffline(block->page + i);
		else
			__ClearPageOffline(block->page + i);
	}
}

int memsuite_block_take(struct memsuite_scan *scan, struct memsuite_block *block)
{
	int err;

	do {
		cond_resched();
		err = memsuite_frames_isolate(scan, TAKE_BUDGET, block);
	} while (err == -EAGAIN);
	if (err)
		return err == -ENOMEM ? -EAGAIN : err;
	memsuite_frames_prepare(block->page, block->order, false);
	mark(block, true);
	memsuite_held_pages_add(1L << block->order);
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_block_take);

void memsuite_block_drain(void)
{
	memsuite_kcall_drain_all_pages(NULL);
}
EXPORT_SYMBOL_GPL(memsuite_block_drain);

void memsuite_block_give(struct memsuite_block *block)
{
	mark(block, false);
	memsuite_held_pages_add(-(1L << block->order));
	memsuite_alloc_stats_free(block->page, block->order, __free_pages);
}
EXPORT_SYMBOL_GPL(memsuite_block_give);

void memsuite_block_retire(struct memsuite_block *block, const unsigned long *bad)
{
	unsigned long i, nr = 1UL << block->order;

	mark(block, false);
	memsuite_held_pages_add(-(long)nr);
	/* A poisoned page inside a free block could be handed out: cut it up. */
	split_page(block->page, block->order);
	for (i = 0; i < nr; i++) {
		if (test_bit(i, bad))
			memsuite_hwpoison(block->page + i);
		else
			memsuite_alloc_stats_free(block->page + i, 0, __free_pages);
	}
}
EXPORT_SYMBOL_GPL(memsuite_block_retire);
