/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocation demand per zone and order (COMeT, appendix A.1.3), and the test
 * stamp of every page that it is counted by.
 *
 * While it is on, every page carries the second in which it was last tested.
 * An allocation finds its pages tested, expired (tested, but longer ago than
 * the lifetime of a test) or untested; a page that comes back from its user is
 * untested again.
 */
#ifndef MEMSUITE_DEMAND_H
#define MEMSUITE_DEMAND_H

#include <memsuite/block.h>

/**
 * ms_demand_start() - begin to count, with every page untested
 * @lifetime_s: how long a test is good for, in seconds
 *
 * Context: may sleep.
 * Return: 0, -EBUSY (on already), -ENOMEM, -EOPNOTSUPP (no tracepoints).
 */
int ms_demand_start(unsigned int lifetime_s);

/**
 * ms_demand_stop() - stop counting and forget all stamps
 *
 * Context: may sleep.
 */
void ms_demand_stop(void);

/**
 * ms_demand_set_lifetime() - change how long a test is good for
 * @lifetime_s: seconds
 */
void ms_demand_set_lifetime(unsigned int lifetime_s);

/**
 * ms_demand_tested() - stamp a held block as tested now
 * @block: about to be given back by the caller
 */
void ms_demand_tested(const struct ms_block *block);

/**
 * ms_demand_age_s() - how long ago a free page was tested
 * @pfn: its frame
 *
 * Return: seconds, or UINT_MAX if it is untested.
 */
unsigned int ms_demand_age_s(unsigned long pfn);

#endif
