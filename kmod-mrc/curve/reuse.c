// SPDX-License-Identifier: GPL-2.0-only
/*
 * Miss rates from the reuses that span one moment.
 *
 * At a random moment, each page is between two touches: its last one, an age
 * ago, and its next. The pages that were touched between the two are those of
 * a lower age and those that are touched again sooner, so that of every reuse
 * the distance in the LRU stack is known: what paper 001, section 2.1, counts
 * with Mattson's stack, without seeing more than two touches of a page. It holds
 * for any order of touches, while the slope of the working set function (HOTL)
 * takes all reuses of one length to be of one distance, which loops within
 * loops are not.
 *
 * A reuse that is long is more likely to be the one that spans a moment, so
 * each counts for one over its length (Horvitz and Thompson 1952). One that is
 * longer than what is watched after the moment is seen if it ends there, and
 * counts for one over that.
 *
 * Thousands of pages that had been idle for long are touched at once where a
 * program begins with something else. A window of milliseconds may miss that or
 * count it for much, so such pages are counted in the time before it, too.
 */

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

#include "curve/curve.h"
#include "curve/reuse.h"

/* Pages in fixed point over us, times this, is a rate << MRC_FRAC. */
#define SCALE		(1000000ULL * MRC_RATE)

/* So many pairs of samples are taken to be as all are. */
#define PRIOR_PAIRS	4
/* Fractional bits of a share of pairs. */
#define SHARE		16

/**
 * mrc_reuse_idle() - where an age is counted that no look of the ladder found
 * @us: the age
 *
 * Return: below MRC_IDLE_AGES, to be added to the number of looks.
 */
unsigned int mrc_reuse_idle(u64 us)
{
	return min_t(unsigned int, mrc_times_within(us) / 2, MRC_IDLE_AGES - 1);
}

/**
 * mrc_reuse_next() - no page of another moment yet
 * @r: the rates that were found so far stay, and more are added to them
 * @window: length of time after the moment that was watched, in us
 */
void mrc_reuse_next(struct mrc_reuse *r, u64 window)
{
	memset(r, 0, offsetof(struct mrc_reuse, rate));
	r->window = window;
}

/**
 * mrc_reuse_begin() - no page yet
 * @r: result
 * @window: length of time after the moment that was watched, in us
 */
void mrc_reuse_begin(struct mrc_reuse *r, u64 window)
{
	memset(r->rate, 0, sizeof(r->rate));
	mrc_reuse_next(r, window);
}

/**
 * mrc_reuse_count() - one more page
 * @r: being collected
 * @age: which age it had, below MRC_AGES
 * @first: which look after the moment found it touched; MRC_SAMPLE_POINTS: none
 * @weight: the pages that it stands for, in fixed point
 */
void mrc_reuse_count(struct mrc_reuse *r, unsigned int age, unsigned int first,
		     u64 weight)
{
	r->around[age][first] += weight;
	r->any[age] = true;
	r->total += weight;
	r->samples++;
}

/* Whole pages of one age and first touch; after mrc_reuse_sum(). */
static u64 reuse_cell(const struct mrc_reuse *r, unsigned int age, unsigned int first)
{
	return (r->around[age][first] - r->around[age + 1][first] -
		r->around[age][first + 1] + r->around[age + 1][first + 1]) >>
		MRC_FRAC;
}

/*
 * Pairs of pages around the corner of four cells: of the older one, either the
 * next touch is the sooner one, and their reuses cross, or it is the later one.
 */
static void reuse_pairs(const struct mrc_reuse *r, unsigned int age,
			unsigned int first, u64 *cross, u64 *nest)
{
	*cross += reuse_cell(r, age + 1, first) * reuse_cell(r, age, first + 1);
	*nest += reuse_cell(r, age, first) * reuse_cell(r, age + 1, first + 1);
}

/**
 * mrc_reuse_sum() - all pages have been counted
 * @r: from here on, distances are known
 */
void mrc_reuse_sum(struct mrc_reuse *r)
{
	unsigned int a, f;

	/* Most ages have no page. */
	for (a = 0; a + 1 < MRC_AGES; a++)
		for (f = 0; r->any[a] && r->any[a + 1] && f + 2 < MRC_FIRSTS; f++) {
			u64 *young = r->around[a] + f, *old = r->around[a + 1] + f;

			r->cross += (old[0] >> MRC_FRAC) * (young[1] >> MRC_FRAC);
			r->nest += (young[0] >> MRC_FRAC) * (old[1] >> MRC_FRAC);
		}
	for (a = MRC_AGES; a--;) {
		u64 *row = r->around[a], *older = r->around[a + 1], sum = 0;

		if (!r->any[a])
			memcpy(row, older, sizeof(r->around[a]));
		for (f = MRC_FIRSTS; r->any[a] && f--;) {
			sum += row[f];
			row[f] = sum + older[f];
		}
	}
	r->floor = r->total - r->around[1][1];
}

