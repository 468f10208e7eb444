/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From when pages were touched last before a moment and first after it, to miss
 * rates. Pure logic, like curve.h.
 */
#ifndef MRC_CURVE_REUSE_H
#define MRC_CURVE_REUSE_H

#include <linux/types.h>

#include "curve/curve.h"

/*
 * Ages by the look that found the page touched, then by a grid of time that has
 * every second entry of mrc_time(), and then those never seen.
 */
#define MRC_IDLE_AGES	(MRC_TIMES / 2)
#define MRC_AGES	(MRC_SAMPLE_POINTS + MRC_IDLE_AGES + 1)
#define MRC_NEVER	(MRC_AGES - 1)
/* First touches by the look that found them; and the one after is for the rest. */
#define MRC_FIRSTS	(MRC_SAMPLE_POINTS + 1)
/* Sums from each of them on: the last ones are of nothing. */
#define MRC_AGE_SUMS	(MRC_AGES + 1)
#define MRC_FIRST_SUMS	(MRC_FIRSTS + 1)

/**
 * struct mrc_reuse - the pages of a sample, around one moment
 * @samples: how many were counted
 * @total: pages that they stand for, in fixed point
 * @window: length of time after the moment that was watched, in us
 * @floor: pages touched within the finest looks around the moment; what is
 *	touched again within these cannot be told apart; in fixed point
 * @fast: what @rate has of these, with MRC_FRAC
 * @cross: of pairs that are neighbours in both times, how many cross
 * @nest: and how many are nested
 * @any: whether there is one of an age
 * @around: pages; after mrc_reuse_sum(), those of at least this age that were
 *	first touched at least this late; in fixed point
 * @below: number of sizes of the grid that are below the distance, where known
 * @rate: misses a second on the size grid, while it is being collected the
 *	rate of those that are hits from the next size on, with MRC_FRAC
 */
struct mrc_reuse {
	u32 samples;
	u64 total;
	u64 window;
	u64 floor;
	u64 fast;
	u64 cross;
	u64 nest;
	bool any[MRC_AGES];
	u64 around[MRC_AGE_SUMS][MRC_FIRST_SUMS];
	u16 below[MRC_AGES][MRC_FIRSTS];
	u64 rate[MRC_SIZES];
};

unsigned int mrc_reuse_idle(u64 us);

void mrc_reuse_begin(struct mrc_reuse *r, u64 window);
void mrc_reuse_next(struct mrc_reuse *r, u64 window);
void mrc_reuse_count(struct mrc_reuse *r, unsigned int age, unsigned int first,
		     u64 weight);
void mrc_reuse_sum(struct mrc_reuse *r);
u64 mrc_reuse_distance(const struct mrc_reuse *r, unsigned int age,
		       unsigned int first);
void mrc_reuse_touch(struct mrc_reuse *r, unsigned int age, unsigned int first,
		     u64 us, u64 weight);
u64 mrc_reuse_remainder(u64 us, u64 weight, u64 gap, u64 window);
void mrc_reuse_finish(struct mrc_reuse *r);

#endif
