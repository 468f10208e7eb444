// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a hook hands out never passes the kernel's allocator, which would count it
 * and tell of it: that is done here.
 */

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/tracepoint.h>
#include <linux/vmstat.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <compat/vmstat.h>

#include "frame/alloc_stats_private.h"
#include "frame/handed.h"
#include "kernel/tracepoints_private.h"

typedef void handed_listener(void *data, struct page *page, unsigned int order, gfp_t gfp,
			     int migratetype);

static struct tracepoint *alloc_point;

/* Our own listener counts what is handed out without being told. */
static noinline void handed_tell(struct page *page, unsigned int order, gfp_t gfp)
{
	const struct tracepoint_func *listener;
	memsuite_trace_guard guard = memsuite_trace_enter();

	listener = rcu_dereference_raw(alloc_point->funcs);
	for (; listener && listener->func; listener++)
		if (listener->func != memsuite_alloc_stats_listener)
			((handed_listener *)listener->func)(listener->data, page, order, gfp,
							    MIGRATE_MOVABLE);
	memsuite_trace_exit(guard);
}

void memsuite_frame_handed(struct page *page, gfp_t gfp)
{
	unsigned int order = memsuite_page_order(page);
	struct zone *zone = page_zone(page);

	count_vm_events(PGALLOC_NORMAL - ZONE_NORMAL + zone_idx(zone), 1 << order);
	memsuite_vmstat_count_node(zone);
	memsuite_alloc_stats_handed(page);
	if (unlikely(static_key_enabled(&alloc_point->key)))
		handed_tell(page, order, gfp);
}

int memsuite_handed_init(void)
{
	alloc_point = memsuite_tracepoint_find("mm_page_alloc");
	return alloc_point ? 0 : -EOPNOTSUPP;
}
