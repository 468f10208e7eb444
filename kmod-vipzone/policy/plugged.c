// SPDX-License-Identifier: GPL-2.0-only
/* Regions of policies whose memory comes online, or goes offline; plugged.h. */

#include <linux/memory.h>
#include <linux/notifier.h>
#include <linux/workqueue.h>

#include "policy/plugged.h"
#include "policy/policy.h"

/* Who holds the lock of the policies may wait for hotplug: not in the notifier. */
static void plugged_find_nodes(struct work_struct *unused)
{
	vipzone_policies_find_nodes();
}

static DECLARE_WORK(find_work, plugged_find_nodes);

static int memory_notify_call(struct notifier_block *block, unsigned long action, void *arg)
{
	if (action == MEM_ONLINE || action == MEM_OFFLINE)
		schedule_work(&find_work);
	return NOTIFY_OK;
}

static struct notifier_block memory_block = {
	.notifier_call = memory_notify_call,
};

int vipzone_plugged_init(void)
{
	return register_memory_notifier(&memory_block);
}

void vipzone_plugged_exit(void)
{
	/* Waits for a call that goes on, which may leave work behind. */
	unregister_memory_notifier(&memory_block);
	flush_work(&find_work);
}
