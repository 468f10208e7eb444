/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the self-test. Context of all: may sleep; one at a time. They return 0;
 * -EOPNOTSUPP: a function differs; -EAGAIN: that cannot be told now, since memory is short or
 * others were at the same pages.
 */
#ifndef MEMSUITE_FRAME_SELF_TEST_PRIVATE_H
#define MEMSUITE_FRAME_SELF_TEST_PRIVATE_H

#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/types.h>

/* Takes only what is there: a load of the module is no reason to evict anything. */
#define MEMSUITE_SELF_TEST_GFP	((GFP_HIGHUSER_MOVABLE & ~__GFP_RECLAIM) | __GFP_NOWARN)

/* Where a kernel differs. */
struct memsuite_self_test_finding {
	const char *function;
	const char *what;
	long found;
	long expected;
};

/* Fills the finding if @found is not @expected. Context: any. */
static inline int memsuite_self_test_expect(struct memsuite_self_test_finding *finding,
					    const char *function, const char *what,
					    long found, long expected)
{
	if (found == expected)
		return 0;
	*finding = (struct memsuite_self_test_finding) { function, what, found, expected };
	return -EOPNOTSUPP;
}

/* self_test_block.c: a free block is taken, made an allocated one, and given back. */
int memsuite_self_test_block(struct memsuite_self_test_finding *finding, int attempt);

/* self_test_move.c: pages of a file of its own are isolated, put back, moved and evicted. */
int memsuite_self_test_move(struct memsuite_self_test_finding *finding, int attempt);

#endif
