/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of the memory each target gets. Pure logic, like curve.h. */
#ifndef MRC_CURVE_DIVISION_H
#define MRC_CURVE_DIVISION_H

#include <linux/types.h>

#include "curve/curve.h"

/**
 * enum mrc_utility - what a target has of memory
 * @MRC_UTILITY_RATIO: hits per touch: paper 001, section 4.1.1
 * @MRC_UTILITY_MISSES: misses a second that it is spared
 * @MRC_UTILITY_TIME: speed (section 7 there), by its logarithm: nobody is made
 *	ten times as slow for what speeds up another by a half
 * @MRC_UTILITIES: how many there are
 */
enum mrc_utility {
	MRC_UTILITY_RATIO,
	MRC_UTILITY_MISSES,
	MRC_UTILITY_TIME,
	MRC_UTILITIES,
};

/**
 * struct mrc_division - what the memory is divided by
 * @total: pages to divide
 * @unit: they are given in pieces of so many
 * @utility: what of
 * @miss_us: how long a miss takes, for MRC_UTILITY_TIME
 */
struct mrc_division {
	u64 total;
	u64 unit;
	enum mrc_utility utility;
	u32 miss_us;
};

#define MRC_WEIGHT_MAX	1000

/* Of a process's time, in thousandths. */
#define MRC_RUNNING	1000

struct mrc_vertex {
	u64 pages;
	u64 utility;
};

/**
 * struct mrc_claim - a target that memory is divided among
 * @rate: its misses a second on the size grid, in MRC_RATE
 * @full: pages that it maps or has swapped out: more is of no use
 * @most: pages that it can have, whatever it would gain by more
 * @min: pages that it gets before all others
 * @weight: of its utility, 1 to MRC_WEIGHT_MAX
 * @running: how much of its time it does not wait for misses, 1 to MRC_RUNNING
 * @pages: what it gets
 * @reach: the most that its hull is drawn for; private
 * @saved: private
 * @at: vertex that @pages is at or behind; private
 * @n: vertices of the hull; private
 * @hull: its utility's, from @min on; private
 */
struct mrc_claim {
	const u64 *rate;
	u64 full;
	u64 most;
	u64 min;
	u32 weight;
	u32 running;
	u64 pages;
	u64 reach;
	u64 saved;
	unsigned int at;
	unsigned int n;
	struct mrc_vertex hull[MRC_SIZES + 2];
};

u64 mrc_rate_at(const u64 *rate, u64 full, u64 pages);
void mrc_rate_raise(u64 *rate, u64 pages, u64 least);
void mrc_rate_lower(u64 *rate, u64 full, u64 pages, u64 real);
void mrc_seen_add(u64 *seen, u64 pages, u64 rate, u64 part);
u64 mrc_seen_correct(const u64 *seen, u64 *rate, u32 running);
void mrc_divide_within(struct mrc_claim *claim, unsigned int n,
		       const struct mrc_division *by, u64 limit);
void mrc_divide(struct mrc_claim *claim, unsigned int n,
		const struct mrc_division *by);

#endif
