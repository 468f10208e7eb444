/* SPDX-License-Identifier: GPL-2.0-only */
/* Asteroid's optimisations, section 5.2.3; cache-indirect testing is a method. */
#ifndef MEMDIAG_SCHED_OPTIMISATIONS_H
#define MEMDIAG_SCHED_OPTIMISATIONS_H

#include <linux/sysfs.h>

/**
 * struct memdiag_optimisations - each 0 or 1, read and written by itself
 * @core_local: pages are tested on demand by whoever asks for them, at once,
 *	and not one after the other on the whole machine
 * @recycle: free pages in pools and per-CPU lists are exchanged for tested ones
 *	when a sweep begins
 * @skip_middle: blocks of the middle orders are left out of the sweeps
 * @node_local: a worker runs on the node of the memory that it tests
 */
struct memdiag_optimisations {
	unsigned int core_local;
	unsigned int recycle;
	unsigned int skip_middle;
	unsigned int node_local;
};

extern struct memdiag_optimisations memdiag_optimisations;
extern const struct attribute_group memdiag_optimisations_group;

#endif
