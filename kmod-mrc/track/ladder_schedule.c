// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a ladder looks. It has up to four moments, and a part of the sample is looked at
 * before and after each: so a program that does something else every few milliseconds
 * is seen at several moments, for the same number of pages. A ladder is about three
 * times as long as the longest reuse of most pages, so its moments are spread over a
 * third of it: over one turn of a loop.
 *
 * The times before and after a moment are its sample points ("rungs" in the file
 * stats): a quarter of a ms, and then steps of 19/16, as curve.h has them.
 */

#include <linux/math64.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/string.h>

#include <compat/compat.h>
#include <compat/pagetable.h>

#include "curve/curve.h"
#include "target/target.h"
#include "track/ladder_schedule.h"
#include "track/pace.h"
#include "track/walker.h"

/* Looking takes one part in so many of the time at most. */
#define DUTY		5
/* Moments are spread over one part in so many of a ladder's length. */
#define MOMENTS_PART		3
/* Each moment has so many pages at least. */
#define MOMENT_PAGES	128
/* Rare are pages that are fewer than one in so many of those touched. */
#define RARE		64

/* Lists of pages in order of address, one after another. */
static void sample_divide(struct mrc_target *t)
{
	u32 at[MRC_MOMENTS] = {}, i, k;

	t->moments = MRC_MOMENTS;
	while (t->moments > 1 && t->sample.n < t->moments * MOMENT_PAGES)
		t->moments /= 2;
	memset(t->schedule, 0, sizeof(t->schedule));
	for (i = 0; i < t->sample.n; i++)
		at[t->sample.entry[i].sub % t->moments]++;
	t->schedule[0].active = t->active;
	for (k = 1; k < t->moments; k++)
		t->schedule[k].active = t->schedule[k - 1].active + at[k - 1];
	for (i = 0; i < t->sample.n; i++) {
		struct mrc_ladder_schedule *c = &t->schedule[t->sample.entry[i].sub % t->moments];

		c->active[c->active_n++] = i;
		c->pages++;
	}
}

/* One moment at random in each of as many parts of the time. */
static void moments_plan(struct mrc_target *t, u32 points)
{
	u64 length = mrc_time(points - 1), now = mrc_now_us();
	u64 part = div_u64(length, MOMENTS_PART * t->moments);
	u32 k;

	for (k = 0; k < t->moments; k++) {
		struct mrc_ladder_schedule *c = &t->schedule[k];

		c->next = now + k * part + (part * (get_random_u32() >> 16) >> 16);
		c->moment = c->next + length;
		c->point = points;
	}
}

/* Return: 0, -ESRCH or -EAGAIN. */
static int sample_clear(struct mrc_target *t, struct mrc_ladder_schedule *c)
{
	int err = mrc_walker_clear(t, c);

	if (err)
		return err;
	if (!mmget_not_zero(t->mm))
		return -ESRCH;
	memsuite_flush_tlb_mm(t->mm);
	mmput_async(t->mm);
	t->stats.tlb_flushes++;
	c->steps++;
	return 0;
}

/*
 * Down: the pages are cleared. Where that takes long, the program would have to wait
 * for it, and would be measured by it: the finest points are left out.
 */
static int schedule_step_down(struct mrc_target *t, struct mrc_ladder_schedule *c, u32 points)
{
	u64 began = mrc_now_us(), free;
	int err = sample_clear(t, c);

	if (err)
		return err;
	free = began + DUTY * (mrc_now_us() - began);
	if (!c->point) {
		c->up = true;
		c->moment = began;
		c->point = min(mrc_times_within(free - began), points - 1);
		c->next = began + mrc_time(c->point);
		return 0;
	}
	while (--c->point) {
		c->next = c->moment - mrc_time(c->point - 1);
		if (c->next >= free)
			return 0;
		t->stats.rungs_skipped++;
	}
	c->next = max(c->moment, free);
	return 0;
}

/* All pages have been looked at: one more point of the working set function. */
static void point_reached(struct mrc_ladder_schedule *c)
{
	u64 us = c->looks ? div64_u64(c->looks_us, c->looks) : 0;

	/* Times must ascend, whatever the clock does. */
	us = max(us, c->points ? c->point_us[c->points - 1] + 1 : 1);
	c->left[c->points] = c->active_n;
	c->point_us[c->points++] = us;
	c->looks = 0;
	c->looks_us = 0;
}

/* Some few pages are touched late: ladders as long as that would be too few. */
static u32 point_useful(const struct mrc_ladder_schedule *c)
{
	u32 never = c->left[c->points - 1], rare = (c->pages - never) / RARE, k = 0;

	while (c->left[k] - never > rare)
		k++;
	return mrc_times_within(c->point_us[k]);
}

static void schedule_finish(struct mrc_ladder_schedule *c, u32 points)
{
	c->done = true;
	if (!c->points)
		return;
	c->useful = point_useful(c);
	c->window = c->point_us[c->points - 1];
	/* All were touched: more time would have shown no more. */
	if (!c->active_n)
		c->window = max(c->window, mrc_time(points - 1));
}

/* Up: the pages are looked at. Return: 0 or -ESRCH. */
static int schedule_step_up(struct mrc_target *t, struct mrc_ladder_schedule *c, u32 points)
{
	u64 before = mrc_now_us(), after;
	u32 next;
	int err = mrc_walker_read(t, c);

	after = mrc_now_us();
	if (err == -ESRCH)
		return err;
	if (!err)
		point_reached(c);
	/* The last one is where idle age takes over. */
	if (!c->active_n || c->point == points - 1) {
		schedule_finish(c, points);
		return 0;
	}
	next = mrc_times_within(before + DUTY * (after - before) - c->moment);
	next = max(next, c->point + 1);
	t->stats.rungs_skipped += next - c->point - 1 + !!err;
	c->point = min(next, points - 1);
	c->next = c->moment + mrc_time(c->point);
	return 0;
}

/* Whoever is due first. Return: NULL if all are done. */
static struct mrc_ladder_schedule *schedule_first_due(struct mrc_target *t)
{
	struct mrc_ladder_schedule *c, *first = NULL;

	for (c = t->schedule; c < t->schedule + t->moments; c++)
		if (!c->done && (!first || c->next < first->next))
			first = c;
	return first;
}

/**
 * mrc_ladder_schedule_run() - look at the sample, before and after the moments of a ladder
 * @t: the target; each page of its sample tells afterwards when it was touched
 * @points: how many sample points each moment has, down and up again
 *
 * Context: sleeps, for as long as it takes.
 * Return: 0; -ESRCH, the address space is gone; -EAGAIN, contended; or -EINTR, the
 * tracker is to stop.
 */
int mrc_ladder_schedule_run(struct mrc_target *t, u32 points)
{
	struct mrc_ladder_schedule *c;
	int err = 0;

	sample_divide(t);
	moments_plan(t, points);
	while (!err && (c = schedule_first_due(t))) {
		if (!mrc_pace_sleep_until(c->next))
			return -EINTR;
		err = c->up ? schedule_step_up(t, c, points) : schedule_step_down(t, c, points);
	}
	for (c = t->schedule; !err && c < t->schedule + t->moments; c++)
		if (!c->points)
			err = -EAGAIN;
	return err;
}
