/* SPDX-License-Identifier: GPL-2.0-only */
/* How far the testers back off under pressure. Pure logic. */
#ifndef MEMDIAG_SCHED_BACKOFF_H
#define MEMDIAG_SCHED_BACKOFF_H

#include <linux/types.h>

/**
 * struct backoff_stall - the share of time in which somebody waits, in percent
 * @memory: for memory
 * @cpu: for a CPU
 */
struct backoff_stall {
	unsigned int memory;
	unsigned int cpu;
};

/**
 * backoff_pressed() - whether there is too much pressure
 * @stall: as measured
 * @limits: most that is put up with; 0: whatever it is
 */
bool backoff_pressed(const struct backoff_stall *stall,
		     const struct backoff_stall *limits);

/**
 * backoff_next() - what the testers get from now on of what they could use
 * @share_pct: what they got until now, 1 to 100 percent
 * @pressed: there is too much pressure
 *
 * Return: half of it, or some more, 1 to 100 percent.
 */
unsigned int backoff_next(unsigned int share_pct, bool pressed);

/**
 * backoff_pages() - pages that may be tested
 * @pages: without pressure
 * @guarantee: what it takes for tests not to expire
 * @share_pct: from backoff_next()
 *
 * Return: the share, but no less than the guarantee if @pages are as many.
 */
u64 backoff_pages(u64 pages, u64 guarantee, unsigned int share_pct);

/**
 * backoff_fidelity() - the largest fidelity that a policy may choose
 * @least: the administrator's limit
 * @most: likewise
 * @share_pct: from backoff_next()
 *
 * The guarantee is of pages: what each of them takes is to shrink as well.
 */
unsigned int backoff_fidelity(unsigned int least, unsigned int most,
			      unsigned int share_pct);

#endif
