// SPDX-License-Identifier: GPL-2.0-only
/* Miss ratio curves: their grids, their averages, and their bands; see curve.h. */

#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

#include "curve/curve.h"

#define WINDOW		MRC_CURVE_WINDOW

/*
 * The averages begin again if two ladders differ from them by such a part, and so
 * many times as much as from each other.
 */
#define CHANGE_PART	4
#define CHANGE_TIMES	2

/* The largest floor of late fades by such a part with each ladder. */
#define FADE		8

/*
 * Times are known to a step of 19/16, and so are rates; a curve may be off by so
 * much of itself and of its sizes, whatever ladders and sub-samples agree upon.
 * What they do not agree upon comes from elsewhere, and squares are added.
 */
#define RESOLUTION	64
#define RATIO_FLOOR	(MRC_RATIO / 400)

/* Pages over us, times this, is a rate. */
#define SCALE		(1000000ULL * MRC_RATE)

/* Fractional bits of a logarithm. */
#define LOG_FRAC	16

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
		sizes[i] = sizes[i - 1] + max_t(u64, 1, sizes[i - 1] / 128);
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
 * mrc_sizes_below() - number of entries of the size grid below a size
 * @pages: the size, in fixed point
 *
 * Return: 0 to MRC_SIZES.
 */
unsigned int mrc_sizes_below(u64 pages)
{
	u64 whole = pages >> MRC_FRAC;

	if (!(pages & ((1 << MRC_FRAC) - 1)) && whole)
		whole--;
	return pages ? not_above(sizes, MRC_SIZES, whole) : 0;
}

/**
 * mrc_wsf_begin() - begin to collect a working set function
 * @wsf: result
 * @point_us: when the sample was looked at, ascending
 * @points: how often; from 1 to MRC_SAMPLE_POINTS
 * @horizon: the longest window that idle ages reach, in us
 *
 * Its points are the times of observation. After the last one the time grid
 * follows.
 */
void mrc_wsf_begin(struct mrc_wsf *wsf, const u64 *point_us, unsigned int points,
		   u64 horizon)
{
	unsigned int i;

	memset(wsf, 0, sizeof(*wsf));
	for (i = 0; i < points; i++)
		wsf->us[wsf->n++] = point_us[i];
	wsf->observed = points;
	i = mrc_times_within(point_us[points - 1]);
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

/**
 * mrc_curve_reset() - forget all ladders
 * @curve: to be emptied
 */
void mrc_curve_reset(struct mrc_curve *curve)
{
	memset(curve, 0, sizeof(*curve));
}

/* The area below a curve. */
static u64 curve_area(const u64 *rate)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i + 1 < MRC_SIZES; i++)
		sum += rate[i] / MRC_RATE * (sizes[i + 1] - sizes[i]);
	return sum;
}

/* The area between two of them. */
static u64 curves_between(const u64 *a, const u64 *b)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i + 1 < MRC_SIZES; i++)
		sum += (max(a[i], b[i]) - min(a[i], b[i])) / MRC_RATE *
		       (sizes[i + 1] - sizes[i]);
	return sum;
}

/* A ladder that is so far from what was before is unlike it. */
static bool is_unlike(const struct mrc_curve *curve, u64 far)
{
	return curve->ladders && far > curve_area(curve->rate) / CHANGE_PART;
}

/* So is the last one, which is like it. */
static bool is_second(const struct mrc_curve *curve, const u64 *now, u64 far)
{
	return curve->ladders > 1 && far > CHANGE_TIMES * curves_between(curve->last, now);
}

/**
 * mrc_curve_begin() - one more ladder is to be added
 * @curve: the averages; where the program does something else now, they begin
 *	again
 * @now: the ladder's rates of the whole sample
 * @floor: below this size it saw no rates, in fixed point
 *
 * For the whole sample and the sub-samples follow mrc_curve_add(), and then
 * @curve->ladders is counted up.
 *
 * Return: whether the ladder is unlike the averages, though they go on: the next
 * ones tell whether the program has changed.
 */
