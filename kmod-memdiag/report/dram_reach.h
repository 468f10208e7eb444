/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the reads of a test come from memory, told by how long they take. */
#ifndef MEMDIAG_REPORT_DRAM_REACH_H
#define MEMDIAG_REPORT_DRAM_REACH_H

#include "march/engine_types.h"

/**
 * struct reach - how long reads took, in cycles of the time stamp counter
 * @tested: of lines that the engine has just written: the first read of a test
 * @cached: of lines that are in the first cache
 * @memory: of lines that were flushed from all caches
 *
 * Medians; what the reading of the counter takes is in all of them.
 */
struct reach {
	unsigned int tested;
	unsigned int cached;
	unsigned int memory;
};

enum reach_verdict {
	REACH_UNKNOWN,	/* not measured, or memory is as fast as the cache */
	REACH_YES,
	REACH_NO,
};

/**
 * reach_measure() - take the times
 * @block: memory of the caller, larger than a strip; its contents are lost
 * @method: of the engine
 * @reach: result
 *
 * Context: may sleep.
 */
void reach_measure(const struct engine_block *block, enum engine_method method,
		   struct reach *reach);

/* What the times tell. Pure. */
enum reach_verdict reach_verdict(const struct reach *reach);

#endif
