// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test of a physical range on demand, in the shape of the kernel's
 * in-field scan: run_test, status, details. What is in use is moved away
 * first; what cannot be moved is left out and counted.
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
#include <memsuite/control.h>
#include <memsuite/region.h>

#include "march/engine.h"
#include "paths/range.h"
#include "result/verdict.h"
#include "sched/algorithm.h"
#include "sched/worker.h"

/* Thorough: a person has asked for this test. */
#define RANGE_FIDELITY	4

enum range_status { UNTESTED, RUNNING, PASS, FAIL, PARTIAL, CANCELLED };

static const char * const status_name[] = {
	"untested", "running", "pass", "fail", "partial", "cancelled",
};

/**
 * struct range_test - the test that runs, or the last one
 * @start: first frame, of a pageblock
 * @end: first frame behind the range, likewise
 * @pfn: how far it got
 * @begun: when
 * @tested: pages
 * @untested: pages that could not be had
 * @bad: pages
 * @status: its outcome
 */
static struct range_test {
	unsigned long start, end, pfn;
	ktime_t begun;
	unsigned long tested, untested, bad;
	enum range_status status;
} test;

static enum range_status range_status(void)
{
	/* Pairs with the end of range_thread(). */
	return smp_load_acquire(&test.status);
}

static DEFINE_MUTEX(range_lock);	/* starting and stopping */
static struct task_struct *thread;
static struct memdiag_verdict verdict;		/* of the thread, as is the march */
static struct memdiag_engine_test plan;

/* Returns the number of pages to be retired. */
static unsigned long range_test_held(unsigned long pfn, unsigned long nr)
{
	bool whole = memdiag_worker_test(&verdict, &plan, pfn, nr, RANGE_FIDELITY,
					 memdiag_worker_ends);
	/* Bad or not, whatever becomes of them. */
	unsigned long bad = bitmap_weight(verdict.bad, nr);

	if (whole)
		WRITE_ONCE(test.tested, test.tested + nr);
	WRITE_ONCE(test.bad, test.bad + bad);
	return memdiag_verdict_report(&verdict);
}

static int range_test_claimed(unsigned long pfn, unsigned long nr)
{
	unsigned long before = test.tested;
	int token = memsuite_hold_begin();
	int err = memsuite_contig_range_claim(pfn, pfn + nr);

	if (!err) {
		range_test_held(pfn, nr);
		memsuite_contig_range_release(pfn, pfn + nr, verdict.bad);
		WRITE_ONCE(test.untested, test.untested + nr - (test.tested - before));
	}
	memsuite_hold_end(token);
	return err;
}

/* A stretch that cannot be claimed as a whole may still have free blocks. */
static void range_test_free(unsigned long pfn, unsigned long nr)
{
	struct memsuite_scan scan = {
		.pfn = pfn,
		.end = pfn + nr,
		.orders = MEMSUITE_ANY_ORDER,
		.nid = NUMA_NO_NODE,
		.migratetypes = MEMSUITE_ANY_MIGRATETYPE,
	};
	unsigned long before = test.tested;
	struct memsuite_block block;
	int err, token;

	do {
		token = memsuite_hold_begin();
		err = memsuite_block_take(&scan, &block);
		if (!err) {
			if (range_test_held(page_to_pfn(block.page),
					    1UL << block.order))
				memsuite_block_retire(&block, verdict.bad);
			else
				memsuite_block_give(&block);
		}
		memsuite_hold_end(token);
	} while (!err && !kthread_should_stop());
	WRITE_ONCE(test.untested, test.untested + nr - (test.tested - before));
}

static void range_test_pageblock(unsigned long pfn)
{
	if (!pfn_to_online_page(pfn))
		WRITE_ONCE(test.untested, test.untested + pageblock_nr_pages);
	else if (range_test_claimed(pfn, pageblock_nr_pages))
		range_test_free(pfn, pageblock_nr_pages);
}

static enum range_status range_outcome(void)
{
	if (test.bad)
		return FAIL;
	if (test.pfn < test.end)
		return CANCELLED;
	return test.untested ? PARTIAL : PASS;
}

static int range_thread(void *unused)
{
	unsigned long nr;

	memdiag_algorithm_get(&plan);
	while (test.pfn < test.end && !kthread_should_stop()) {
		cond_resched_tasks_rcu_qs();
		/* The larger the piece, the more faults between pages it shows. */
		nr = min(test.end - test.pfn, MEMDIAG_VERDICT_MAX_PAGES);
		if (nr < MEMDIAG_VERDICT_MAX_PAGES ||
		    !IS_ALIGNED(test.pfn, MEMDIAG_VERDICT_MAX_PAGES) ||
		    range_test_claimed(test.pfn, nr)) {
			range_test_pageblock(test.pfn);
			nr = pageblock_nr_pages;
		}
		WRITE_ONCE(test.pfn, test.pfn + nr);
	}
	/* Pairs with range_status(): a reader of the outcome sees the counts. */
	smp_store_release(&test.status, range_outcome());
	while (!kthread_should_stop())
		schedule_timeout_interruptible(MAX_SCHEDULE_TIMEOUT);
	return 0;
}

