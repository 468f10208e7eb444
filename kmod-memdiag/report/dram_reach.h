/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the reads of a test come from memory, told by how long they take. */
#ifndef MEMDIAG_REPORT_DRAM_REACH_H
#define MEMDIAG_REPORT_DRAM_REACH_H

#include "march/engine_types.h"

/**
 * struct memdiag_dram_reach - how long reads took, in cycles of the time stamp counter
 * @tested: of lines that the engine has just written: the first read of a test
 * @cached: of lines that are in the first cache
 * @memory: of lines that were flushed from all caches
 *
 * Medians; what the reading of the counter takes is in all of them.
 */
struct memdiag_dram_reach {
	unsigned int tested;
	unsigned int cached;
	unsigned int memory;
};

enum memdiag_dram_reach_verdict {
	MEMDIAG_REACH_UNKNOWN,	/* not measured, or memory is as fast as the cache */
	MEMDIAG_REACH_YES,
	MEMDIAG_REACH_NO,
};

/**
 * memdiag_dram_reach_measure() - take the times
 * @block: memory of the caller, larger than a strip; its contents are lost
 * @method: of the engine
 * @reach: result
 *
 * Context: may sleep.
 */
void memdiag_dram_reach_measure(const struct memdiag_engine_block *block,
				enum memdiag_engine_method method,
				struct memdiag_dram_reach *reach);

/* What the times tell. Pure. */
enum memdiag_dram_reach_verdict memdiag_dram_reach_judge(const struct memdiag_dram_reach *reach);

#endif
