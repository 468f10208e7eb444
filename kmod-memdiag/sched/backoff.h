/* SPDX-License-Identifier: GPL-2.0-only */
/* How far the workers back off under pressure. Pure logic. */
#ifndef MEMDIAG_SCHED_BACKOFF_H
#define MEMDIAG_SCHED_BACKOFF_H

#include <linux/types.h>

/**
 * struct memdiag_backoff_stall - the share of time in which some task waits, in percent
 * @memory: for memory
 * @cpu: for a CPU
 */
struct memdiag_backoff_stall {
	unsigned int memory;
	unsigned int cpu;
};

/**
 * memdiag_backoff_pressed() - whether there is too much pressure
 * @stall: as measured
 * @limits: the most that is tolerated; 0: no limit
 *
 * Return: true if there is.
 */
bool memdiag_backoff_pressed(const struct memdiag_backoff_stall *stall,
			     const struct memdiag_backoff_stall *limits);

/**
 * memdiag_backoff_next() - the share of what they could use that workers get next
 * @share_pct: what they got until now, 1 to 100 percent
 * @pressed: there is too much pressure
 *
 * Return: half of it, or some more, 1 to 100 percent.
 */
unsigned int memdiag_backoff_next(unsigned int share_pct, bool pressed);

/**
 * memdiag_backoff_pages() - pages that may be tested
 * @pages: without pressure
 * @guarantee: what it takes for tests not to expire
 * @share_pct: from memdiag_backoff_next()
 *
 * Return: the share, but no less than the guarantee if @pages are as many.
 */
u64 memdiag_backoff_pages(u64 pages, u64 guarantee, unsigned int share_pct);

/**
 * memdiag_backoff_fidelity() - the largest fidelity that a policy may choose
 * @least: the administrator's limit
 * @most: likewise
 * @share_pct: from memdiag_backoff_next()
 *
 * The guarantee of memdiag_backoff_pages() is of pages: the work for each of them
 * shrinks here.
 *
 * Return: the fidelity, @least to @most.
 */
unsigned int memdiag_backoff_fidelity(unsigned int least, unsigned int most,
				      unsigned int share_pct);

#endif
