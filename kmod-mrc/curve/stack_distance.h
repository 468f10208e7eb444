/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Touches by the memory that they would have hit in, and miss rates of them.
 * Pure logic, like curve.h.
 */
#ifndef MRC_CURVE_STACK_DISTANCE_H
#define MRC_CURVE_STACK_DISTANCE_H

#include <linux/limits.h>
#include <linux/types.h>

#include "curve/curve.h"

/* The memory that a page touched for the first time would have hit in. */
#define MRC_DISTANCE_COLD	U64_MAX

/**
 * struct mrc_stack_distances - touches that were counted, in turn in each sub-sample
 * @nr: how many
 * @cold: of them for the first time
 * @missed: by the number of sizes of the grid at which they miss
 */
struct mrc_stack_distances {
	u64 nr;
	u64 cold;
	u32 missed[MRC_SUBS][MRC_SIZES + 1];
};

void mrc_stack_distances_reset(struct mrc_stack_distances *distances);
void mrc_stack_distances_count(struct mrc_stack_distances *distances, u64 pages);
void mrc_stack_distances_rates(const struct mrc_stack_distances *distances, int sub, u64 each,
			       u64 us, u64 *rate);
u64 mrc_stack_distances_rate(const struct mrc_stack_distances *distances, u64 each, u64 us);

#endif
