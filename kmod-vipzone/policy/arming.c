// SPDX-License-Identifier: GPL-2.0-only
/* Which hooks are armed; arming.h. */

#include <linux/mutex.h>
#include <linux/nodemask.h>

#include "policy/arming.h"

atomic_t vipzone_kernel_policies = ATOMIC_INIT(0);

static DEFINE_MUTEX(arming_lock);		/* of what follows */
static const struct memsuite_hook *armed_hooks;
static bool is_running;
static unsigned int users[MEMSUITE_NR_HOOK_POINTS] = {
	[MEMSUITE_HOOK_POINT_FAULT_ALLOC] = 1,	/* all policies do */
};

/* Without these the kernel places shared memory and hugetlbfs's; hooks/<name>/state tells. */
static bool is_optional(enum memsuite_hook_point_id id)
{
	return id == MEMSUITE_HOOK_POINT_SHMEM_ALLOC || id == MEMSUITE_HOOK_POINT_HUGETLB_POLICY;
}

static int hook_arm(enum memsuite_hook_point_id id)
{
	int err = memsuite_hook_arm(id, MEMSUITE_HOOK_RANK_PLACEMENT, &armed_hooks[id]);

	return is_optional(id) ? 0 : err;
}

static void hook_disarm(enum memsuite_hook_point_id id)
{
	memsuite_hook_disarm(id, MEMSUITE_HOOK_RANK_PLACEMENT);
}

int vipzone_arming_use(enum memsuite_hook_point_id id)
{
	int err = 0;

	mutex_lock(&arming_lock);
	if (is_running && !users[id])
		err = hook_arm(id);
	if (!err)
		users[id]++;
	mutex_unlock(&arming_lock);
	return err;
}

void vipzone_arming_unuse(enum memsuite_hook_point_id id)
{
	mutex_lock(&arming_lock);
	if (!--users[id] && is_running)
		hook_disarm(id);
	mutex_unlock(&arming_lock);
}

static void disarm_all(void)
{
	int id;

	for (id = 0; id < MEMSUITE_NR_HOOK_POINTS; id++)
		hook_disarm(id);
}

/* What a fault leaves to the kernel has to be seen there: that comes first. */
int vipzone_arming_start(const struct memsuite_hook *hooks)
{
	int err = 0, id;

	mutex_lock(&arming_lock);
	armed_hooks = hooks;
	for (id = MEMSUITE_NR_HOOK_POINTS - 1; !is_running && !err && id >= 0; id--)
		if (users[id])
			err = hook_arm(id);
	if (err)
		disarm_all();
	/* Where that cannot be, the audit brings pages back. */
	if (!err && nr_node_ids > 1)
		hook_arm(MEMSUITE_HOOK_POINT_NUMA_MISPLACED);
	/* Where that cannot be, huge pages are cleared in their faults. */
	if (!err)
		hook_arm(MEMSUITE_HOOK_POINT_FAULT_CLEAR);
	is_running = !err;
	mutex_unlock(&arming_lock);
	return err;
}

void vipzone_arming_stop(void)
{
	mutex_lock(&arming_lock);
	disarm_all();
	is_running = false;
	mutex_unlock(&arming_lock);
}

bool vipzone_arming_is_on(void)
{
	return READ_ONCE(is_running);
}
