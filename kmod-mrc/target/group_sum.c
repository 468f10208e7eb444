// SPDX-License-Identifier: GPL-2.0-only
/*
 * A group's processes added up. Each is tracked by itself; the curve of all together
 * is composed of theirs when it is read (compose.h).
 */

#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include <compat/compat.h>

#include "curve/compose.h"
#include "curve/curve.h"
#include "target/group.h"
#include "target/group_sum.h"
#include "target/target.h"
#include "target/target_stats.h"

/* Times do not add up: the longest, but of horizons the shortest. */
static void sum_add_stats(struct mrc_stats *sum, const struct mrc_stats *stats)
{
	u64 *to = (u64 *)sum;
	const u64 *from = (const u64 *)stats;
	struct mrc_stats before = *sum;
	unsigned int i;

	for (i = 0; i < sizeof(*sum) / sizeof(u64); i++)
		to[i] += from[i];
	sum->enabled_ns = max(before.enabled_ns, stats->enabled_ns);
	sum->ladder_us = max(before.ladder_us, stats->ladder_us);
	sum->period_us = max(before.period_us, stats->period_us);
	sum->floor_us = max(before.floor_us, stats->floor_us);
	sum->pages_per_sample = max(before.pages_per_sample,
				    stats->pages_per_sample);
	sum->horizon_us = stats->horizon_us;
	if (before.horizon_us)
		sum->horizon_us = min(before.horizon_us, stats->horizon_us);
}

/* The whole, or sub-sample @sub of every process. */
static void sum_add_rates(struct mrc_sum *sum, unsigned int slot, int sub)
{
	struct mrc_target *t;

	mrc_compose_begin(&sum->compose);
	list_for_each_entry(t, &mrc_targets, link) {
		if (!(t->groups & BIT(slot)))
			continue;
		mutex_lock(&t->lock);
		mrc_compose_add(&sum->compose, sub < 0 ? t->curve.rate :
						       t->curve.sub[sub]);
		mutex_unlock(&t->lock);
	}
	mrc_compose_finish(&sum->compose,
			   sub < 0 ? sum->curve.rate : sum->curve.sub[sub]);
}

/**
 * mrc_group_sum() - add up what is known of a group's processes
 * @group: the group
 *
 * Context: may sleep; takes mrc_targets_lock.
 * Return: the sum, for kvfree(), or NULL.
 */
struct mrc_sum *mrc_group_sum(struct mrc_group *group)
{
	struct mrc_sum *sum = kvzalloc(sizeof(*sum), GFP_KERNEL);
	struct mrc_target *t;
	int k;

	if (!sum)
		return NULL;
	mutex_lock(&mrc_targets_lock);
	list_for_each_entry(t, &mrc_targets, link) {
		if (!(t->groups & BIT(group->slot)))
			continue;
		mutex_lock(&t->lock);
		if (t->curve.ladders) {
			sum_add_stats(&sum->stats, &t->stats);
			sum->curve.floor += t->curve.floor;
			sum->curve.sampled += t->curve.sampled;
			sum->measured++;
		}
		mutex_unlock(&t->lock);
	}
	sum->curve.ladders = sum->measured;
	sum->curve.accesses = READ_ONCE(group->accesses);
	/* The whole comes last, and leaves its working sets. */
	for (k = MRC_SUBS - 1; k >= -1; k--)
		sum_add_rates(sum, group->slot, k);
	mutex_unlock(&mrc_targets_lock);
	return sum;
}
