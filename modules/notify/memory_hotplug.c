// SPDX-License-Identifier: GPL-2.0-only
/* Memory comes online, and goes offline: what the core does about its pages. */

#include <linux/memory.h>
#include <linux/mm.h>

#include "frame/alloc_stats_private.h"
#include "frame/hwpoison.h"
#include "frame/test_age.h"
#include "notify/memory_hotplug.h"
#include "pool/pool_drain.h"
#include "region/regions.h"
#include "retire/online_inspect_private.h"

/*
 * When memory is going offline, its pageblocks are isolated by now and nothing
 * more is taken out of them. What is held must be free before the kernel looks
 * again, or offlining fails.
 */
static int memory_notify_call(struct notifier_block *block,
			      unsigned long action, void *arg)
{
	struct memory_notify *range = arg;
	int err = 0;

	switch (action) {
	case MEM_GOING_ONLINE:
		memsuite_test_age_extend(range->start_pfn, range->nr_pages);
		memsuite_alloc_stats_add_node(pfn_to_nid(range->start_pfn));
		/* It may be another DIMM's by now. */
		memsuite_test_age_set(range->start_pfn, range->nr_pages, 0);
		break;
	case MEM_ONLINE:
		memsuite_regions_grow(range->start_pfn, range->nr_pages);
		memsuite_online_inspect_retire();
		break;
	case MEM_GOING_OFFLINE:
		err = memsuite_pools_give_back(range->start_pfn,
					       range->start_pfn + range->nr_pages);
		break;
	case MEM_OFFLINE:
		memsuite_hwpoison_forget(range->start_pfn, range->nr_pages);
		break;
	}
	return notifier_from_errno(err);
}

static struct notifier_block memory_block = {
	.notifier_call = memory_notify_call,
};

int memsuite_memory_hotplug_init(void)
{
	return register_memory_notifier(&memory_block);
}

void memsuite_memory_hotplug_exit(void)
{
	/* Waits for a call that goes on, which may leave work behind. */
	unregister_memory_notifier(&memory_block);
	memsuite_online_inspect_flush();
}
