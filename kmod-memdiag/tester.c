// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tester thread: sweeps over all memory, takes each free block, marches
 * over the whole of it, and gives it back, or retires what is bad of it.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include <compat/compat.h>
#include <memsuite/block.h>
#include <memsuite/demand.h>

#include "engine.h"
#include "memdiag.h"

/* How long to leave a zone alone that is short of memory. */
#define SHORT_JIFFIES	(HZ / 20)

/* In pairs with their complements; one for each pass, in turn. */
static const u64 backgrounds[] = {
	0, 0x5555555555555555ULL, 0x3333333333333333ULL, 0x0f0f0f0f0f0f0f0fULL,
};

DEFINE_MUTEX(settings_lock);	/* what sysfs changes and a sweep reads */
const struct march_named *tester_algorithm;
unsigned int tester_lifetime_s = 180;	/* COMeT, table 1 */

static struct task_struct *thread;
static u64 tested_pages;
static u64 passes;
static unsigned int progress_pct;

/**
 * struct block_test - a block under test
 * @block: the block
 * @bad: its bad pages
 * @findings: what was first found wrong with each, up to a limit
 * @nr_findings: how many
 */
struct block_test {
	struct ms_block block;
	DECLARE_BITMAP(bad, 1UL << MS_MAX_ORDER);
	struct finding findings[16];
	unsigned int nr_findings;
};

/* Allocated once, so that testing needs no memory. Only the thread uses it. */
static struct block_test block_test;
static struct march_test march;

static struct finding *finding_of(struct block_test *test, unsigned long pfn)
{
	unsigned int i;

	for (i = 0; i < test->nr_findings; i++)
		if (test->findings[i].pfn == pfn)
			return &test->findings[i];
	return NULL;
}

static void failed(void *context, const struct march_failure *failure)
{
	struct block_test *test = context;
	unsigned long index = failure->word / (PAGE_SIZE / sizeof(u64));
	unsigned long pfn = page_to_pfn(test->block.page) + index;
	struct finding *finding = finding_of(test, pfn);

	__set_bit(index, test->bad);
	if (finding) {
		finding->mask |= failure->mask;
		return;
	}
	if (test->nr_findings == ARRAY_SIZE(test->findings))
		return;
	test->findings[test->nr_findings++] = (struct finding) {
		.pfn = pfn,
		.address = PFN_PHYS(page_to_pfn(test->block.page)) +
			   failure->word * sizeof(u64),
		.mask = failure->mask,
		.element = failure->element,
		.background = failure->background,
		.time = ktime_get_real_seconds(),
	};
}

static void report_findings(struct block_test *test, unsigned long nr)
{
	unsigned long base = page_to_pfn(test->block.page), index;

	/* More bad pages than there is room for details of: by page only. */
	for_each_set_bit(index, test->bad, nr) {
		struct finding bare = {
			.pfn = base + index,
			.address = PFN_PHYS(base + index),
			.time = ktime_get_real_seconds(),
		};

		findings_add(finding_of(test, base + index) ?: &bare);
	}
}

static void test_block(struct block_test *test, u64 background)
{
	unsigned long nr = 1UL << test->block.order;

	bitmap_zero(test->bad, nr);
	test->nr_findings = 0;
	engine_run(&march, page_address(test->block.page),
		   nr * (PAGE_SIZE / sizeof(u64)), background, failed, test);
	ms_demand_tested(&test->block);
	WRITE_ONCE(tested_pages, tested_pages + nr);
	if (bitmap_empty(test->bad, nr)) {
		ms_block_give(&test->block);
	} else {
		report_findings(test, nr);
		ms_block_retire(&test->block, test->bad);
	}
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
	};
	int err, token;

	while (!kthread_should_stop()) {
		/* Unhooking a function waits for every task to pass here. */
		cond_resched_tasks_rcu_qs();
		token = ms_hold_begin();
		err = ms_block_take(&scan, &block_test.block);
		if (!err)
			test_block(&block_test, background);
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
	u64 background = backgrounds[passes % ARRAY_SIZE(backgrounds)];
	unsigned long done = 0, total = 0;
	unsigned int at;
	int nid;

	mutex_lock(&settings_lock);
	march_parse(tester_algorithm->text, &march, &at);
	mutex_unlock(&settings_lock);
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
	thread = kthread_create(tester, NULL, "memdiag");
	if (IS_ERR(thread)) {
		err = PTR_ERR(thread);
		thread = NULL;
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
	ms_demand_stop();
}

bool tester_running(void)
{
	return thread;
}

u64 tester_tested_pages(void)
{
	return READ_ONCE(tested_pages);
}

u64 tester_passes(void)
{
	return READ_ONCE(passes);
}

unsigned int tester_progress_pct(void)
{
	return READ_ONCE(progress_pct);
}
