// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that comes online: it is tested before use, if that is asked for, and
 * pages that are known to be bad are retired again, for the kernel forgets.
 */

#include <linux/bitmap.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include <memsuite/control.h>
#include <memsuite/online_inspect.h>

#include "march/engine.h"
#include "paths/hotplug_test.h"
#include "paths/inuse.h"
#include "result/bad_pages.h"
#include "result/verdict.h"
#include "sched/algorithm.h"
#include "sched/worker.h"

/* Thorough: no task waits for this memory yet. */
#define NEW_FIDELITY	4

static bool testing;			/* under hotplug_lock */
static DEFINE_MUTEX(hotplug_lock);
static struct memdiag_verdict verdict;		/* hotplug is serial */
static struct memdiag_engine_test plan;

static void hotplug_inspect(unsigned long pfn, unsigned long nr, unsigned long *bad)
{
	memdiag_algorithm_get(&plan);
	memdiag_worker_test(&verdict, &plan, pfn, nr, NEW_FIDELITY, NULL);
	if (memdiag_verdict_report(&verdict))
		bitmap_copy(bad, verdict.bad, nr);
}

static int hotplug_switch(bool on)
{
	int err = 0;

	mutex_lock(&hotplug_lock);
	if (on && !testing)
		err = memsuite_online_inspect_start(hotplug_inspect);
	else if (!on && testing)
		memsuite_online_inspect_stop();
	if (!err)
		testing = on;
	mutex_unlock(&hotplug_lock);
	return err;
}

static int hotplug_notify(struct notifier_block *block, unsigned long action,
			  void *unused)
{
	if (action == MEM_ONLINE) {
		memdiag_inuse_forget();
		memdiag_bad_pages_retire_again();
	}
	return NOTIFY_OK;
}

static struct notifier_block memory_block = {
	.notifier_call = hotplug_notify,
};

int memdiag_hotplug_init(void)
{
	return register_memory_notifier(&memory_block);
}

void memdiag_hotplug_exit(void)
{
	hotplug_switch(false);
	unregister_memory_notifier(&memory_block);
}

MEMSUITE_ATTR_SWITCH(test_new_memory, READ_ONCE(testing), hotplug_switch);

static struct attribute *hotplug_attrs[] = {
	&test_new_memory_attr.attr, NULL
};

const struct attribute_group memdiag_hotplug_group = {
	.attrs = hotplug_attrs,
};
