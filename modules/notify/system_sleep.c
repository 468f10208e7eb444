// SPDX-License-Identifier: GPL-2.0-only
/* Suspend and hibernation: nothing is held meanwhile, and clocks have stood still. */

#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "frame/alloc_stats_private.h"
#include "frame/buddy_isolate.h"
#include "notify/system_sleep.h"
#include "pool/pool_drain.h"

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
		err = memsuite_pools_give_back(0, ULONG_MAX);
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

int memsuite_system_sleep_init(void)
{
	int err = register_pm_notifier(&sleep_block);

	if (!err)
		memsuite_alloc_stats_awake();
	return err;
}

void memsuite_system_sleep_exit(void)
{
	unregister_pm_notifier(&sleep_block);
}
