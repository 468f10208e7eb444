// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory divided by marginal gain: paper 001, section 4.1.2. Each piece goes to
 * the target whose utility rises most with it, along the convex hull where the
 * utility itself is not convex (a loop gains nothing until it fits).
 *
 * A hull promises what only its next vertex keeps. So it is drawn no further
 * than what a target can get at all; and where the memory ends between two
 * vertices, the division is tried again without the second one, and kept if
 * that is worth more.
 */

#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "curve/curve.h"
#include "curve/division.h"

/* All of a ratio or of a speed. */
#define WHOLE		1000000ULL
/* Slopes are utility over pages, with so many fractional bits. */
#define SLOPE_SHIFT	20
/* Fractional bits of a logarithm; and one that none reaches. */
#define LOG_SHIFT	16
#define SPEED		(64ULL << LOG_SHIFT)
/* What is added in the middle between two powers, four times: (log2(1.5) - 0.5) * 4. */
#define BULGE		22286

/**
 * mrc_rate_at() - look up a miss rate
 * @rate: on the size grid
 * @full: pages that there are: with these, none is missed but what is new
 * @pages: memory size
 *
 * Return: misses a second, in MRC_RATE.
 */
u64 mrc_rate_at(const u64 *rate, u64 full, u64 pages)
{
	unsigned int low = 0, high = MRC_SIZES;

	/* The curve's last line is at @full, with the rate of the size above. */
	if (pages >= full) {
		while (low < MRC_SIZES - 1 && mrc_size(low) < full)
			low++;
		return rate[low];
	}
	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (mrc_size(mid) <= pages)
			low = mid + 1;
		else
			high = mid;
	}
	return rate[low ? low - 1 : 0];
}

/**
 * mrc_rate_raise() - a curve that has less misses than there will be
 * @rate: the curve
 * @pages: with less than so many
 * @least: it misses so much
 */
void mrc_rate_raise(u64 *rate, u64 pages, u64 least)
{
	unsigned int i;

	for (i = 0; i < MRC_SIZES && mrc_size(i) < pages; i++)
		rate[i] = max(rate[i], least);
}

/**
 * mrc_seen_add() - a target was seen to miss, whatever its curve says
 * @seen: what was seen before, on the size grid: misses in each second that it
 *	runs, in MRC_RATE
 * @pages: with less than so many; with less than that it would not miss less
 * @rate: what it missed, likewise
 * @part: such a part of what was seen before is forgotten, in millionths
 */
void mrc_seen_add(u64 *seen, u64 pages, u64 rate, u64 part)
{
	unsigned int i;

	for (i = 0; i < MRC_SIZES; i++)
		seen[i] = mul_u64_u64_div_u64(seen[i], WHOLE - min(part, WHOLE), WHOLE);
	mrc_rate_raise(seen, pages, rate);
}

/**
 * mrc_rate_lower() - a curve that has more misses than there are
 * @rate: the curve
 * @full: as of mrc_rate_at()
 * @pages: memory size
 * @real: misses with so much, which the curve has at least
 *
 * With more it misses so much less in proportion. With less, what each page spares
 * it is as before.
 */
void mrc_rate_lower(u64 *rate, u64 full, u64 pages, u64 real)
{
	u64 said = mrc_rate_at(rate, full, pages);
	unsigned int i;

	if (real >= said)
		return;
	for (i = 0; i < MRC_SIZES; i++)
		rate[i] = rate[i] > said ? rate[i] - (said - real) :
					   mul_u64_u64_div_u64(rate[i], real, said);
}

/**
 * mrc_seen_correct() - a curve is refuted by what was seen
 * @seen: this
 * @rate: the curve
 * @running: how much of its time it runs at the curve's pace, in MRC_RUNNING
 *
 * Return: pages up to which it was wrong.
 */
u64 mrc_seen_correct(const u64 *seen, u64 *rate, u32 running)
{
	u64 real, wrong = 0;
	unsigned int i;

	for (i = 0; i < MRC_SIZES; i++) {
		real = mul_u64_u64_div_u64(seen[i], running, MRC_RUNNING);
		if (real <= rate[i])
			continue;
		rate[i] = real;
		wrong = mrc_size(i) + 1;
	}
	return wrong;
}

