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
#include <memsuite/hotplug.h>

#include "march/engine.h"
#include "paths/hotplug_test.h"
#include "result/bad_pages.h"
#include "result/verdict.h"
#include "sched/algorithm.h"
#include "sched/worker.h"

/* Nobody waits for the memory yet. */
#define NEW_FIDELITY	4

static bool testing;			/* under newcomers_lock */
static DEFINE_MUTEX(newcomers_lock);
static struct verdict verdict;		/* hotplug is serial */
static struct engine_test plan;

static void inspect(unsigned long pfn, unsigned long nr, unsigned long *bad)
{
	algorithm_get(&plan);
	tester_test(&verdict, &plan, pfn, nr, NEW_FIDELITY);
	if (verdict_report(&verdict))
		bitmap_copy(bad, verdict.bad, nr);
}

static int turn(bool on)
{
	int err = 0;

	mutex_lock(&newcomers_lock);
	if (on && !testing)
		err = memsuite_hotplug_start(inspect);
	else if (!on && testing)
		memsuite_hotplug_stop();
	if (!err)
		testing = on;
	mutex_unlock(&newcomers_lock);
	return err;
}

static int notify(struct notifier_block *block, unsigned long action,
		  void *unused)
{
	if (action == MEM_ONLINE)
		findings_retire_again();
	return NOTIFY_OK;
}

static struct notifier_block memory_block = {
	.notifier_call = notify,
};

int newcomers_init(void)
{
	return register_memory_notifier(&memory_block);
}

void newcomers_exit(void)
{
	turn(false);
	unregister_memory_notifier(&memory_block);
}

MEMSUITE_ATTR_SWITCH(test_new_memory, READ_ONCE(testing), turn);

static struct attribute *newcomers_attrs[] = {
	&test_new_memory_attr.attr, NULL
};

const struct attribute_group newcomers_group = {
	.attrs = newcomers_attrs,
};
