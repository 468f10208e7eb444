// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that comes online: it is tested before use, from when memdiag is loaded,
 * and pages that are known to be bad are retired again, for the kernel forgets.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
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

static bool test_new_memory = true;
module_param(test_new_memory, bool, 0444);
MODULE_PARM_DESC(test_new_memory, "test memory that comes online before it is used (default: 1)");

static bool testing;			/* under hotplug_lock */
static DEFINE_MUTEX(hotplug_lock);
static struct memdiag_verdict verdict;		/* hotplug is serial */
static struct memdiag_engine_test plan;

/*
 * Nobody else can add or remove memory or CPUs meanwhile: what comes without a pause is tested for
 * so long, and the rest by the next sweep.
 */
#define BURST_JIFFIES	(60 * HZ)
#define PAUSE_JIFFIES	HZ

static unsigned long burst_end, last_seen;

static bool burst_is_over(void)
{
	return time_after(jiffies, burst_end);
}

static void hotplug_inspect(unsigned long pfn, unsigned long nr, unsigned long *bad)
{
	if (!last_seen || time_after(jiffies, last_seen + PAUSE_JIFFIES))
		burst_end = jiffies + BURST_JIFFIES;
	if (burst_is_over()) {
		pr_warn_ratelimited("memory from 0x%llx on comes online untested: so much comes at once that it would take too long; sweeps test it\n",
				    (u64)PFN_PHYS(pfn));
	} else {
		memdiag_algorithm_get(&plan);
		memdiag_worker_test(&verdict, &plan, pfn, nr, NEW_FIDELITY, burst_is_over);
		if (memdiag_verdict_report(&verdict))
			bitmap_copy(bad, verdict.bad, nr);
	}
	last_seen = jiffies ?: 1;
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
	if (action == MEM_ONLINE)
		memdiag_inuse_forget();
	if (action == MEM_ONLINE || action == MEM_OFFLINE)
		memdiag_bad_pages_retire_again(true);
	return NOTIFY_OK;
}

static struct notifier_block memory_block = {
	.notifier_call = hotplug_notify,
};

/* They bring memory online themselves, and do not start, or miscount, where somebody else does. */
static const char * const hypervisor_drivers[] = { "virtio_mem", "hv_balloon" };

static int module_notify(struct notifier_block *block, unsigned long state, void *data)
{
	struct module *module = data;

	if (state != MODULE_STATE_COMING || !READ_ONCE(testing) ||
	    match_string(hypervisor_drivers, ARRAY_SIZE(hypervisor_drivers), module->name) < 0)
		return NOTIFY_OK;
	hotplug_switch(false);
	pr_info("memory that comes online is not tested any more: %s brings it online\n",
		module->name);
	return NOTIFY_OK;
}

static struct notifier_block module_block = {
	.notifier_call = module_notify,
};

int memdiag_hotplug_init(void)
{
	int err = register_memory_notifier(&memory_block);

	if (err)
		return err;
	err = register_module_notifier(&module_block);
	if (err)
		unregister_memory_notifier(&memory_block);
	return err;
}

void memdiag_hotplug_start(void)
{
	int err = test_new_memory ? hotplug_switch(true) : 0;

	if (err == -EBUSY)
		pr_info("memory that comes online is not tested: a driver of the hypervisor brings it online\n");
	else if (err)
		pr_info("memory that comes online is not tested: this kernel gives no way to (%d)\n",
			err);
}

void memdiag_hotplug_exit(void)
{
	unregister_module_notifier(&module_block);
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