/* log2 of x, which is at least 1, to a hundredth. */
static u64 utility_log(u64 x)
{
	u64 one = 1 << LOG_SHIFT, whole = ilog2(x), part;

	part = whole > LOG_SHIFT ? x >> (whole - LOG_SHIFT) : x << (LOG_SHIFT - whole);
	part -= one;
	part += (part * (one - part) >> LOG_SHIFT) * BULGE >> LOG_SHIFT;
	return (whole << LOG_SHIFT) + part;
}

static u64 claim_utility(const struct mrc_claim *c, const struct mrc_division *by,
			 u64 pages)
{
	u64 none = c->rate[0];
	u64 rate = min(mrc_rate_at(c->rate, c->full, pages), none), u = 0;

	switch (by->utility) {
	case MRC_UTILITY_MISSES:
		u = none - rate;
		break;
	case MRC_UTILITY_TIME:
		/*
		 * Rates are those of the pace that it has now; waiting, in
		 * millionths of the time that it runs, is of its own.
		 */
		u = SPEED - utility_log(WHOLE + div_u64(rate * by->miss_us,
							c->running));
		break;
	default:
		if (none)
			u = mul_u64_u64_div_u64(none - rate, WHOLE, none);
	}
	return u * c->weight;
}

static u64 vertex_slope(const struct mrc_vertex *a, const struct mrc_vertex *b)
{
	u64 rise = b->utility > a->utility ? b->utility - a->utility : 0;

	/* More than the processor can divide. */
	if (rise >> (64 - SLOPE_SHIFT) >= b->pages - a->pages)
		return U64_MAX;
	return mul_u64_u64_div_u64(rise, 1ULL << SLOPE_SHIFT,
				   b->pages - a->pages);
}

static void hull_add(struct mrc_claim *c, u64 pages, u64 utility)
{
	struct mrc_vertex *v = c->hull, new = { pages, utility };

	while (c->n > 1 && vertex_slope(&v[c->n - 2], &v[c->n - 1]) <=
			   vertex_slope(&v[c->n - 1], &new))
		c->n--;
	v[c->n++] = new;
}

/* From what it has for certain to what it can get. */
static void hull_draw(struct mrc_claim *c, const struct mrc_division *by)
{
	u64 end = min(min(c->reach, c->full), c->most);
	unsigned int i;

	c->n = 0;
	hull_add(c, c->min, claim_utility(c, by, c->min));
	for (i = 0; i < MRC_SIZES && mrc_size(i) < end; i++)
		if (mrc_size(i) > c->min)
			hull_add(c, mrc_size(i), claim_utility(c, by, mrc_size(i)));
	if (end > c->min)
		hull_add(c, end, claim_utility(c, by, end));
}

static u64 claim_next_slope(const struct mrc_claim *c)
{
	return c->at + 1 < c->n ? vertex_slope(&c->hull[c->at], &c->hull[c->at + 1]) :
				  0;
}

/* Ties go to the first. Return: NULL if nobody gains. */
static struct mrc_claim *claim_steepest(struct mrc_claim *claim, unsigned int n)
{
	struct mrc_claim *best = NULL, *c;
	u64 most = 0;

	for (c = claim; c < claim + n; c++)
		if (claim_next_slope(c) > most) {
			most = claim_next_slope(c);
			best = c;
		}
	return best;
}

/*
 * The same slope holds up to the next vertex: the pieces up to there go to the
 * same target, and are given at once.
 *
 * Return: pages that nobody gains by.
 */
static u64 division_greedy(struct mrc_claim *claim, unsigned int n,
			   const struct mrc_division *by)
{
	u64 left = by->total;
	struct mrc_claim *c;

	for (c = claim; c < claim + n; c++) {
		c->pages = c->min;
		c->at = 0;
		left -= c->min;
	}
	while (left && (c = claim_steepest(claim, n))) {
		u64 give = c->hull[c->at + 1].pages - c->pages;

		give = div64_u64(give + by->unit - 1, by->unit) * by->unit;
		give = min(give, left);
		c->pages += give;
		left -= give;
		while (c->at + 1 < c->n && c->hull[c->at + 1].pages <= c->pages)
			c->at++;
	}
	return left;
}

static u64 division_worth(const struct mrc_claim *claim, unsigned int n,
			  const struct mrc_division *by)
{
	const struct mrc_claim *c;
	u64 sum = 0;

	for (c = claim; c < claim + n; c++)
		sum += claim_utility(c, by, c->pages);
	return sum;
}