bool mrc_curve_begin(struct mrc_curve *curve, const u64 *now, u64 floor)
{
	u64 far = curves_between(curve->rate, now);
	bool unlike = is_unlike(curve, far);
	bool changed = unlike && is_second(curve, now, far);
	unsigned int i;

	if (changed) {
		curve->ladders = 0;
		memset(curve->deviation, 0, sizeof(curve->deviation));
	}
	if (curve->ladders) {
		u64 weight = min_t(u64, curve->ladders, WINDOW) - 1;
		/* The last ones weigh 1/WINDOW, as in a mean of so many. */
		u64 n = min_t(u64, curve->ladders, 2 * WINDOW - 1);

		for (i = 0; i < MRC_SIZES; i++) {
			u64 off = max(curve->rate[i], now[i]) -
				  min(curve->rate[i], now[i]);

			/* What it is off by is their mean's fault, too. */
			off = div64_u64(off * 2 * n, 2 * n + 1);
			curve->deviation[i] = div64_u64(curve->deviation[i] * weight + off,
							weight + 1);
		}
	}
	memcpy(curve->last, now, sizeof(curve->last));
	/* A program that sleeps touches nothing, but the averages are of others, too. */
	curve->floor = max_t(u64, floor >> MRC_FRAC,
			     curve->ladders ? curve->floor - curve->floor / FADE : 0);
	return unlike && !changed;
}

/**
 * mrc_curve_watched() - how long was watched for the ladder that is being added
 * @curve: after mrc_curve_begin()
 * @us: since the ladder before
 * @pages: the program's working set
 */
void mrc_curve_watched(struct mrc_curve *curve, u64 us, u64 pages)
{
	if (!curve->ladders)
		curve->us = 0;
	else if (curve->ladders >= WINDOW)
		curve->us -= curve->us / WINDOW;
	curve->us += us;
	curve->pages = pages;
}

/**
 * mrc_curve_add() - average one ladder's curve into the rates so far
 * @rate: one of the arrays of struct mrc_curve
 * @now: the ladder's
 * @ladders: how many are in @rate already
 */
void mrc_curve_add(u64 *rate, const u64 *now, u64 ladders)
{
	u64 weight = min_t(u64, ladders, WINDOW - 1);
	unsigned int i;

	for (i = 0; i < MRC_SIZES; i++)
		rate[i] = div64_u64(rate[i] * weight + now[i], weight + 1);
}

/**
 * mrc_blind_add() - what was not told apart around one more moment
 * @blind: of the ladder so far
 * @floor: pages touched within the finest looks, in fixed point
 * @fast: rate of the reuses that are within them
 * @us: time between these looks
 */
void mrc_blind_add(struct mrc_blind *blind, u64 floor, u64 fast, u64 us)
{
	blind->floor[blind->moments++] = floor;
	blind->fast += fast;
	blind->us += us;
}

/**
 * mrc_curve_add_blind() - average that into what the ladders before were blind to
 * @curve: the averages
 * @blind: of one ladder
 */
void mrc_curve_add_blind(struct mrc_curve *curve, const struct mrc_blind *blind)
{
	u64 weight = min_t(u64, curve->ladders, WINDOW - 1), all;
	unsigned int i, n = max(blind->moments, 1U);

	for (i = 0; i < MRC_SIZES; i++)
		curve->floors[i] = div_u64(curve->floors[i] * weight, weight + 1);
	all = div64_u64(1ULL << MRC_SHARE, n * (weight + 1));
	for (i = 0; i < blind->moments; i++)
		curve->floors[min(mrc_sizes_below(blind->floor[i]), MRC_SIZES - 1U)] += all;
	curve->fast = div64_u64(curve->fast * weight + div_u64(blind->fast, n), weight + 1);
	curve->blind_us = div64_u64(curve->blind_us * weight + div_u64(blind->us, n),
				    weight + 1);
}

/**
 * mrc_curve_add_sampled() - average the rate of all accesses likewise
 * @curve: the averages
 * @rate: in this ladder
 */
void mrc_curve_add_sampled(struct mrc_curve *curve, u64 rate)
{
	u64 weight = min_t(u64, curve->ladders, WINDOW - 1);

	curve->sampled = div64_u64(curve->sampled * weight + rate, weight + 1);
}

/**
 * mrc_curve_change() - how much a curve differs from what it was
 * @from: misses a second on the size grid
 * @to: misses a second now
 *
 * Return: the area between the two, sizes taken as the grid has them, in
 * percent of the area below the larger one.
 */
unsigned int mrc_curve_change(const u64 *from, const u64 *to)
{
	u64 between = 0, below = 0;
	unsigned int i;

	for (i = 0; i < MRC_SIZES; i++) {
		between += max(from[i], to[i]) - min(from[i], to[i]);
		below += max(from[i], to[i]);
	}
	return below ? mul_u64_u64_div_u64(between, 100, below) : 0;
}

/**
 * mrc_curve_accesses() - what rates are divided by to ratios
 * @curve: the averages
 *
 * Return: what was written, else what was sampled, else touches.
 */
