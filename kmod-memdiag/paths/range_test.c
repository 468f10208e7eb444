// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test of a physical range on demand. What is in use is moved away first;
 * what cannot be moved is left out and counted.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <compat/compat.h>
#include <memsuite/alloc_stats.h>
#include <memsuite/block.h>
#include <memsuite/contig_range.h>

#include "march/engine.h"
#include "paths/range_test.h"
#include "result/verdict.h"
#include "sched/algorithm.h"
#include "sched/worker.h"

/* Thorough: a person has asked for this test. */
#define RANGE_FIDELITY	4

enum memdiag_range_status memdiag_range_test_status(const struct memdiag_range_test *test)
{
	/* Pairs with the end of range_thread(). */
	return smp_load_acquire(&test->status);
}

/* Returns the number of pages to be retired. */
static unsigned long range_test_held(struct memdiag_range_test *test, unsigned long pfn,
				     unsigned long nr)
{
	bool whole = memdiag_worker_test(&test->verdict, &test->plan, pfn, nr, RANGE_FIDELITY,
					 memdiag_worker_ends);
	/* Bad or not, whatever becomes of them. */
	unsigned long bad = bitmap_weight(test->verdict.bad, nr);

	/* What a CPU finds that finds good memory bad tells nothing. */
	if (whole && !test->verdict.doubted)
		WRITE_ONCE(test->tested, test->tested + nr);
	WRITE_ONCE(test->bad, test->bad + bad);
	return memdiag_verdict_report(&test->verdict);
}

/* Of @nr pages, those are left out that were not tested since there were @before. */
static void range_test_count_rest(struct memdiag_range_test *test, unsigned long nr,
				  unsigned long before)
{
	WRITE_ONCE(test->untested, test->untested + nr - (test->tested - before));
}

static int range_test_claimed(struct memdiag_range_test *test, unsigned long pfn, unsigned long nr)
{
	unsigned long before = test->tested;
	int token = memsuite_hold_begin();
	int err = memsuite_contig_range_claim(pfn, pfn + nr);

	if (!err) {
		range_test_held(test, pfn, nr);
		memsuite_contig_range_release(pfn, pfn + nr, test->verdict.bad);
		range_test_count_rest(test, nr, before);
	}
	memsuite_hold_end(token);
	return err;
}

/* A stretch that cannot be claimed as a whole may still have free blocks. */
static void range_test_free(struct memdiag_range_test *test, unsigned long pfn, unsigned long nr)
{
	struct memsuite_scan scan = {
		.pfn = pfn,
		.end = pfn + nr,
		.orders = MEMSUITE_ANY_ORDER,
		.nid = NUMA_NO_NODE,
		.migratetypes = MEMSUITE_ANY_MIGRATETYPE,
	};
	unsigned long before = test->tested;
	struct memsuite_block block;
	int err, token;

	do {
		token = memsuite_hold_begin();
		err = memsuite_block_take(&scan, &block);
		if (!err) {
			if (range_test_held(test, page_to_pfn(block.page), 1UL << block.order))
				memsuite_block_retire(&block, test->verdict.bad);
			else
				memsuite_block_give(&block);
		}
		memsuite_hold_end(token);
	} while (!err && !kthread_should_stop());
	range_test_count_rest(test, nr, before);
}

static void range_test_pageblock(struct memdiag_range_test *test, unsigned long pfn)
{
	if (!pfn_to_online_page(pfn))
		WRITE_ONCE(test->untested, test->untested + pageblock_nr_pages);
	else if (range_test_claimed(test, pfn, pageblock_nr_pages))
		range_test_free(test, pfn, pageblock_nr_pages);
}

static enum memdiag_range_status range_outcome(const struct memdiag_range_test *test)
{
	if (test->bad)
		return MEMDIAG_RANGE_FAIL;
	if (test->pfn < test->end)
		return MEMDIAG_RANGE_CANCELLED;
	return test->untested ? MEMDIAG_RANGE_PARTIAL : MEMDIAG_RANGE_PASS;
}

static int range_thread(void *data)
{
	struct memdiag_range_test *test = data;
	unsigned long nr;

	memdiag_algorithm_get(&test->plan);
	while (test->pfn < test->end && !kthread_should_stop()) {
		cond_resched_tasks_rcu_qs();
		/* The larger the piece, the more faults between pages it shows. */
		nr = min(test->end - test->pfn, MEMDIAG_VERDICT_MAX_PAGES);
		if (nr < MEMDIAG_VERDICT_MAX_PAGES ||
		    !IS_ALIGNED(test->pfn, MEMDIAG_VERDICT_MAX_PAGES) ||
		    range_test_claimed(test, test->pfn, nr)) {
			range_test_pageblock(test, test->pfn);
			nr = pageblock_nr_pages;
		}
		WRITE_ONCE(test->pfn, test->pfn + nr);
	}
	/* Pairs with memdiag_range_test_status(): who sees the outcome sees the counts. */
	smp_store_release(&test->status, range_outcome(test));
	while (!kthread_should_stop())
		schedule_timeout_interruptible(MAX_SCHEDULE_TIMEOUT);
	return 0;
}

static void range_stop_thread(struct memdiag_range_test *test)
{
	if (!test->thread)
		return;
	kthread_stop(test->thread);
	put_task_struct(test->thread);
	test->thread = NULL;
	/* A thread that was stopped before its first step never came that far. */
	if (test->status == MEMDIAG_RANGE_RUNNING)
		test->status = MEMDIAG_RANGE_CANCELLED;
}

static void range_reset(struct memdiag_range_test *test, u64 from, u64 to)
{
	test->start = ALIGN_DOWN(PHYS_PFN(from), pageblock_nr_pages);
	test->end = ALIGN(PHYS_PFN(to - 1) + 1, pageblock_nr_pages);
	test->pfn = test->start;
	test->begun = ktime_get();
	test->tested = 0;
	test->untested = 0;
	test->bad = 0;
	test->status = MEMDIAG_RANGE_RUNNING;
}

static int range_start(struct memdiag_range_test *test, u64 from, u64 to)
{
	struct task_struct *thread;

	if (memdiag_range_test_status(test) == MEMDIAG_RANGE_RUNNING)
		return -EBUSY;
	if (!pfn_to_online_page(PHYS_PFN(from)) ||
	    !pfn_to_online_page(PHYS_PFN(to - 1)))
		return -ENXIO;
	range_stop_thread(test);
	thread = kthread_create(range_thread, test, "memdiag-range");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	get_task_struct(thread);
	test->thread = thread;
	range_reset(test, from, to);
	wake_up_process(thread);
	return 0;
}

int memdiag_range_test_begin(struct memdiag_range_test *test, u64 from, u64 to)
{
	int err;

	mutex_lock(&test->lock);
	err = range_start(test, from, to);
	mutex_unlock(&test->lock);
	return err;
}

void memdiag_range_test_stop(struct memdiag_range_test *test)
{
	mutex_lock(&test->lock);
	range_stop_thread(test);
	mutex_unlock(&test->lock);
}
