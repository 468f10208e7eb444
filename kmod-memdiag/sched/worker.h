/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads that test, for the controller that directs them. */
#ifndef MEMDIAG_SCHED_WORKER_H
#define MEMDIAG_SCHED_WORKER_H

#include <linux/types.h>

#include <memsuite/memdiag_registry.h>

struct engine_test;
struct verdict;

/* Start the threads, without work. May sleep. Returns 0 or -ENOMEM. */
int tester_start(void);
void tester_stop(void);

/* Begin a sweep over all memory; the last one has ended. May sleep. */
void tester_sweep(void);
bool tester_sweeping(void);

/* How many threads take part, of those that there are, and how thoroughly. */
void tester_configure(struct memdiag_config wanted);
unsigned int tester_fidelity(void);
unsigned int tester_threads(void);
unsigned int tester_threads_max(void);

/*
 * Let them test so many pages more, but save up no more than @most. If more is
 * left, from when they were granted more, that is lost.
 */
void tester_grant(u64 pages, u64 most);
/* Let none begin with another block for now; whatever else may. */
void tester_hold(bool hold);
/* Whether a block is being tested, or about to be. */
bool tester_at_work(void);
/* Let them test as fast as they can. */
void tester_unpace(void);

/* Pages that one thread tests in a second at fidelity 1, as measured; or 0. */
u64 tester_bandwidth(void);

/* Pages tested so far, by all; how many sweeps have ended, and how far this one is. */
u64 tester_tested_pages(void);
u64 tester_passes(void);
unsigned int tester_progress_pct(void);

/* Pages tested so far by a thread on another node than theirs. */
u64 tester_remote_pages(void);

/**
 * tester_test() - test frames that the caller holds
 * @verdict: result
 * @test: the test
 * @pfn: first frame
 * @nr: how many, at most VERDICT_MAX_PAGES
 * @fidelity: number of backgrounds
 *
 * Stamps the frames as tested and counts them. Their contents are lost.
 *
 * Context: may sleep.
 */
void tester_test(struct verdict *verdict, const struct engine_test *test,
		 unsigned long pfn, unsigned long nr, unsigned int fidelity);

#endif
