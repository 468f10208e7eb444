/* SPDX-License-Identifier: GPL-2.0-only */
/* The test of a range on demand. */
#ifndef MEMDIAG_PATHS_RANGE_H
#define MEMDIAG_PATHS_RANGE_H

#include <linux/types.h>

struct attribute_group;

extern const struct attribute_group memdiag_range_group;

/**
 * memdiag_range_begin() - begin the test of a range of memory
 * @from: first byte, physical
 * @to: first byte behind it
 *
 * The pageblocks that it touches are tested, by a thread.
 *
 * Context: may sleep.
 * Return: 0, -EBUSY (a test is running), -ENXIO (no memory there) or -ENOMEM.
 */
int memdiag_range_begin(u64 from, u64 to);
/* Whether a test is running. */
bool memdiag_range_running(void);
/* Cancel it, if one is. May sleep. */
void memdiag_range_stop(void);

#endif
