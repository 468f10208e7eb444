// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tester thread: sweeps over all memory, takes each free block, marches
 * over the whole of it, and gives it back, or retires what is bad of it.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <compat/compat.h>
#include <memsuite/block.h>
#include <memsuite/demand.h>
#include <memsuite/inspect.h>

#include "memdiag.h"
#include "verdict.h"

/* How long to leave a zone alone that is short of memory. */
#define SHORT_JIFFIES	(HZ / 20)

/* In pairs with their complements; a sweep takes one of them, in turn. */
const u64 tester_backgrounds[TESTER_BACKGROUNDS] = {
	0, 0x5555555555555555ULL, 0x3333333333333333ULL, 0x0f0f0f0f0f0f0f0fULL,
};

unsigned int tester_lifetime_s = 180;	/* COMeT, table 1 */

static struct task_struct *thread;
static atomic64_t tested_pages = ATOMIC64_INIT(0);
static u64 passes;
static unsigned int progress_pct;

/* Allocated once, so that testing needs no memory. Only the thread uses it. */
static struct verdict verdict;
static struct march_test march;

static void test_block(struct ms_block *block, u64 background)
{
	unsigned long nr = 1UL << block->order;

	verdict_begin(&verdict, page_to_pfn(block->page), nr);
	verdict_march(&verdict, &march, background);
	ms_demand_tested(verdict.pfn, nr);
	tester_count(nr);
	if (verdict_report(&verdict))
		ms_block_retire(block, verdict.bad);
	else
		ms_block_give(block);
}

u64 tester_background(void)
{
	return tester_backgrounds[READ_ONCE(passes) % TESTER_BACKGROUNDS];
}

static void sweep_node(int nid, u64 background, unsigned long done,
		       unsigned long total)
{
	unsigned long start = node_start_pfn(nid);
	struct ms_scan scan = {
		.pfn = start,
		.end = node_end_pfn(nid),
		.order_max = MS_MAX_ORDER,
		.nid = nid,
		.migratetypes = MS_ANY_MIGRATETYPE,
		/* A block tested later than this comes again in time. */
		.min_age_s = READ_ONCE(tester_lifetime_s) / 4,
	};
	struct ms_block block;
	int err, token;

	while (!kthread_should_stop()) {
		/* Unhooking a function waits for every task to pass here. */
		cond_resched_tasks_rcu_qs();
		token = ms_hold_begin();
		err = ms_block_take(&scan, &block);
		if (!err)
			test_block(&block, background);
		ms_hold_end(token);
		if (err == -ENOENT)
			break;
		if (err == -EAGAIN) {
			schedule_timeout_interruptible(SHORT_JIFFIES);
			scan.pfn = ALIGN(scan.pfn + 1, pageblock_nr_pages);
		}
		WRITE_ONCE(progress_pct, (done + scan.pfn - start) * 100 / total);
	}
}

static void sweep(void)
{
	u64 background = tester_background();
	unsigned long done = 0, total = 0;
	int nid;

	algorithm_get(&march);
	/* The tests of pages that wait in pools expire as well. */
	ms_pools_recycle();
	for_each_node_state(nid, N_MEMORY)
		total += node_spanned_pages(nid);
	for_each_node_state(nid, N_MEMORY) {
		sweep_node(nid, background, done, total);
		done += node_spanned_pages(nid);
	}
	if (kthread_should_stop())
		return;
	WRITE_ONCE(passes, passes + 1);
	WRITE_ONCE(progress_pct, 100);
}

/*
 * A free page is to be tested again before its test expires, so a sweep has
 * to begin when half of the lifetime is over.
 */
static int tester(void *unused)
{
	unsigned long begun;

	while (!kthread_should_stop()) {
		begun = jiffies;
		sweep();
		while (!kthread_should_stop() &&
		       time_before(jiffies, begun + READ_ONCE(tester_lifetime_s) *
				   (HZ / 2)))
			schedule_timeout_interruptible(HZ / 4);
	}
	return 0;
}

int tester_start(void)
{
	int err = ms_demand_start(tester_lifetime_s);

	if (err)
		return err;
	ahead_start();
	thread = kthread_create(tester, NULL, "memdiag");
	if (IS_ERR(thread)) {
		err = PTR_ERR(thread);
		thread = NULL;
		ahead_stop();
		ms_demand_stop();
		return err;
	}
	set_user_nice(thread, MAX_NICE);
	wake_up_process(thread);
	return 0;
}

void tester_stop(void)
{
	if (!thread)
		return;
	kthread_stop(thread);
	thread = NULL;
	ahead_stop();
	ms_demand_stop();
}

bool tester_running(void)
{
	return thread;
}

void tester_count(unsigned long pages)
{
	atomic64_add(pages, &tested_pages);
}

u64 tester_tested_pages(void)
{
	return atomic64_read(&tested_pages);
}

u64 tester_passes(void)
{
	return READ_ONCE(passes);
}

unsigned int tester_progress_pct(void)
{
	return READ_ONCE(progress_pct);
}
