// SPDX-License-Identifier: GPL-2.0-only
/* What is free of the regions of a policy beyond the reserve; reserve.h. */

#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "policy/policy.h"

#define LOOK_JIFFIES	(HZ / 10)
/* A look takes a thousand page structures of each region: seldom while nobody asks. */
#define REST_JIFFIES	HZ

/*
 * A look at a region may be an estimate. The count follows it in this many looks:
 * else the look that is off most would open the reserve.
 */
#define SETTLE_LOOKS	4

/* Pages that a CPU takes from the common count at a time. */
#define CREDIT_PAGES	64

void vipzone_reserve_spend(struct vipzone_reserve *reserve, unsigned long pages)
{
	long due = -this_cpu_sub_return(*reserve->credit, pages);

	if (due <= 0)
		return;
	if (atomic_long_read(&reserve->pages) > 0)
		due += CREDIT_PAGES;
	atomic_long_sub(due, &reserve->pages);
	this_cpu_add(*reserve->credit, due);
}

/* What is handed out during the look stays subtracted. */
static void reserve_settle(struct vipzone_reserve *reserve, long seen, long now, long looks)
{
	atomic_long_add((now - seen) / looks, &reserve->pages);
}

static void reserves_look(struct vipzone_policy *policy, long looks)
{
	const struct vipzone_low_power *low_power = &policy->command.low_power;
	unsigned int i, most_free = 0;
	unsigned long most = 0;
	struct memsuite_occupancy occupancy;
	struct vipzone_target *target;
	long seen;

	for (i = 0; i < policy->nr_targets; i++) {
		target = &policy->targets[i];
		seen = atomic_long_read(&target->reserve.pages);
		memsuite_region_occupancy(target->region, &occupancy);
		reserve_settle(&target->reserve, seen, occupancy.free_pages -
			       occupancy.pages / 100 * low_power->threshold_pct, looks);
		if (occupancy.free_pages <= most)
			continue;
		most = occupancy.free_pages;
		most_free = i;
	}
	/* Once all are known: faults look at it meanwhile. */
	WRITE_ONCE(policy->most_free, most_free);
}

static void reserves_work(struct work_struct *work)
{
	struct vipzone_policy *policy = container_of(to_delayed_work(work),
						     struct vipzone_policy, reserves_work);
	bool asked = READ_ONCE(policy->reserves_asked);

	WRITE_ONCE(policy->reserves_asked, false);
	reserves_look(policy, SETTLE_LOOKS);
	schedule_delayed_work(&policy->reserves_work,
			      asked ? LOOK_JIFFIES : REST_JIFFIES);
}

static bool wants_reserves(const struct vipzone_low_power *low_power)
{
	return low_power->set && (low_power->low_util == VIPZONE_LOW_UTIL_THRESHOLD ||
				  low_power->low_util == VIPZONE_LOW_UTIL_MOST_FREE);
}

int vipzone_reserves_init(struct vipzone_policy *policy)
{
	unsigned int i;

	INIT_DELAYED_WORK(&policy->reserves_work, reserves_work);
	if (!wants_reserves(&policy->command.low_power))
		return 0;
	for (i = 0; i < policy->nr_targets; i++) {
		policy->targets[i].reserve.credit = alloc_percpu(long);
		if (!policy->targets[i].reserve.credit)
			return -ENOMEM;
	}
	reserves_look(policy, 1);
	policy->has_reserves = true;
	schedule_delayed_work(&policy->reserves_work, REST_JIFFIES);
	return 0;
}

void vipzone_reserves_exit(struct vipzone_policy *policy)
{
	unsigned int i;

	if (policy->has_reserves)
		cancel_delayed_work_sync(&policy->reserves_work);
	for (i = 0; i < policy->nr_targets; i++)
		free_percpu(policy->targets[i].reserve.credit);
}
