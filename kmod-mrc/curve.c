// SPDX-License-Identifier: GPL-2.0-only
/*
 * The miss ratio curve from the working set function.
 *
 * Let s(t) be the mean number of distinct pages touched in a window of length
 * t. A page that is touched again after t has then been pushed s(t) pages down
 * the LRU stack, so that the miss rate of an LRU memory of s(t) pages is the
 * slope ds/dt (Denning and Schwartz 1972; Xiang and others, "HOTL", ASPLOS
 * 2013). It needs no count of accesses, and gives misses a second: what paper
 * 001, section 2.1, counts with Mattson's stack. The miss ratio divides by the
 * steepest slope that was seen, the touches a second at the finest window.
 */

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

#include "curve.h"

/* s [pages << MRC_FRAC] per us, times this, is a rate << MRC_FRAC. */
#define SCALE		(1000000u * MRC_RATE)

/* A new ladder weighs at least 1/WINDOW in the average. */
#define WINDOW		8

static u64 times[MRC_TIMES];
static u64 sizes[MRC_SIZES];

/**
 * mrc_curve_init() - fill the two grids; call it once, before all else
 */
void mrc_curve_init(void)
{
	unsigned int i;

	times[0] = MRC_TIME_FIRST;
	for (i = 1; i < MRC_TIMES; i++)
		times[i] = times[i - 1] * 19 / 16;
	sizes[0] = 1;
	for (i = 1; i < MRC_SIZES; i++)
		sizes[i] = sizes[i - 1] + max_t(u64, 1, sizes[i - 1] / 64);
}

/**
 * mrc_time() - an entry of the time grid
 * @i: below MRC_TIMES
 *
 * Return: microseconds.
 */
u64 mrc_time(unsigned int i)
{
	return times[i];
}

/**
 * mrc_size() - an entry of the size grid
 * @i: below MRC_SIZES
 *
 * Return: pages.
 */
u64 mrc_size(unsigned int i)
{
	return sizes[i];
}

