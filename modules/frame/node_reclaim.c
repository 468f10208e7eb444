// SPDX-License-Identifier: GPL-2.0-only
/* Room on a node whose memory is full of page cache; include/memsuite/node_reclaim.h. */

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/vmstat.h>

#include <memsuite/node_reclaim.h>

#include "kernel/unexported_calls.h"

/* So much page cache, and this part of the node, is left to the kernel's own judgement. */
#define LEAST_CACHE_PAGES	(SZ_32M >> PAGE_SHIFT)
#define CACHE_SHIFT		6

static bool node_has_idle_cache(const pg_data_t *pgdat)
{
	unsigned long least = max_t(unsigned long, LEAST_CACHE_PAGES,
				    pgdat->node_present_pages >> CACHE_SHIFT);

	return atomic_long_read(&pgdat->vm_stat[NR_INACTIVE_FILE]) > (long)least;
}

/* The highest one with memory for programs; NULL if there is none. */
static struct zone *node_top_zone(pg_data_t *pgdat)
{
	int i;

	for (i = ZONE_MOVABLE; i >= 0; i--)
		if (populated_zone(&pgdat->node_zones[i]))
			return &pgdat->node_zones[i];
	return NULL;
}

bool memsuite_node_reclaim_cache(int nid)
{
	pg_data_t *pgdat = NODE_DATA(nid);
	struct zone *zone = node_top_zone(pgdat);

	if (!zone || zone_page_state(zone, NR_FREE_PAGES) >= high_wmark_pages(zone) ||
	    !node_has_idle_cache(pgdat))
		return false;
	memsuite_kcall_wakeup_kswapd(zone);
	return true;
}
EXPORT_SYMBOL_GPL(memsuite_node_reclaim_cache);

bool memsuite_node_has_room(int nid, unsigned long pages)
{
	struct zone *zone = node_top_zone(NODE_DATA(nid));

	return zone && zone_page_state(zone, NR_FREE_PAGES) > low_wmark_pages(zone) + pages;
}
EXPORT_SYMBOL_GPL(memsuite_node_has_room);

void memsuite_node_make_room(int nid, unsigned long pages)
{
	unsigned long end = jiffies + HZ / 10;

	while (!memsuite_node_has_room(nid, pages) && memsuite_node_reclaim_cache(nid) &&
	       time_before(jiffies, end))
		schedule_timeout_killable(1);
}
EXPORT_SYMBOL_GPL(memsuite_node_make_room);
