// SPDX-License-Identifier: GPL-2.0-only
/*
 * From what a ladder saw of each page of the sample to miss rates (reuse.c).
 */

#include <linux/math64.h>

#include "curve/curve.h"
#include "curve/reuse.h"
#include "curve/sample.h"
#include "target/target.h"
#include "track/estimate.h"

/* How long before the moment a page was touched last, in us. */
static u64 idle_us(const struct mrc_target *t, const struct mrc_entry *e)
{
	if (!e->seen_by)
		return e->read - min(e->read, t->since);
	return e->read - (e->seen_after + e->seen_by) / 2;
}

static const struct mrc_ladder_schedule *schedule_of(const struct mrc_target *t,
						     const struct mrc_entry *e)
{
	return &t->schedule[e->sub % t->moments];
}

/* The same, as mrc_reuse_count() has it. */
static unsigned int age_of(const struct mrc_target *t, const struct mrc_entry *e)
{
	unsigned int looks = schedule_of(t, e)->steps - 1;

	if (e->step)
		return looks - e->step;
	return e->seen_by ? looks + mrc_reuse_idle(idle_us(t, e)) : MRC_NEVER;
}

static unsigned int first_of(const struct mrc_target *t,
			     const struct mrc_entry *e)
{
	/* One found by a look that was cut short counts at the next. */
	return e->flags & MRC_ENTRY_TOUCHED ?
	       min_t(u32, e->point, schedule_of(t, e)->points - 1) : MRC_SAMPLE_POINTS;
}

/* Whether a page is one of a moment, or of a sub-sample, if @sub is not NULL. */
static bool page_counts(const struct mrc_target *t, const struct mrc_entry *e,
			const struct mrc_ladder_schedule *c, const struct mrc_sub_sample *sub)
{
	if (e->flags & MRC_ENTRY_CENSORED)
		return false;
	if (t->few_huge && mrc_entry_kind(e) == MRC_HUGE)
		return true;
	return sub ? sub == &t->sub[e->sub] : c == schedule_of(t, e);
}

/* From when a page was last looked at before the ladder to its moment, in us. */
static u64 gap_us(const struct mrc_entry *e)
{
	return e->left ? e->read - e->left : 0;
}

/* For how long touches are known, if that began with the gap. */
static u64 known_us(const struct mrc_target *t, const struct mrc_entry *e)
{
	return gap_us(e) + schedule_of(t, e)->window;
}

/* Whether its first touch counts in the gap as well: mrc_reuse_remainder(). */
static bool was_idle(const struct mrc_target *t, const struct mrc_entry *e)
{
	return e->left && e->idle >= known_us(t, e);
}

/* What found it touched since the gap began: a clearing, or the looks after them. */
static unsigned int woken_by(const struct mrc_target *t, const struct mrc_entry *e)
{
	if (e->woke)
		return min(e->woke - 1, MRC_SAMPLE_POINTS - 1);
	return e->flags & MRC_ENTRY_TOUCHED ?
	       min_t(u32, schedule_of(t, e)->steps, MRC_SAMPLE_POINTS - 1) : MRC_SAMPLE_POINTS;
}

static bool was_woken(const struct mrc_target *t, const struct mrc_entry *e)
{
	return was_idle(t, e) && woken_by(t, e) < MRC_SAMPLE_POINTS;
}

static bool any_woken(const struct mrc_target *t, const struct mrc_ladder_schedule *c,
		      const struct mrc_sub_sample *sub)
{
	const struct mrc_entry *e, *end = t->sample.entry + t->sample.n;

	for (e = t->sample.entry; e < end; e++)
		if (page_counts(t, e, c, sub) && was_woken(t, e))
			return true;
	return false;
}

