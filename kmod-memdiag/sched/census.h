/* SPDX-License-Identifier: GPL-2.0-only */
/* How much memory there is of each use, and how long ago it was tested. */
#ifndef MEMDIAG_SCHED_CENSUS_H
#define MEMDIAG_SCHED_CENSUS_H

#include <linux/types.h>

enum memdiag_use {
	MEMDIAG_FREE,
	MEMDIAG_USER,
	MEMDIAG_PAGE_CACHE,
	MEMDIAG_HUGETLB,
	MEMDIAG_PINNED,
	MEMDIAG_KERNEL,
	MEMDIAG_NR_USES,
};

/* Ages are sorted by 64ths of the lifetime of a test, up to two of them. */
#define MEMDIAG_LIFETIME_BUCKETS	64
#define MEMDIAG_AGE_BUCKETS		(2 * MEMDIAG_LIFETIME_BUCKETS)

/**
 * struct memdiag_use_count - the pages of one use
 * @pages: all of them
 * @tested: those with a whole test that has not expired
 * @partly: those with one that has not, but was less
 * @untested: those without any
 * @oldest_s: the age of the oldest whole test
 * @whole: those that have one
 * @ages: of these
 */
struct memdiag_use_count {
	u64 pages;
	u64 tested;
	u64 partly;
	u64 untested;
	u64 whole;
	unsigned int oldest_s;
	u64 ages[MEMDIAG_AGE_BUCKETS];
};

/**
 * struct memdiag_census - all memory, counted once
 * @uses: by use
 * @lifetime_s: how long a test was good for then
 * @end: when that was, in jiffies; 0: never yet
 * @took_ms: how long it took
 */
struct memdiag_census {
	struct memdiag_use_count uses[MEMDIAG_NR_USES];
	unsigned int lifetime_s;
	unsigned long end;
	unsigned int took_ms;
};

/* Count again in the background, if the last counts are old. Context: any. */
void memdiag_census_renew(void);

/*
 * The last counts, until memdiag_census_put(); or NULL: it was just switched on or off. Asks for
 * new ones, and waits for these if that is quick, or if there are none yet. Context: may sleep;
 * locks census_lock.
 */
const struct memdiag_census *memdiag_census_get(void);

void memdiag_census_put(void);

/* Forget what was counted, for tests are remembered anew. Context: may sleep. */
void memdiag_census_restart(void);

/* Context: may sleep. Return: 0 or -ENOMEM. */
int memdiag_census_init(void);

/* Context: may sleep. Nobody asks any more. */
void memdiag_census_exit(void);

#endif
