/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests of what the thread that moves memory in use holds (inuse.h), on the workers' budget. */
#ifndef MEMDIAG_PATHS_HELD_TEST_H
#define MEMDIAG_PATHS_HELD_TEST_H

#include <linux/types.h>

/**
 * memdiag_held_test() - test frames as a sweep does
 * @pfn: first frame
 * @nr: how many, at most MEMDIAG_VERDICT_MAX_PAGES
 *
 * Context: the thread that moves memory in use; may sleep. The contents are lost.
 * Return: those that are to be retired, bit 0 is @pfn, until the next call; NULL if there is none.
 */
const unsigned long *memdiag_held_test(unsigned long pfn, unsigned long nr);

#endif
