// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a hook hands out never passes the kernel's allocator, which would count it
 * and tell of it: that is done here.
 */

#include <linux/errno.h>

#include "frame/handed.h"
#include "kernel/tracepoints_private.h"

/* Its type is compared with the tracepoint's. */
typedef typeof(memsuite_alloc_stats_listener) handed_listener;

struct tracepoint *memsuite_handed_point;

static noinline void tell(const struct tracepoint_func *listener, struct page *page,
			  unsigned int order, gfp_t gfp)
{
	for (; listener->func; listener++)
		if (listener->func != memsuite_alloc_stats_listener)
			((handed_listener *)listener->func)(listener->data, page, order, gfp,
							    MIGRATE_MOVABLE);
}

/* Our own listener counts what is handed out without being told; mostly it is alone. */
void memsuite_handed_tell(struct page *page, unsigned int order, gfp_t gfp)
{
	memsuite_trace_guard guard = memsuite_trace_enter();
	const struct tracepoint_func *listener =
		rcu_dereference_raw(memsuite_handed_point->funcs);

	if (listener && (listener->func != memsuite_alloc_stats_listener || listener[1].func))
		tell(listener, page, order, gfp);
	memsuite_trace_exit(guard);
}

int memsuite_handed_init(void)
{
	memsuite_handed_point = memsuite_tracepoint_find("mm_page_alloc");
	return memsuite_handed_point ? 0 : -EOPNOTSUPP;
}
