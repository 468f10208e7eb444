// SPDX-License-Identifier: GPL-2.0-only
/* What is not reserved of the regions of a policy; reserve.h. */

#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "policy/policy.h"

#define LOOK_JIFFIES	(HZ / 10)
/* A look takes a thousand page structures of each region: seldom while nobody asks. */
#define REST_JIFFIES	HZ

/*
 * A look at a region may be an estimate. It is believed in so many looks: else
 * the one that is off most opens the reserve.
 */
#define SETTLE_LOOKS	4

/* Pages that a CPU takes from the common count at a time. */
#define CREDIT_PAGES	64

void room_spend(struct room *room, unsigned long pages)
{
	long due = -this_cpu_sub_return(*room->credit, pages);

	if (due <= 0)
		return;
	if (atomic_long_read(&room->pages) > 0)
		due += CREDIT_PAGES;
	atomic_long_sub(due, &room->pages);
	this_cpu_add(*room->credit, due);
}

/* What is handed out while it looks stays subtracted. */
static void settle(struct room *room, long seen, long now, long looks)
{
	atomic_long_add((now - seen) / looks, &room->pages);
}

static void look(struct policy *policy, long looks)
{
	const struct low_power *low_power = &policy->command.low_power;
	unsigned int i, most_free = 0;
	unsigned long most = 0;
	struct memsuite_occupancy census;
	struct target *target;
	long seen;

	for (i = 0; i < policy->nr_targets; i++) {
		target = &policy->targets[i];
		seen = atomic_long_read(&target->room.pages);
		memsuite_region_occupancy(target->region, &census);
		settle(&target->room, seen, census.free_pages -
		       census.pages / 100 * low_power->threshold_pct, looks);
		if (census.free_pages <= most)
			continue;
		most = census.free_pages;
		most_free = i;
	}
	/* Once all are known: faults look at it meanwhile. */
	WRITE_ONCE(policy->most_free, most_free);
}

static void look_again(struct work_struct *work)
{
	struct policy *policy = container_of(to_delayed_work(work),
					     struct policy, look);
	bool asked = READ_ONCE(policy->rooms_asked);

	WRITE_ONCE(policy->rooms_asked, false);
	look(policy, SETTLE_LOOKS);
	schedule_delayed_work(&policy->look,
			      asked ? LOOK_JIFFIES : REST_JIFFIES);
}

static bool wants_rooms(const struct low_power *low_power)
{
	return low_power->set && (low_power->low_util == LOW_UTIL_THRESHOLD ||
				  low_power->low_util == LOW_UTIL_MOST_FREE);
}

int rooms_open(struct policy *policy)
{
	unsigned int i;

	INIT_DELAYED_WORK(&policy->look, look_again);
	if (!wants_rooms(&policy->command.low_power))
		return 0;
	for (i = 0; i < policy->nr_targets; i++) {
		policy->targets[i].room.credit = alloc_percpu(long);
		if (!policy->targets[i].room.credit)
			return -ENOMEM;
	}
	look(policy, 1);
	policy->has_rooms = true;
	schedule_delayed_work(&policy->look, REST_JIFFIES);
	return 0;
}

void rooms_close(struct policy *policy)
{
	unsigned int i;

	if (policy->has_rooms)
		cancel_delayed_work_sync(&policy->look);
	for (i = 0; i < policy->nr_targets; i++)
		free_percpu(policy->targets[i].room.credit);
}
