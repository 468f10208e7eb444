/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From times to first touch, to a miss ratio curve. Pure logic: no locks, no
 * allocation, no clock; the same file is built for the kernel and for user
 * space.
 */
#ifndef MRC_CURVE_H
#define MRC_CURVE_H

#include <linux/types.h>

/* Pages are counted in fixed point, with this many fractional bits. */
#define MRC_FRAC	12
/* Rates are in thousandths of a miss a second. */
#define MRC_RATE	1000
/* Ratios are in ten-thousandths. */
#define MRC_RATIO	10000

/*
 * The time grid: 1 ms and then steps of 19/16. The ladder's rungs are read at
 * its first entries; a step of 1.41 was clearly worse in simulation. The last
 * one, about three hours, is reached by idle age only.
 */
#define MRC_TIMES	96
#define MRC_TIME_FIRST	1000

/* The size grid: every size up to 128 pages, then steps of 1/64. */
#define MRC_SIZES	1024

/* Hash sub-samples, whose spread is the confidence band. */
#define MRC_SUBS	8

/* A ladder of a minute has 65 rungs; what follows is of the grid. */
#define MRC_RUNGS	66
#define MRC_POINTS	(MRC_RUNGS + MRC_TIMES)

/**
 * struct mrc_wsf - a working set function
 * @n: number of points
 * @rungs: how many of them are times of observation
 * @us: lengths of windows, ascending
 * @pages: mean number of distinct pages touched in each, in fixed point; while
 *	it is being collected, what each adds to the one before
 */
struct mrc_wsf {
	unsigned int n;
	unsigned int rungs;
	u64 us[MRC_POINTS];
	u64 pages[MRC_POINTS];
};

/**
 * struct mrc_step - one step of a miss rate curve
 * @pages: with this much memory the rate is no longer reached; fixed point
 * @rate: misses a second with less, in MRC_RATE
 */
struct mrc_step {
	u64 pages;
	u64 rate;
};

/* Each segment of the hull may be cut in two at a kink. */
#define MRC_STEPS	(2 * MRC_POINTS)

/* A point of the working set function, and the slope from there on. */
struct mrc_point {
	u64 us;
	u64 pages;
	u64 slope;
};

/**
 * struct mrc_steps - a miss rate curve as a falling staircase
 * @n: number of steps
 * @step: ascending in pages, falling in rate
 * @hull: scratch, too large for a kernel stack
 */
struct mrc_steps {
	unsigned int n;
	struct mrc_step step[MRC_STEPS];
	struct mrc_point hull[MRC_POINTS + 1];
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
 * struct mrc_curve - miss rates on the size grid, averaged over ladders
 * @ladders: how many ladders are in it
 * @accesses: by which rates are divided to ratios, in MRC_RATE; 0: by touches
 * @rate: of the whole sample
 * @sub: of each sub-sample
 */
struct mrc_curve {
	u64 ladders;
	u64 accesses;
	u64 rate[MRC_SIZES];
	u64 sub[MRC_SUBS][MRC_SIZES];
};

void mrc_curve_init(void);
u64 mrc_time(unsigned int i);
u64 mrc_size(unsigned int i);
unsigned int mrc_times_within(u64 us);

void mrc_wsf_begin(struct mrc_wsf *wsf, const u64 *rung_us, unsigned int rungs,
		   u64 horizon);
void mrc_wsf_touch(struct mrc_wsf *wsf, u64 after, u64 by, u64 weight);
void mrc_wsf_finish(struct mrc_wsf *wsf);
u64 mrc_wsf_at(const struct mrc_wsf *wsf, u64 us);

void mrc_steps_from_wsf(struct mrc_steps *steps, const struct mrc_wsf *wsf);
u64 mrc_steps_rate(const struct mrc_steps *steps, u64 pages);

void mrc_curve_reset(struct mrc_curve *curve);
void mrc_curve_add(u64 *rate, const struct mrc_steps *steps, u64 weight);
bool mrc_curve_line(const struct mrc_curve *curve, unsigned int i, u64 total,
		    struct mrc_line *line);

#endif
