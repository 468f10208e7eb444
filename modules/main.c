// SPDX-License-Identifier: GPL-2.0-only
/* memsuite: the common core. Loading it changes nothing in the system. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>

#include "frame/alloc_stats_private.h"
#include "frame/handed.h"
#include "frame/held_pages_private.h"
#include "frame/self_test.h"
#include "hook/hook_sysfs.h"
#include "kernel/control_private.h"
#include "kernel/task_work_private.h"
#include "kernel/unexported_calls.h"
#include "notify/memory_hotplug.h"
#include "notify/memory_pressure.h"
#include "notify/system_sleep.h"
#include "pool/pool_drain.h"
#include "region/bank_map_sysfs.h"
#include "region/discover.h"
#include "region/regions.h"
#include "retire/pages_sysfs.h"

/* In this order; exit is the mirror. */
static const struct {
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{ memsuite_unexported_calls_init, NULL },
	{ memsuite_self_test_init, NULL },
	{ NULL, memsuite_task_works_exit },
	{ memsuite_handed_init, NULL },
	{ memsuite_control_init, memsuite_control_exit },
	{ memsuite_hooks_init, memsuite_hooks_exit },
	{ memsuite_held_pages_init, memsuite_held_pages_exit },
	{ memsuite_pages_sysfs_init, memsuite_pages_sysfs_exit },
	{ memsuite_pools_init, memsuite_pools_exit },
	{ memsuite_alloc_stats_init, memsuite_alloc_stats_exit },
	{ memsuite_bank_maps_init, memsuite_bank_maps_exit },
	{ memsuite_regions_init, memsuite_regions_exit },
	/* What comes from outside uses all above, and no longer comes when that goes. */
	{ memsuite_memory_pressure_init, memsuite_memory_pressure_exit },
	{ memsuite_memory_hotplug_init, memsuite_memory_hotplug_exit },
	{ memsuite_system_sleep_init, memsuite_system_sleep_exit },
	{ memsuite_discover_init, NULL },
};

/* What a kernel may lack, and what there is not then. */
static const struct {
	bool there;
	const char *name;
	const char *without;
} options[] = {
	{ IS_ENABLED(CONFIG_NUMA), "NUMA",
	  "no fault passes where its page can be chosen, so vipzone stays off" },
	{ IS_ENABLED(CONFIG_MEMORY_FAILURE), "MEMORY_FAILURE", "no tool is told of retired pages" },
	{ IS_ENABLED(CONFIG_X86_MCE), "X86_MCE", "no errors that the machine reports are seen" },
	{ IS_ENABLED(CONFIG_PSI), "PSI", "memdiag does not see that others wait" },
	{ IS_ENABLED(CONFIG_MEMCG), "MEMCG", "others may fault in pages past a cgroup's policy" },
	{ IS_ENABLED(CONFIG_MMU_NOTIFIER), "MMU_NOTIFIER",
	  "no program can tag memory, and pages that mrc looks at seem idle" },
	{ IS_ENABLED(CONFIG_DEBUG_FS), "DEBUG_FS", "no curve and no other table can be read" },
};

static void __init tell_missing(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (!options[i].there)
			pr_info("this kernel has no CONFIG_%s: %s\n", options[i].name,
				options[i].without);
}

static void exit_parts(int nr)
{
	while (nr--)
		if (parts[nr].exit)
			parts[nr].exit();
}

static int __init init_parts(void)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		err = parts[i].init ? parts[i].init() : 0;
		if (err) {
			exit_parts(i);
			return err;
		}
	}
	return 0;
}

static int __init memsuite_init(void)
{
	int err;

	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		pr_err("a real-time kernel's zone lock sleeps, and what holds it here must not\n");
		return -EOPNOTSUPP;
	}
	err = init_parts();
	if (err)
		return err;
	tell_missing();
	pr_info("version %s\n", MEMSUITE_VERSION);
	return 0;
}

static void __exit memsuite_exit(void)
{
	exit_parts(ARRAY_SIZE(parts));
}

module_init(memsuite_init);
module_exit(memsuite_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The memsuite authors");
MODULE_DESCRIPTION("Page allocator hooks, free-page access and memory regions for memdiag, vipzone and mrc");
MODULE_VERSION(MEMSUITE_VERSION);
