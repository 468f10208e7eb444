/* SPDX-License-Identifier: GPL-2.0-only */
/* Who counts what the kernel allocates, or listens to it, hears of what a hook hands out. */
#ifndef MEMSUITE_FRAME_HANDED_H
#define MEMSUITE_FRAME_HANDED_H

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/tracepoint.h>
#include <linux/vmstat.h>

#include <compat/vmstat.h>

#include "frame/alloc_stats_private.h"

extern struct tracepoint *memsuite_handed_point;	/* mm_page_alloc */

int memsuite_handed_init(void);

void memsuite_handed_tell(struct page *page, unsigned int order, gfp_t gfp);

/*
 * A hook hands a page out: /proc/vmstat counts it, numastat does, and mm_page_alloc tells.
 * Context: any in which a hook answers.
 */
static inline void memsuite_frame_handed(struct page *page, unsigned int order, gfp_t gfp)
{
	count_vm_events(PGALLOC_NORMAL - ZONE_NORMAL + page_zonenum(page), 1UL << order);
	memsuite_vmstat_count_node(page_zone(page));
	memsuite_alloc_stats_handed(page, order);
	if (unlikely(rcu_access_pointer(memsuite_handed_point->funcs)))
		memsuite_handed_tell(page, order, gfp);
}

#endif