u64 mrc_curve_accesses(const struct mrc_curve *curve)
{
	return curve->accesses ?: curve->sampled ?: curve->rate[0];
}

static u32 ratio_of(u64 rate, u64 full)
{
	return full ? min_t(u64, mul_u64_u64_div_u64(rate, MRC_RATIO, full),
			    MRC_RATIO) : 0;
}

/*
 * Half the width of the interval that holds the mean of MRC_SUBS values in 92.5% of
 * cases, as far as they are samples: nine in ten are asked for, and what neighbouring
 * sizes are off by is much the same.
 */
static u32 half_width(const u32 *v)
{
	u64 square = 0;
	unsigned int k;

	for (k = 0; k < MRC_MOMENTS; k++) {
		s64 off = (s64)v[k] - v[k + MRC_MOMENTS];

		square += off * off;
	}
	/* The mean's variance is 1/64 of it. Student's t with 4 degrees of freedom: 2.39. */
	return div_u64((u64)int_sqrt64(square << 8) * 299, 1000 << 4);
}

/* The same, of the mean of ladders: the moments they saw may have been special. */
static u32 half_of_ladders(const struct mrc_curve *curve, unsigned int i, u64 full)
{
	/* The last ones weigh 1/WINDOW, which is a mean of 2 * WINDOW - 1. */
	u64 n = min_t(u64, curve->ladders, 2 * WINDOW - 1);

	/* 5/4 of the mean deviation is the standard one; 92.5% are within 1.78 of it. */
	return div_u64((u64)ratio_of(curve->deviation[i], full) * 36,
		       max_t(u32, int_sqrt64(n << 8), 1));
}

/*
 * Had the program gone over to other pages once in all the time that was watched, no
 * ladder need have seen it: that would be so many misses, whatever the size.
 */
static u32 unseen_change(const struct mrc_curve *curve, u64 full)
{
	if (!curve->us)
		return 0;
	return ratio_of(mul_u64_u64_div_u64(curve->pages, SCALE, curve->us), full);
}

/* Errors that have nothing to do with one another. */
static u32 widths_together(u64 a, u64 b, u64 c)
{
	return int_sqrt64(a * a + b * b + c * c);
}

/* The rate with so many pages, or the next size of the grid. */
static u64 rate_near(const struct mrc_curve *curve, u64 pages)
{
	unsigned int i = not_above(sizes, MRC_SIZES, pages - !!pages);

	return curve->rate[min(i, MRC_SIZES - 1U)];
}

/* log2 of x, which is at least 1, as if it were straight from power to power. */
static u32 log2_of(u64 x)
{
	u32 whole = ilog2(x);

	return whole << LOG_FRAC |
	       (whole > LOG_FRAC ? x >> (whole - LOG_FRAC) : x << (LOG_FRAC - whole)) %
	       (1 << LOG_FRAC);
}

/* The inverse, of up to 31. */
static u64 exp2_of(u32 log)
{
	u32 part = (1 << LOG_FRAC) | log % (1 << LOG_FRAC);

	return ((u64)part << (log >> LOG_FRAC)) >> LOG_FRAC;
}

/* What lies below the floor, where no look tells one touch from another. */
struct blind {
	u32 least;
	u32 likely;
	u32 most;
};

/*
 * The ratio is 1 for no memory. Of the touches that were seen, so many miss as there
 * are more pages in a look than memory: no fewer, in any order; and there may be
 * touches that were not seen. The floor is of two looks, to both sides of a moment,
 * and what is touched in both counts as touched once a look. A power of the size,
 * which many programs have, that ends with all that were seen is taken for the most.
 */
static struct blind below_floor(const struct mrc_curve *curve, u64 pages, u64 full)
{
	u64 floor = curve->floor;
	u32 seen = max(ratio_of(rate_near(curve, pages), full), 1u);
	u32 rest = ratio_of(rate_near(curve, floor + floor / FADE), full);
	u32 fall = log2_of(MRC_RATIO) - log2_of(seen);
	struct blind b;

	fall = div_u64((u64)fall * log2_of(pages), max(log2_of(floor), 1u));
	b.most = min_t(u64, exp2_of(log2_of(MRC_RATIO) - fall), MRC_RATIO);
	b.least = rest + div64_u64((seen - min(rest, seen)) * (floor - pages), 2 * floor);
	/* The mean of their logarithms. */
	b.likely = int_sqrt64((u64)b.most * b.least);
	return b;
}

/*
 * The ratio below one floor, with @rest above it. In a window of one access one page is
 * touched, and in one as long as the finest looks are apart, as many as the floor has. If
 * the working set is a power of time in between, its slope is the ratio (HOTL), which
 * falls off at the floor; if the ratio is a power of the size, it does not. Programs are
 * between the two: the mean of the logarithms is taken.
 */