/* The target whose next vertex was not reached, or NULL. */
static struct mrc_claim *claim_stranded(struct mrc_claim *claim, unsigned int n)
{
	struct mrc_claim *c;

	for (c = claim; c < claim + n; c++)
		if (c->pages > c->hull[c->at].pages && c->at + 1 < c->n)
			return c;
	return NULL;
}

static u64 division_improve(struct mrc_claim *claim, unsigned int n,
			    const struct mrc_division *by, u64 left)
{
	u64 best = division_worth(claim, n, by), before;
	struct mrc_claim *c, *s;

	while ((s = claim_stranded(claim, n))) {
		for (c = claim; c < claim + n; c++)
			c->saved = c->pages;
		before = left;
		s->reach = s->hull[s->at].pages;
		hull_draw(s, by);
		left = division_greedy(claim, n, by);
		if (division_worth(claim, n, by) > best) {
			best = division_worth(claim, n, by);
			continue;
		}
		for (c = claim; c < claim + n; c++)
			c->pages = c->saved;
		return before;
	}
	return left;
}

/* How much of what it has it makes use of: misses that it is spared. */
static u64 claim_use(const struct mrc_claim *c)
{
	u64 none = c->rate[0];
	u64 rate = min(mrc_rate_at(c->rate, c->full, c->pages), none);

	return none ? mul_u64_u64_div_u64(none - rate, WHOLE, none) : WHOLE;
}

static u64 claim_missing(const struct mrc_claim *c)
{
	u64 end = min(c->full, c->most);

	return end > c->pages ? end - c->pages : 0;
}

/*
 * What nobody gains by, for all that is known, keeps what is there from being
 * evicted for nothing. Of a program that hits, what has not been seen in use yet
 * may still be; one that misses whatever it has gets what the others leave.
 */
static void rest_spread(struct mrc_claim *claim, unsigned int n, u64 left)
{
	struct mrc_claim *c;
	u64 sum = 0, lack = 0, all = left, give;

	for (c = claim; c < claim + n; c++) {
		c->saved = mul_u64_u64_div_u64(claim_missing(c), claim_use(c), WHOLE);
		sum += c->saved;
	}
	for (c = claim; c < claim + n; c++) {
		give = sum ? mul_u64_u64_div_u64(min(all, sum), c->saved, sum) : 0;
		c->pages += give;
		left -= give;
		lack += claim_missing(c);
	}
	left = min(left, lack);
	for (c = claim; c < claim + n && lack; c++) {
		give = mul_u64_u64_div_u64(left, claim_missing(c), lack);
		c->pages += give;
	}
}

/* If not even these are there, all are cut alike. */
static void minima_set(struct mrc_claim *claim, unsigned int n, u64 total)
{
	struct mrc_claim *c;
	u64 sum = 0;

	for (c = claim; c < claim + n; c++)
		sum += c->min;
	for (c = claim; c < claim + n; c++) {
		if (sum > total)
			c->min = mul_u64_u64_div_u64(c->min, total, sum);
		c->reach = sum > total ? c->min : total - (sum - c->min);
	}
}

/**
 * mrc_divide() - divide memory among targets
 * @claim: the targets; @min is lowered where all of them together are too much
 * @n: how many
 * @by: what there is, and what it is divided by
 *
 * Return: nothing; each claim's @pages, which add up to no more than the total.
 */
void mrc_divide(struct mrc_claim *claim, unsigned int n,
		const struct mrc_division *by)
{
	struct mrc_claim *c;
	u64 left;

	minima_set(claim, n, by->total);
	for (c = claim; c < claim + n; c++)
		hull_draw(c, by);
	left = division_greedy(claim, n, by);
	left = division_improve(claim, n, by, left);
	rest_spread(claim, n, left);
}

/**
 * mrc_divide_within() - some of the targets can have only so much together
 * @claim: these; @most is set, of each, by what it gains of the others
 * @n: how many
 * @by: what memory is divided by
 * @limit: pages
 */
void mrc_divide_within(struct mrc_claim *claim, unsigned int n,
		       const struct mrc_division *by, u64 limit)
{
	struct mrc_division within = *by;
	struct mrc_claim *c;
	u64 sum = 0;

	for (c = claim; c < claim + n; c++)
		sum += c->full;
	if (sum <= limit)
		return;
	within.total = limit;
	mrc_divide(claim, n, &within);
	for (c = claim; c < claim + n; c++)
		c->most = c->pages;
}