static void range_stop_thread(void)
{
	if (!thread)
		return;
	kthread_stop(thread);
	put_task_struct(thread);
	thread = NULL;
	/* A thread that was stopped before its first step never came that far. */
	if (test.status == RUNNING)
		test.status = CANCELLED;
}

bool memdiag_range_running(void)
{
	return range_status() == RUNNING;
}

static int range_start(u64 from, u64 to)
{
	unsigned long first = ALIGN_DOWN(PHYS_PFN(from), pageblock_nr_pages);
	unsigned long end = ALIGN(PHYS_PFN(to - 1) + 1, pageblock_nr_pages);

	if (memdiag_range_running())
		return -EBUSY;
	if (!pfn_to_online_page(PHYS_PFN(from)) ||
	    !pfn_to_online_page(PHYS_PFN(to - 1)))
		return -ENXIO;
	range_stop_thread();
	thread = kthread_create(range_thread, NULL, "memdiag-range");
	if (IS_ERR(thread)) {
		int err = PTR_ERR(thread);

		thread = NULL;
		return err;
	}
	get_task_struct(thread);
	test = (struct range_test) {
		.start = first, .end = end, .pfn = first,
		.begun = ktime_get(), .status = RUNNING,
	};
	wake_up_process(thread);
	return 0;
}

int memdiag_range_begin(u64 from, u64 to)
{
	int err;

	mutex_lock(&range_lock);
	err = range_start(from, to);
	mutex_unlock(&range_lock);
	return err;
}

void memdiag_range_stop(void)
{
	mutex_lock(&range_lock);
	range_stop_thread();
	mutex_unlock(&range_lock);
}

static ssize_t run_test_store(struct kobject *kobj, struct kobj_attribute *attr,
			      const char *buf, size_t count)
{
	char line[64];
	u64 from, to;
	int err;

	err = memsuite_parse_line(buf, count, line, sizeof(line));
	if (err)
		return err == -E2BIG ? -EINVAL : err;
	err = memsuite_parse_range(line, &from, &to);
	if (err)
		return err;
	err = memdiag_range_begin(from, to);
	return err ?: count;
}

static int range_cancel(u64 unused)
{
	memdiag_range_stop();
	return 0;
}

MEMSUITE_ATTR_COMMAND(cancel, range_cancel, 1, 1);

static ssize_t status_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  status_name[range_status()]);
}

static ssize_t range_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "0x%llx-0x%llx\n", (u64)PFN_PHYS(test.start),
			  (u64)PFN_PHYS(test.end));
}

static unsigned long range_pages_done(void)
{
	return READ_ONCE(test.pfn) - test.start;
}

static ssize_t progress_pct_show(struct kobject *kobj,
				 struct kobj_attribute *attr, char *buf)
{
	unsigned long all = test.end - test.start;

	return sysfs_emit(buf, "%lu\n", all ? range_pages_done() * 100 / all : 0);
}

static ssize_t eta_s_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	unsigned long done = range_pages_done();
	u64 eta = 0;

	if (range_status() == RUNNING && done)
		eta = ktime_ms_delta(ktime_get(), test.begun) *
		      (test.end - test.start - done) / done / MSEC_PER_SEC;
	return sysfs_emit(buf, "%llu\n", eta);
}

MEMSUITE_ATTR_NUMBER_RO(tested_pages, READ_ONCE(test.tested));
MEMSUITE_ATTR_NUMBER_RO(untested_pages, READ_ONCE(test.untested));
MEMSUITE_ATTR_NUMBER_RO(bad_pages, READ_ONCE(test.bad));

static struct kobj_attribute run_test_attr = __ATTR_WO(run_test);
static struct kobj_attribute status_attr = __ATTR_RO(status);
static struct kobj_attribute range_attr = __ATTR_RO_MODE(range, 0400);
static struct kobj_attribute progress_pct_attr = __ATTR_RO(progress_pct);
static struct kobj_attribute eta_s_attr = __ATTR_RO(eta_s);

static struct attribute *range_attrs[] = {
	&run_test_attr.attr, &cancel_attr.attr, &status_attr.attr,
	&range_attr.attr, &progress_pct_attr.attr, &eta_s_attr.attr,
	&tested_pages_attr.attr, &untested_pages_attr.attr,
	&bad_pages_attr.attr, NULL
};

const struct attribute_group memdiag_range_group = {
	.name = "range",
	.attrs = range_attrs,
};