static u32 ratio_below(u64 pages, u32 log_floor, u32 log_accesses, u32 rest)
{
	u32 one = log2_of(MRC_RATIO), log_pages = log2_of(pages);
	u64 slope, power;

	if (log_accesses <= log_floor)
		return MRC_RATIO;
	slope = div_u64((u64)(log_accesses - log_floor) * log_pages, log_floor);
	slope = div_u64(exp2_of(one - min_t(u64, slope, one)) * log_floor, log_accesses);
	power = div_u64((u64)(one - log2_of(max(rest, 1U))) * log_pages, log_floor);
	power = exp2_of(one - min_t(u64, power, one));
	return int_sqrt64(slope * power);
}

/* The size of a floor, in parts of the moments that have it. */
static u64 floor_weight(const struct mrc_curve *curve, unsigned int i)
{
	return (curve->floors[i] * sizes[i]) >> (MRC_SHARE / 2);
}

/*
 * Moments differ by their floors. The reuses that one of them was blind to count as misses up
 * to its floor, as many as the floor has pages: what is likely there comes in their place.
 */
static u32 ratio_bridged(const struct mrc_curve *curve, u64 pages, u32 ratio, u64 full)
{
	u64 accesses = mul_u64_u64_div_u64(full, curve->blind_us, MRC_RATE * 1000000ULL);
	u32 log_accesses = log2_of(max(accesses, 2ULL)), fast = ratio_of(curve->fast, full);
	u64 all = 0, above = 0, likely = 0, blind = 0;
	unsigned int i;

	for (i = 0; i < MRC_SIZES; i++)
		all += floor_weight(curve, i);
	for (i = MRC_SIZES; all && i-- && sizes[i] > pages;) {
		u32 rest = ratio_of(curve->rate[i], full), below;

		if (!curve->floors[i])
			continue;
		rest -= min_t(u64, rest, blind);
		/* What misses above the floor is in @ratio already. */
		below = ratio_below(pages, log2_of(sizes[i]), log_accesses, rest);
		likely += (u64)curve->floors[i] * (below - min(below, rest));
		above += floor_weight(curve, i);
		blind = mul_u64_u64_div_u64(fast, above, all);
	}
	return min_t(u64, ratio - min_t(u64, blind, ratio) + (likely >> MRC_SHARE), MRC_RATIO);
}

/**
 * mrc_curve_line() - one line of the curve
 * @curve: the averages
 * @i: index of the size grid
 * @total: all pages that the target maps or has swapped out
 * @line: result
 *
 * If the rate of accesses is known, ratios below the floor lie between it and what
 * was seen. The last line is at @total itself. Sizes beyond it have none.
 *
 * Return: false if there is no such line.
 */
bool mrc_curve_line(const struct mrc_curve *curve, unsigned int i, u64 total,
		    struct mrc_line *line)
{
	u64 full = mrc_curve_accesses(curve);
	u32 sub[MRC_SUBS], half, off, low, high;
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
	if (!i && full == curve->rate[0]) {
		/* All touches that are seen, by definition. */
		line->low = line->ratio;
		line->high = line->ratio;
		return true;
	}
	low = ratio_of(rate_near(curve, line->pages + line->pages / RESOLUTION + 1), full);
	high = ratio_of(rate_near(curve, line->pages - line->pages / RESOLUTION), full);
	for (k = 0; k < MRC_SUBS; k++)
		sub[k] = ratio_of(curve->sub[k][i], full);
	half = max(half_width(sub), half_of_ladders(curve, i, full));
	off = line->ratio / (2 * RESOLUTION);
	low = widths_together(line->ratio - min(low, line->ratio), half, off) + RATIO_FLOOR;
	high = widths_together(max(high, line->ratio) - line->ratio,
			       max(half, unseen_change(curve, full)), off) + RATIO_FLOOR;
	low = line->ratio - min(low, line->ratio);
	high += line->ratio;
	if (curve->accesses && curve->blind_us)
		line->ratio = ratio_bridged(curve, line->pages, line->ratio, full);
	if (curve->accesses && line->pages < curve->floor) {
		struct blind b = below_floor(curve, line->pages, full);

		if (!curve->blind_us)
			line->ratio = b.likely;
		low = min(low, b.least);
		high = max(high, b.most);
	}
	low = min(low, line->ratio);
	high = max(high, line->ratio);
	line->low = low;
	line->high = min_t(u32, high, MRC_RATIO);
	return true;
}
