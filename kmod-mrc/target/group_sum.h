/* SPDX-License-Identifier: GPL-2.0-only */
/* A group's processes added up. */
#ifndef MRC_TARGET_GROUP_SUM_H
#define MRC_TARGET_GROUP_SUM_H

#include <linux/types.h>

#include "curve/compose.h"
#include "curve/curve.h"
#include "target/target_stats.h"

struct mrc_group;

/**
 * struct mrc_sum - a group's processes added up
 * @stats: totals; the longest of their times, the shortest horizon
 * @measured: how many have a curve
 * @curve: of all of them
 * @compose: their working sets
 */
struct mrc_sum {
	struct mrc_stats stats;
	u64 measured;
	struct mrc_curve curve;
	struct mrc_compose compose;
};

struct mrc_sum *mrc_group_sum(struct mrc_group *group);

#endif