/* The reuses of such pages: the beginning of the gap is their moment. */
static void rates_estimate_woken(struct mrc_target *t, const struct mrc_ladder_schedule *c,
				 const struct mrc_sub_sample *sub, const u64 *weight)
{
	const struct mrc_entry *e, *end = t->sample.entry + t->sample.n;

	mrc_reuse_begin(&t->reuse, U64_MAX);
	for (e = t->sample.entry; e < end; e++)
		if (page_counts(t, e, c, sub) && e->left)
			mrc_reuse_count(&t->reuse, mrc_reuse_idle(e->idle),
					woken_by(t, e), weight[mrc_entry_kind(e)]);
	mrc_reuse_sum(&t->reuse);
	for (e = t->sample.entry; e < end; e++)
		if (page_counts(t, e, c, sub) && was_woken(t, e))
			mrc_reuse_touch(&t->reuse, mrc_reuse_idle(e->idle),
					woken_by(t, e), known_us(t, e),
					weight[mrc_entry_kind(e)]);
}

/* Miss rates, from the reuses that span a moment; of a sub-sample, or all. */
static void rates_estimate(struct mrc_target *t, const struct mrc_ladder_schedule *c,
			   const struct mrc_sub_sample *sub)
{
	const u64 *weight = sub ? sub->weight : c->weight;
	const struct mrc_entry *e, *end = t->sample.entry + t->sample.n;

	/* Few programs have them. */
	if (any_woken(t, c, sub)) {
		rates_estimate_woken(t, c, sub, weight);
		mrc_reuse_next(&t->reuse, c->window);
	} else {
		mrc_reuse_begin(&t->reuse, c->window);
	}
	for (e = t->sample.entry; e < end; e++)
		if (page_counts(t, e, c, sub))
			mrc_reuse_count(&t->reuse, age_of(t, e), first_of(t, e),
					weight[mrc_entry_kind(e)]);
	mrc_reuse_sum(&t->reuse);
	for (e = t->sample.entry; e < end; e++) {
		u64 us, left;

		if (!page_counts(t, e, c, sub) || !(e->flags & MRC_ENTRY_TOUCHED) ||
		    (was_idle(t, e) && !e->woke))
			continue;
		us = idle_us(t, e) + (e->after + e->by) / 2;
		left = mrc_reuse_remainder(us, weight[mrc_entry_kind(e)], gap_us(e),
					   schedule_of(t, e)->window);
		mrc_reuse_touch(&t->reuse, age_of(t, e), first_of(t, e), us, left);
	}
	mrc_reuse_finish(&t->reuse);
}

/**
 * mrc_estimate_prepare() - note what is known of pages before a ladder
 * @t: the target
 */
void mrc_estimate_prepare(struct mrc_target *t)
{
	u32 i;

	for (i = 0; i < t->sample.n; i++) {
		struct mrc_entry *e = &t->sample.entry[i];

		e->left = e->flags & MRC_ENTRY_WATCHED ? e->read : 0;
		e->idle = e->left ? idle_us(t, e) : 0;
		e->woke = 0;
	}
}

/**
 * mrc_estimate_whole() - miss rates of the whole sample
 * @t: the target, after a ladder; they are the mean over its moments, in @t->rate
 *
 * Return: below this size no rates were seen, in fixed point.
 */
u64 mrc_estimate_whole(struct mrc_target *t)
{
	u64 floor = 0;
	u32 k;

	t->blind = (struct mrc_blind){};
	for (k = 0; k < t->moments; k++) {
		rates_estimate(t, &t->schedule[k], NULL);
		mrc_curve_add(t->rate, t->reuse.rate, k);
		floor += t->reuse.floor;
		mrc_blind_add(&t->blind, t->reuse.floor, t->reuse.fast >> MRC_FRAC,
			      2 * t->schedule[k].point_us[0]);
	}
	return div_u64(floor, t->moments);
}

/**
 * mrc_estimate_sub() - miss rates of a sub-sample
 * @t: the target, after a ladder; they are in @t->reuse
 * @sub: which one
 */
void mrc_estimate_sub(struct mrc_target *t, u32 sub)
{
	rates_estimate(t, &t->schedule[sub % t->moments], &t->sub[sub]);
}
