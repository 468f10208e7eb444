/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The grids of time and size, working sets by time scale, and miss ratio curves
 * as averages over ladders. Pure logic: no locks, no allocation, no clock; the
 * same file is built for the kernel and for user space.
 */
#ifndef MRC_CURVE_CURVE_H
#define MRC_CURVE_CURVE_H

#include <linux/types.h>

/* Pages are counted in fixed point, with this many fractional bits. */
#define MRC_FRAC	12
/* Rates are in thousandths of a miss a second. */
#define MRC_RATE	1000
/* Shares of moments have so many fractional bits. */
#define MRC_SHARE	30
/* Ratios are in millionths: real programs miss once in a thousand accesses, or less. */
#define MRC_RATIO	1000000

/*
 * The time grid: a quarter of a ms and then steps of 19/16. The ladder's sample points are
 * its first entries; a step of 1.41 was clearly worse in simulation. The last
 * one, about three hours, is reached by idle age only.
 */
#define MRC_TIMES	104
#define MRC_TIME_FIRST	250

/* The size grid: every size up to 256 pages, then steps of 1/128. */
#define MRC_SIZES	1984

/* A new ladder weighs at least one part in so many in the averages. */
#define MRC_CURVE_WINDOW	32

/*
 * Hash sub-samples, whose spread is the confidence band, and how many moments a
 * ladder has at most (ladder_schedule.c). Sub-samples so far apart have the same one: what two
 * of these differ by is not the moments' fault.
 */
#define MRC_SUBS	8
#define MRC_MOMENTS	4

/* A ladder of a minute has 65 sample points; what follows is of the grid. */
#define MRC_SAMPLE_POINTS	74
#define MRC_WSF_POINTS	(MRC_SAMPLE_POINTS + MRC_TIMES)

/**
 * struct mrc_wsf - a working set function
 * @n: number of times
 * @observed: how many of them are sample points; the others are of the time grid
 * @us: lengths of windows, ascending
 * @pages: mean number of distinct pages touched in each, in fixed point; while
 *	it is being collected, what each adds to the one before
 */
struct mrc_wsf {
	unsigned int n;
	unsigned int observed;
	u64 us[MRC_WSF_POINTS];
	u64 pages[MRC_WSF_POINTS];
};

/**
 * struct mrc_line - one line of the curve
 * @pages: memory size
 * @rate: misses a second at that size, in MRC_RATE
 * @ratio: misses per touch, in MRC_RATIO
 * @low: lower end of the confidence band of @ratio
 * @high: upper end
 */
struct mrc_line {
	u64 pages;
	u64 rate;
	u32 ratio;
	u32 low;
	u32 high;
};

/**
 * struct mrc_blind - what the finest looks around the moments of a ladder cannot tell apart
 * @moments: how many there were
 * @floor: pages touched within these looks, in fixed point, around each
 * @fast: sum of the rates of the reuses that are within them, which count as misses
 *	up to the floor, in MRC_RATE
 * @us: sum of the time between these looks
 */
struct mrc_blind {
	u32 moments;
	u64 floor[MRC_MOMENTS];
	u64 fast;
	u64 us;
};

/**
 * struct mrc_curve - miss rates on the size grid, averaged over ladders
 * @ladders: how many ladders are in it
 * @accesses: by which rates are divided to ratios, in MRC_RATE; 0: by @sampled,
 *	or by touches
 * @sampled: all accesses, where they are sampled, in MRC_RATE; or 0
 * @floor: below this size rates were not seen, in pages
 * @floors: of all moments, the share of those that had a floor of this size, in
 *	2^MRC_SHARE
 * @fast: rate of the reuses that are below the floor of their moment
 * @blind_us: time between the finest looks
 * @us: for how long the program was watched
 * @pages: its working set
 * @rate: of the whole sample
 * @sub: of each sub-sample
 * @last: of the whole sample, in the last ladder alone
 * @deviation: how far ladders are from those before, on average
 */
struct mrc_curve {
	u64 ladders;
	u64 accesses;
	u64 sampled;
	u64 floor;
	u32 floors[MRC_SIZES];
	u64 fast;
	u64 blind_us;
	u64 us;
	u64 pages;
	u64 rate[MRC_SIZES];
	u64 sub[MRC_SUBS][MRC_SIZES];
	u64 last[MRC_SIZES];
	u64 deviation[MRC_SIZES];
};

void mrc_curve_init(void);
u64 mrc_time(unsigned int i);
u64 mrc_size(unsigned int i);
unsigned int mrc_times_within(u64 us);
unsigned int mrc_sizes_below(u64 pages);

void mrc_wsf_begin(struct mrc_wsf *wsf, const u64 *point_us, unsigned int points,
		   u64 horizon);
void mrc_wsf_touch(struct mrc_wsf *wsf, u64 after, u64 by, u64 weight);
void mrc_wsf_finish(struct mrc_wsf *wsf);
u64 mrc_wsf_at(const struct mrc_wsf *wsf, u64 us);

void mrc_curve_reset(struct mrc_curve *curve);
bool mrc_curve_begin(struct mrc_curve *curve, const u64 *now, u64 floor);
void mrc_curve_watched(struct mrc_curve *curve, u64 us, u64 pages);
void mrc_curve_add(u64 *rate, const u64 *now, u64 ladders);
void mrc_blind_add(struct mrc_blind *blind, u64 floor, u64 fast, u64 us);
void mrc_curve_add_blind(struct mrc_curve *curve, const struct mrc_blind *blind);
void mrc_curve_add_sampled(struct mrc_curve *curve, u64 rate);
unsigned int mrc_curve_change(const u64 *from, const u64 *to);
u64 mrc_curve_accesses(const struct mrc_curve *curve);
bool mrc_curve_line(const struct mrc_curve *curve, unsigned int i, u64 total,
		    struct mrc_line *line);

#endif
