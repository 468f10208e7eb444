// SPDX-License-Identifier: GPL-2.0-only
/* Miss rates from touches whose stack distance is known; stack_distance.h. */

#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "curve/curve.h"
#include "curve/stack_distance.h"

/**
 * mrc_stack_distances_reset() - begin to count anew
 * @distances: the counts
 */
void mrc_stack_distances_reset(struct mrc_stack_distances *distances)
{
	memset(distances, 0, sizeof(*distances));
}

/**
 * mrc_stack_distances_count() - count a touch
 * @distances: the counts
 * @pages: the smallest memory that it would have hit in, or MRC_DISTANCE_COLD
 */
void mrc_stack_distances_count(struct mrc_stack_distances *distances, u64 pages)
{
	unsigned int sizes = MRC_SIZES;

	if (pages == MRC_DISTANCE_COLD)
		distances->cold++;
	else
		sizes = mrc_sizes_below(pages << MRC_FRAC);
	distances->missed[distances->nr++ % MRC_SUBS][sizes]++;
}

static u64 rate_of(u64 nr, u64 each, u64 us)
{
	return mul_u64_u64_div_u64(nr * each, MRC_RATE * USEC_PER_SEC, us);
}

static u64 missed_at(const struct mrc_stack_distances *distances, int sub, unsigned int i)
{
	u64 nr = 0;
	int k;

	if (sub >= 0)
		return (u64)distances->missed[sub][i] * MRC_SUBS;
	for (k = 0; k < MRC_SUBS; k++)
		nr += distances->missed[k][i];
	return nr;
}

/**
 * mrc_stack_distances_rates() - miss rates by size of memory
 * @distances: the counts
 * @sub: of that sub-sample, as if it were the whole; -1: of all of them
 * @each: accesses that a touch stands for
 * @us: in which they were counted
 * @rate: result: MRC_SIZES rates
 */
void mrc_stack_distances_rates(const struct mrc_stack_distances *distances, int sub, u64 each,
			       u64 us, u64 *rate)
{
	u64 nr = 0;
	int i;

	for (i = MRC_SIZES - 1; i >= 0; i--) {
		nr += missed_at(distances, sub, i + 1);
		rate[i] = rate_of(nr, each, us);
	}
}

/**
 * mrc_stack_distances_rate() - all accesses a second
 * @distances: the counts
 * @each: accesses that a touch stands for
 * @us: in which they were counted
 *
 * Return: the rate, in MRC_RATE.
 */
u64 mrc_stack_distances_rate(const struct mrc_stack_distances *distances, u64 each, u64 us)
{
	return rate_of(distances->nr, each, us);
}
