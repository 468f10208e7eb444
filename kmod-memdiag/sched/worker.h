/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads that test, for the controller that directs them. */
#ifndef MEMDIAG_SCHED_WORKER_H
#define MEMDIAG_SCHED_WORKER_H

#include <linux/types.h>

#include <memsuite/memdiag_registry.h>

#include "sched/extra_tests.h"

struct memdiag_engine_test;
struct memdiag_verdict;

/* Start the threads, without work. May sleep. Returns 0 or -ENOMEM. */
int memdiag_worker_start(void);
void memdiag_worker_stop(void);

/* Begin a sweep over all memory; the last one has ended. May sleep. */
void memdiag_worker_sweep(void);
bool memdiag_worker_sweeping(void);

/* How many threads take part, of those that there are, and how thoroughly. */
void memdiag_worker_configure(struct memdiag_config wanted);
unsigned int memdiag_worker_fidelity(void);
unsigned int memdiag_worker_threads(void);
unsigned int memdiag_worker_threads_max(void);

/*
 * Let them test @pages more pages, but save up no more than @most: what is left
 * beyond that of earlier grants is lost.
 */
void memdiag_worker_grant(u64 pages, u64 most);
/*
 * For others who test on the workers' budget: whether there is some left; to wait for it, for so
 * many jiffies at most; that it was used; and that they are at it.
 */
bool memdiag_worker_may_test(void);
void memdiag_worker_await(unsigned long timeout);
void memdiag_worker_spend(u64 pages);
void memdiag_worker_enter(void);
void memdiag_worker_leave(void);
/* Keep them from beginning with another block, or let them again. */
void memdiag_worker_hold(bool hold);
/* Whether a block is being tested, or about to be. */
bool memdiag_worker_at_work(void);
/* Let them test as fast as they can. */
void memdiag_worker_unpace(void);

/* Pages that one thread tests in a second at fidelity 1, as measured; or 0. */
u64 memdiag_worker_bandwidth(void);
/*
 * Likewise in a second of CPU time, in the last whole sweep: the same on a busy machine, whose
 * threads wait.
 */
u64 memdiag_worker_cpu_speed(void);

/* Pages tested so far, by all; how many sweeps have ended, and how far this one is. */
u64 memdiag_worker_tested_pages(void);
u64 memdiag_worker_passes(void);
unsigned int memdiag_worker_progress_pct(void);

/* Seconds until the sweep ends, if it goes on as so far; 0: there is none, or that is unknown. */
u64 memdiag_worker_eta_s(void);

/* Pages tested so far by a thread on another node than that of the pages. */
u64 memdiag_worker_remote_pages(void);

/**
 * memdiag_worker_test() - test frames that the caller holds
 * @verdict: result
 * @test: the test
 * @pfn: first frame
 * @nr: how many, at most MEMDIAG_VERDICT_MAX_PAGES
 * @fidelity: number of backgrounds
 * @ends: asked between two backgrounds, or NULL
 *
 * Notes the time of the test for each frame, and counts the frames, unless @ends has ended
 * it. Their contents are lost.
 *
 * Context: may sleep.
 * Return: false if it was ended; what it has found by then is in @verdict.
 */
bool memdiag_worker_test(struct memdiag_verdict *verdict, const struct memdiag_engine_test *test,
			 unsigned long pfn, unsigned long nr, unsigned int fidelity,
			 memdiag_ends_fn *ends);

/*
 * For threads that test: whether the thread is to stop, or somebody waits for the memory
 * that it holds. A test can take minutes: with delays, and many backgrounds.
 */
bool memdiag_worker_ends(void);

#endif
