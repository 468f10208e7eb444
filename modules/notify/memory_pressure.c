// SPDX-License-Identifier: GPL-2.0-only
/* Pools give pages back when memory is short: the shrinker, and out of memory. */

#include <linux/jiffies.h>
#include <linux/oom.h>

#include <compat/shrinker.h>

#include "notify/memory_pressure.h"
#include "pool/pool_drain.h"

static unsigned long shrink_count(struct shrinker *shrinker,
				  struct shrink_control *control)
{
	unsigned long pages = memsuite_pools_shrinkable(control->nid);

	return pages ?: SHRINK_EMPTY;
}

static unsigned long shrink_scan(struct shrinker *shrinker,
				 struct shrink_control *control)
{
	unsigned long freed = memsuite_pools_shrink(control->nid, control->nr_to_scan);

	return freed ?: SHRINK_STOP;
}

/*
 * As long as something is freed, the kernel kills nobody. But what is out of memory may be one
 * node, or a zone, while programs of the others fill pools again: once in a while has to do.
 */
#define OOM_TOLD_JIFFIES	(10 * HZ)

/* The kernel has one task at a time here. */
static int oom_notify(struct notifier_block *block,
		      unsigned long unused, void *freed)
{
	static unsigned long told;
	unsigned long pages = memsuite_pools_drain(0, ULONG_MAX);

	if (pages && (!told || time_after(jiffies, told + OOM_TOLD_JIFFIES))) {
		*(unsigned long *)freed += pages;
		told = jiffies ?: 1;
	}
	return NOTIFY_OK;
}

static struct notifier_block oom_block = {
	.notifier_call = oom_notify,
};

int memsuite_memory_pressure_init(void)
{
	int err = memsuite_shrinker_register(shrink_count, shrink_scan, 0, SHRINKER_NUMA_AWARE);

	if (err)
		return err;
	err = register_oom_notifier(&oom_block);
	if (err)
		memsuite_shrinker_unregister();
	return err;
}

void memsuite_memory_pressure_exit(void)
{
	unregister_oom_notifier(&oom_block);
	memsuite_shrinker_unregister();
}