/* Number of @n ascending @times that are not above @us. */
static unsigned int not_above(const u64 *time, unsigned int n, u64 us)
{
	unsigned int low = 0, high = n;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (time[mid] <= us)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/**
 * mrc_times_within() - number of entries of the time grid up to a time
 * @us: the time, included
 *
 * Return: 0 to MRC_TIMES.
 */
unsigned int mrc_times_within(u64 us)
{
	return not_above(times, MRC_TIMES, us);
}

/**
 * mrc_wsf_begin() - begin to collect a working set function
 * @wsf: result
 * @rung_us: when the sample was looked at, ascending
 * @rungs: how often; from 1 to MRC_RUNGS
 * @horizon: the longest window that idle ages reach, in us
 *
 * Its points are the times of observation, and not a grid: what lies between
 * two of them is for mrc_steps_from_wsf() to tell. After the last one the time
 * grid follows.
 */
void mrc_wsf_begin(struct mrc_wsf *wsf, const u64 *rung_us, unsigned int rungs,
		   u64 horizon)
{
	unsigned int i;

	memset(wsf, 0, sizeof(*wsf));
	for (i = 0; i < rungs; i++)
		wsf->us[wsf->n++] = rung_us[i];
	wsf->rungs = rungs;
	i = mrc_times_within(rung_us[rungs - 1]);
	for (; i < MRC_TIMES && times[i] <= horizon; i++)
		wsf->us[wsf->n++] = times[i];
}

/**
 * mrc_wsf_touch() - one page's first touch
 * @wsf: being collected
 * @after: it was not yet touched this long after the window began, in us
 * @by: it was touched by then
 * @weight: the pages that it stands for, in fixed point
 *
 * Between the two times the touch is taken to be equally likely.
 */
void mrc_wsf_touch(struct mrc_wsf *wsf, u64 after, u64 by, u64 weight)
{
	unsigned int i = not_above(wsf->us, wsf->n, after);
	u64 given = 0;

	for (; i < wsf->n && wsf->us[i] < by; i++) {
		u64 due = mul_u64_u64_div_u64(weight, wsf->us[i] - after,
					      by - after);

		wsf->pages[i] += due - given;
		given = due;
	}
	if (i < wsf->n)
		wsf->pages[i] += weight - given;
}

/**
 * mrc_wsf_finish() - sum up what mrc_wsf_touch() collected
 * @wsf: no more touches may be added
 */
void mrc_wsf_finish(struct mrc_wsf *wsf)
{
	unsigned int i;

	for (i = 1; i < wsf->n; i++)
		wsf->pages[i] += wsf->pages[i - 1];
}

/**
 * mrc_wsf_at() - the working set size of a window
 * @wsf: finished
 * @us: length of the window
 *
 * Return: pages in fixed point, interpolated.
 */
u64 mrc_wsf_at(const struct mrc_wsf *wsf, u64 us)
{
	unsigned int i = not_above(wsf->us, wsf->n, us);
	u64 t = i ? wsf->us[i - 1] : 0;
	u64 s = i ? wsf->pages[i - 1] : 0;

	if (i == wsf->n)
		return s;
	return s + mul_u64_u64_div_u64(wsf->pages[i] - s, us - t,
				       wsf->us[i] - t);
}

static void join(struct mrc_point *a, const struct mrc_point *b)
{
	a->slope = mul_u64_u32_div(b->pages - a->pages, SCALE, b->us - a->us);
}

/*
 * The least concave majorant, left to right: points that make the slope rise
 * are noise, since s(t) of a steady program is concave. This is the weighted
 * least-squares fit of falling slopes (isotonic regression), too.
 *
 * Return: number of points; the last has no slope.
 */
static unsigned int hull(struct mrc_point *out, const struct mrc_wsf *wsf)
{
	unsigned int i, n = 1;

	out[0] = (struct mrc_point){};
	for (i = 0; i < wsf->n; i++) {
		out[n] = (struct mrc_point){ wsf->us[i], wsf->pages[i], 0 };
		join(&out[n - 1], &out[n]);
		while (n > 1 && out[n - 2].slope <= out[n - 1].slope) {
			out[n - 1] = out[n];
			n--;
			join(&out[n - 1], &out[n]);
		}
		n++;
	}
	return n;
}

static void step_to(struct mrc_steps *steps, u64 pages, u64 rate)
{
	if (steps->n) {
		struct mrc_step *last = &steps->step[steps->n - 1];

		/* Rounding must not make the staircase rise. */
		if (rate >= last->rate)
			last->pages = max(last->pages, pages);
		if (rate >= last->rate || pages <= last->pages)
			return;
	}
	steps->step[steps->n++] = (struct mrc_step){ pages, rate };
}

/*
 * Whether segment i of n hides a cliff: the slope at least halves across it,
 * and falls more than across the next one.
 */
static bool is_cliff(const struct mrc_point *p, unsigned int i, unsigned int n)
{
	/* The first segment has no left tangent: nothing is finer. */
	if (i < 1 || i + 1 >= n || p[i + 1].slope >= p[i - 1].slope / 2)
		return false;
	return i + 2 >= n ||
	       p[i - 1].slope - p[i + 1].slope >= p[i].slope - p[i + 2].slope;
}

/* The size at which the tangents left and right of segment p[0], p[1] meet. */
static u64 meeting(const struct mrc_point *p)
{
	u64 left = p[-1].slope, right = p[1].slope;
	u64 rise = p[1].pages - p[0].pages;
	u64 below = mul_u64_u64_div_u64(right, p[1].us - p[0].us, SCALE);
	u64 at = mul_u64_u64_div_u64(rise - min(below, rise), left,
				     left - right);

	return p[0].pages + min(at, rise);
}

/**
 * mrc_steps_from_wsf() - the miss rate curve of a working set function
 * @steps: result
 * @wsf: finished
 *
 * A cliff (the end of a loop) lies between two rungs; there the segment of the
 * hull is replaced by the two tangents, which meet at the cliff.
 */
void mrc_steps_from_wsf(struct mrc_steps *steps, const struct mrc_wsf *wsf)
{
	struct mrc_point *p = steps->hull;
	unsigned int i, n;

	/* Segment i goes from point i to point i + 1. */
	n = hull(p, wsf) - 1;
	steps->n = 0;
	for (i = 0; i < n; i++) {
		if (is_cliff(p, i, n)) {
			step_to(steps, meeting(&p[i]), p[i - 1].slope);
			/* The foot of the cliff is no cliff. */
			p[i].slope = p[i + 1].slope;
		}
		step_to(steps, p[i + 1].pages, p[i].slope);
	}
	for (i = 0; i < steps->n; i++)
		steps->step[i].rate >>= MRC_FRAC;
}

/**
 * mrc_steps_rate() - look up a miss rate
 * @steps: the curve
 * @pages: memory size in pages
 *
 * Return: misses a second, in MRC_RATE.
 */
u64 mrc_steps_rate(const struct mrc_steps *steps, u64 pages)
{
	unsigned int i;

	for (i = 0; i < steps->n; i++)
		if (pages << MRC_FRAC < steps->step[i].pages)
			return steps->step[i].rate;
	return 0;
}

/**
 * mrc_curve_reset() - forget all ladders
 * @curve: to be emptied
 */
void mrc_curve_reset(struct mrc_curve *curve)
{
	memset(curve, 0, sizeof(*curve));
}

/**
 * mrc_curve_add() - average one ladder's curve into the rates so far
 * @rate: one of the arrays of struct mrc_curve
 * @steps: the ladder's curve
 * @ladders: how many are in @rate already
 *
 * Rates are averaged at equal size, not working sets at equal time: a program
 * whose speed varies from ladder to ladder keeps its cliffs sharp.
 */
void mrc_curve_add(u64 *rate, const struct mrc_steps *steps, u64 ladders)
{
	u64 weight = min_t(u64, ladders, WINDOW - 1);
	unsigned int i, k = 0;

	for (i = 0; i < MRC_SIZES; i++) {
		u64 now = 0;

		while (k < steps->n && steps->step[k].pages <= sizes[i] << MRC_FRAC)
			k++;
		if (k < steps->n)
			now = steps->step[k].rate;
		rate[i] = div64_u64(rate[i] * weight + now, weight + 1);
	}
}

static u32 ratio_of(u64 rate, u64 full)
{
	return full ? min_t(u64, mul_u64_u64_div_u64(rate, MRC_RATIO, full),
			    MRC_RATIO) : 0;
}

/* Half the width of the 95% interval of a mean of MRC_SUBS values. */
static u32 half_width(const u32 *v)
{
	u64 sum = 0, square = 0, var;
	unsigned int k;

	for (k = 0; k < MRC_SUBS; k++) {
		sum += v[k];
		square += (u64)v[k] * v[k];
	}
	var = (square - sum * sum / MRC_SUBS) / (MRC_SUBS - 1);
	/* Student's t with 7 degrees of freedom, 2.365, over sqrt(8). */
	return div_u64((u64)int_sqrt64(var << 8) * 836, 1000 << 4);
}

/**
 * mrc_curve_line() - one line of the curve
 * @curve: the averages
 * @i: index of the size grid
 * @total: all pages that the target maps or has swapped out
 * @line: result
 *
 * The last line is at @total itself. Sizes beyond it have none.
 *
 * Return: false if there is no such line.
 */
bool mrc_curve_line(const struct mrc_curve *curve, unsigned int i, u64 total,
		    struct mrc_line *line)
{
	u64 full = curve->accesses ?: curve->rate[0];
	u32 sub[MRC_SUBS], half;
	unsigned int k;

	if (!curve->ladders || i >= MRC_SIZES ||
	    (i && sizes[i - 1] >= total))
		return false;
	line->pages = min(sizes[i], max_t(u64, total, 1));
	line->rate = curve->rate[i];
	line->ratio = ratio_of(curve->rate[i], full);
	if (!full) {
		/* No touch was seen: nothing is known of the ratio. */
		line->low = 0;
		line->high = MRC_RATIO;
		return true;
	}
	for (k = 0; k < MRC_SUBS; k++)
		sub[k] = ratio_of(curve->sub[k][i],
				  curve->accesses ?: curve->sub[k][0]);
	half = half_width(sub);
	line->low = line->ratio - min(line->ratio, half);
	line->high = min_t(u32, line->ratio + half, MRC_RATIO);
	return true;
}