/*
 * How likely two pages cross that were found by the same look, by those nearby:
 * always in a loop, never where it runs back and forth, else half of the time.
 */
static u64 reuse_crossing(const struct mrc_reuse *r, unsigned int age,
			  unsigned int first)
{
	u64 cross = 0, nest = 0, unit, prior, all = r->cross + r->nest, near;
	unsigned int a, f;

	/* Nothing finer was looked at: blind up to the floor, which a loop is at. */
	if (!age && !first)
		return 1 << SHARE;
	for (a = age ? age - 1 : 0; a <= age && a + 1 < MRC_AGES; a++)
		for (f = first ? first - 1 : 0; f <= first && f + 2 < MRC_FIRSTS; f++)
			reuse_pairs(r, a, f, &cross, &nest);
	unit = div_u64(r->total >> MRC_FRAC, max(r->samples, 1u));
	prior = max(PRIOR_PAIRS * unit * unit, 1ULL);
	near = cross + nest + prior;
	cross += all ? mul_u64_u64_div_u64(prior, r->cross, all) : prior;
	return mul_u64_u64_div_u64(cross, 1 << SHARE, near);
}

/**
 * mrc_reuse_distance() - how many pages were touched from a page's touch to its next
 * @r: after mrc_reuse_sum()
 * @age: the page's age
 * @first: which look found it touched
 *
 * Return: pages, itself included, in fixed point.
 */
u64 mrc_reuse_distance(const struct mrc_reuse *r, unsigned int age,
		       unsigned int first)
{
	/* Others that are older, and are touched later, were not touched. */
	u64 both = r->around[age + 1][first + 1];
	u64 same_age = r->around[age][first + 1] - both;
	u64 same_first = r->around[age + 1][first] - both;
	u64 same = r->around[age][first] - both - same_age - same_first;
	u64 nested = (1 << SHARE) - reuse_crossing(r, age, first), outside;

	/* Of two that nest, one is outside. */
	outside = both + mul_u64_u64_shr(same_age + same_first, nested, SHARE) +
		  mul_u64_u64_shr(same, nested, SHARE + 1);
	return r->total - min(outside, r->total);
}

/**
 * mrc_reuse_touch() - one reuse
 * @r: after mrc_reuse_sum()
 * @age: the page's age
 * @first: which look found it touched
 * @us: time from its last touch to its first
 * @weight: the pages that it stands for, in fixed point
 */
void mrc_reuse_touch(struct mrc_reuse *r, unsigned int age, unsigned int first,
		     u64 us, u64 weight)
{
	u64 rate = mul_u64_u64_div_u64(weight, SCALE, clamp_t(u64, us, 1, r->window));
	u16 *below = &r->below[age][first];

	/* Many pages have the same. */
	if (!*below)
		*below = max(mrc_sizes_below(mrc_reuse_distance(r, age, first)), 1u);
	r->rate[*below - 1] += rate;
	if (!age && !first)
		r->fast += rate;
}

/**
 * mrc_reuse_remainder() - what a reuse counts for, if some are counted elsewhere
 * @us: time from the page's last touch to its first
 * @weight: the pages that it stands for, in fixed point
 * @gap: for so long before the moment it was known which pages were touched, in us
 * @window: and for so long after it
 *
 * A page that had been idle for as long as both together when the gap began is
 * counted whenever it is touched in either, for one over both. A reuse of any
 * length is of such a page if it ends early enough; the rest of its chance to
 * be counted is left to those that end in the window.
 *
 * Return: pages, in fixed point, for mrc_reuse_touch().
 */
u64 mrc_reuse_remainder(u64 us, u64 weight, u64 gap, u64 window)
{
	u64 both = gap + window;

	if (!gap || us <= both)
		return weight;
	return weight - mul_u64_u64_div_u64(weight, min(us - both, gap), both);
}

/**
 * mrc_reuse_finish() - all reuses have been told
 * @r: from here on, its rates are what the name says
 */
void mrc_reuse_finish(struct mrc_reuse *r)
{
	u64 sum = 0;
	unsigned int i;

	for (i = MRC_SIZES; i--;) {
		sum += r->rate[i];
		r->rate[i] = sum >> MRC_FRAC;
	}
}
