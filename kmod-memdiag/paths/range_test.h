/* SPDX-License-Identifier: GPL-2.0-only */
/* The test of a range on demand. */
#ifndef MEMDIAG_PATHS_RANGE_TEST_H
#define MEMDIAG_PATHS_RANGE_TEST_H

#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "march/engine.h"
#include "result/verdict.h"

struct task_struct;

enum memdiag_range_status {
	MEMDIAG_RANGE_UNTESTED,
	MEMDIAG_RANGE_RUNNING,
	MEMDIAG_RANGE_PASS,
	MEMDIAG_RANGE_FAIL,
	MEMDIAG_RANGE_PARTIAL,
	MEMDIAG_RANGE_CANCELLED,
};

/**
 * struct memdiag_range_test - the test of a range that runs, or the last one
 *
 * Everyone who asks for tests has one, so that nobody takes the result of another for
 * its own.
 *
 * @lock: starting and stopping
 * @start: first frame, of a pageblock
 * @end: first frame behind the range, likewise
 * @pfn: how far it got
 * @begun: when
 * @tested: pages
 * @untested: pages that could not be had, or that a CPU tested whose word is in doubt
 * @bad: pages
 * @status: its outcome; see memdiag_range_test_status()
 * @thread: tests, or has tested and waits to be stopped
 * @verdict: of the thread
 * @plan: likewise, the march
 */
struct memdiag_range_test {
	struct mutex lock;	/* see above */
	unsigned long start, end, pfn;
	ktime_t begun;
	unsigned long tested, untested, bad;
	enum memdiag_range_status status;
	struct task_struct *thread;
	struct memdiag_verdict verdict;
	struct memdiag_engine_test plan;
};

#define MEMDIAG_RANGE_TEST(name) { .lock = __MUTEX_INITIALIZER((name).lock) }

/**
 * memdiag_range_test_begin() - begin the test of a range of memory
 * @test: none of it is running
 * @from: first byte, physical
 * @to: first byte behind it
 *
 * The pageblocks that it touches are tested, by a thread.
 *
 * Context: may sleep.
 * Return: 0, -EBUSY (it is running), -ENXIO (no memory there) or -ENOMEM.
 */
int memdiag_range_test_begin(struct memdiag_range_test *test, u64 from, u64 to);
/* Once it is no longer MEMDIAG_RANGE_RUNNING, the counts are those of the outcome. */
enum memdiag_range_status memdiag_range_test_status(const struct memdiag_range_test *test);
/* Cancel it, if it is running. May sleep. */
void memdiag_range_test_stop(struct memdiag_range_test *test);

#endif
