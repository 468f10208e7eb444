// SPDX-License-Identifier: GPL-2.0-only
/*
 * From what a ladder saw of each page of the sample to miss rates (reuse.c).
 */

#include <linux/math64.h>

#include "mrc.h"

/* How long before the moment a page was touched last, in us. */
static u64 idle_us(const struct mrc_target *t, const struct mrc_entry *e)
{
	if (!e->seen_by)
		return e->read - min(e->read, t->since);
	return e->read - (e->seen_after + e->seen_by) / 2;
}

static const struct mrc_climb *climb_of(const struct mrc_target *t,
					const struct mrc_entry *e)
{
	return &t->climb[e->sub % t->moments];
}

/* The same, as mrc_reuse_count() has it. */
static unsigned int age_of(const struct mrc_target *t, const struct mrc_entry *e)
{
	unsigned int looks = climb_of(t, e)->steps - 1;

	if (e->step)
		return looks - e->step;
	return e->seen_by ? looks + mrc_reuse_idle(idle_us(t, e)) : MRC_NEVER;
}

static unsigned int first_of(const struct mrc_target *t,
			     const struct mrc_entry *e)
{
	/* One found by a look that was cut short counts at the next. */
	return e->flags & MRC_F_TOUCHED ?
	       min_t(u32, e->rung, climb_of(t, e)->rungs - 1) : MRC_RUNGS;
}

/* Whether a page is one of a moment, or of a sub-sample, if @sub is not NULL. */
static bool counts(const struct mrc_target *t, const struct mrc_entry *e,
		   const struct mrc_climb *c, const struct mrc_sub *sub)
{
	if (e->flags & MRC_F_CENSORED)
		return false;
	if (t->few_huge && mrc_kind(e) == MRC_HUGE)
		return true;
	return sub ? sub == &t->sub[e->sub] : c == climb_of(t, e);
}

/* Miss rates, from the reuses that span a moment; of a sub-sample, or all. */
static void estimate(struct mrc_target *t, const struct mrc_climb *c,
		     const struct mrc_sub *sub)
{
	const u64 *weight = sub ? sub->weight : c->weight;
	const struct mrc_entry *e, *end = t->sample.entry + t->sample.n;

	mrc_reuse_begin(&t->reuse, c->window);
	for (e = t->sample.entry; e < end; e++)
		if (counts(t, e, c, sub))
			mrc_reuse_count(&t->reuse, age_of(t, e), first_of(t, e),
					weight[mrc_kind(e)]);
	mrc_reuse_sum(&t->reuse);
	for (e = t->sample.entry; e < end; e++)
		if (counts(t, e, c, sub) && e->flags & MRC_F_TOUCHED)
			mrc_reuse_touch(&t->reuse, age_of(t, e), first_of(t, e),
					idle_us(t, e) + (e->after + e->by) / 2,
					weight[mrc_kind(e)]);
	mrc_reuse_finish(&t->reuse);
}

/**
 * mrc_estimate() - miss rates of the whole sample
 * @t: the target, after a ladder; they are the mean over its moments, in @t->rate
 *
 * Return: below this size no rates were seen, in fixed point.
 */
u64 mrc_estimate(struct mrc_target *t)
{
	u64 floor = 0;
	u32 k;

	for (k = 0; k < t->moments; k++) {
		estimate(t, &t->climb[k], NULL);
		mrc_curve_add(t->rate, t->reuse.rate, k);
		floor += t->reuse.floor;
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
	estimate(t, &t->climb[sub % t->moments], &t->sub[sub]);
}
