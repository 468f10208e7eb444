// SPDX-License-Identifier: GPL-2.0-only
/*
 * The occasions on which the suite gives back the pages that it holds: memory
 * pressure, out of memory, memory offlining, hibernation; and the files that
 * tell how many it holds.
 */

#include <linux/err.h>
#include <linux/memory.h>
#include <linux/oom.h>
#include <linux/suspend.h>

#include <compat/compat.h>
#include <compat/shrinker.h>
#include <memsuite/control.h>

#include "frame/alloc_stats_private.h"
#include "frame/held_pages_private.h"
#include "frame/hwpoison.h"
#include "frame/isolate.h"
#include "frame/test_age.h"
#include "pool/pool_drain.h"
#include "region/regions.h"
#include "retire/give_back.h"
#include "retire/hotplug_private.h"

/*
 * A holder of pages may be retiring one, for which the kernel takes locks that are
 * held while memory goes offline. Offlining then fails, to be tried another time.
 */
#define HOLD_JIFFIES	(30 * HZ)

static struct kobject *dir;

static unsigned long shrink_count(struct shrinker *shrinker,
				  struct shrink_control *control)
{
	unsigned long pages = memsuite_pools_pages();

	return pages ?: SHRINK_EMPTY;
}

static unsigned long shrink_scan(struct shrinker *shrinker,
				 struct shrink_control *control)
{
	unsigned long freed = memsuite_pools_shrink(control->nr_to_scan);

	return freed ?: SHRINK_STOP;
}

static int oom_notify(struct notifier_block *block,
		      unsigned long unused, void *freed)
{
	*(unsigned long *)freed += memsuite_pools_drain(0, ULONG_MAX);
	return NOTIFY_OK;
}

static struct notifier_block oom_block = {
	.notifier_call = oom_notify,
};

/*
 * Twice: a refill thread that got a block during the first time has put it into its
 * pool by the second, and rests.
 */
static int give_back_range(unsigned long start_pfn, unsigned long end_pfn)
{
	int times;

	for (times = 0; times < 2; times++) {
		if (!memsuite_hold_wait_for(HOLD_JIFFIES))
			return -EBUSY;
		memsuite_pools_drain(start_pfn, end_pfn);
	}
	return 0;
}

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
		/* It may be another DIMM's by now. */
		memsuite_test_age_set(range->start_pfn, range->nr_pages, 0);
		break;
	case MEM_ONLINE:
		memsuite_regions_grow(range->start_pfn, range->nr_pages);
		memsuite_hotplug_retire();
		break;
	case MEM_GOING_OFFLINE:
		err = give_back_range(range->start_pfn,
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

/*
 * Pages that are held are marked offline, and the image of a hibernation has
 * none of these: what is cleared, or is being tested, would not be what it was.
 * From before its processes are frozen until they run again, nobody holds one.
 */
static int sleep_notify(struct notifier_block *block, unsigned long action,
			void *unused)
{
	int err = 0;

	switch (action) {
	case PM_HIBERNATION_PREPARE:
		memsuite_frames_withhold(true);
		err = give_back_range(0, ULONG_MAX);
		if (err)
			memsuite_frames_withhold(false);
		break;
	case PM_POST_HIBERNATION:
		memsuite_frames_withhold(false);
		memsuite_alloc_stats_awake();
		break;
	case PM_POST_SUSPEND:
		memsuite_alloc_stats_awake();
		break;
	}
	return notifier_from_errno(err);
}

static struct notifier_block sleep_block = {
	.notifier_call = sleep_notify,
};

MEMSUITE_ATTR_NUMBER_RO(held_pages, memsuite_held_pages_count() + memsuite_pools_pages());
MEMSUITE_ATTR_NUMBER_RO(retired_pages, memsuite_hwpoison_count());
MEMSUITE_ATTR_NUMBER_RO(metadata_bytes, memsuite_test_age_bytes());

static struct attribute *pages_attrs[] = {
	&held_pages_attr.attr, &retired_pages_attr.attr,
	&metadata_bytes_attr.attr, NULL
};
ATTRIBUTE_GROUPS(pages);

int memsuite_give_back_init(void)
{
	int err;

	dir = memsuite_control_add("pages", pages_groups);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	err = memsuite_shrinker_register(shrink_count, shrink_scan, 0);
	if (err)
		goto err_shrinker;
	err = register_oom_notifier(&oom_block);
	if (err)
		goto err_oom;
	err = register_memory_notifier(&memory_block);
	if (err)
		goto err_memory;
	err = register_pm_notifier(&sleep_block);
	if (err)
		goto err_sleep;
	memsuite_alloc_stats_awake();
	return 0;

err_sleep:
	unregister_memory_notifier(&memory_block);
err_memory:
	unregister_oom_notifier(&oom_block);
err_oom:
	memsuite_shrinker_unregister();
err_shrinker:
	memsuite_control_del(dir);
	return err;
}

void memsuite_give_back_exit(void)
{
	unregister_pm_notifier(&sleep_block);
	unregister_memory_notifier(&memory_block);
	unregister_oom_notifier(&oom_block);
	memsuite_shrinker_unregister();
	memsuite_control_del(dir);
}
