/* SPDX-License-Identifier: GPL-2.0-only */
/* Where memory ends. */
#ifndef MEMDIAG_SCHED_MEMORY_SPAN_H
#define MEMDIAG_SCHED_MEMORY_SPAN_H

#include <linux/minmax.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>

/* The first frame behind all memory there is; memory may come, and go. Context: any. */
static inline unsigned long memdiag_memory_end_pfn(void)
{
	unsigned long end = 0;
	int nid;

	for_each_node_state(nid, N_MEMORY)
		end = max(end, node_end_pfn(nid));
	return end;
}

#endif
