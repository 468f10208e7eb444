// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a ladder looks. Of each of its moments, what is before it and after it is
 * looked at by a part of the sample: a program that does something else every few
 * milliseconds is seen at as many of these, for the same number of pages. A ladder
 * is about three times as long as the longest reuse of most pages, so moments are
 * spread over a third of it: those of one turn of a loop.
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
#define SPREAD		3
/* Each moment has so many pages at least. */
#define MOMENT_PAGES	128
/* One in so many of the pages that are touched is rare. */
#define RARE		64

/* Lists of pages in order of address, one after another. */
static void divide(struct mrc_target *t)
{
	u32 at[MRC_MOMENTS] = {}, i, k;

	t->moments = MRC_MOMENTS;
	while (t->moments > 1 && t->sample.n < t->moments * MOMENT_PAGES)
		t->moments /= 2;
	memset(t->climb, 0, sizeof(t->climb));
	for (i = 0; i < t->sample.n; i++)
		at[t->sample.entry[i].sub % t->moments]++;
	t->climb[0].active = t->active;
	for (k = 1; k < t->moments; k++)
		t->climb[k].active = t->climb[k - 1].active + at[k - 1];
	for (i = 0; i < t->sample.n; i++) {
		struct mrc_climb *c = &t->climb[t->sample.entry[i].sub % t->moments];

		c->active[c->active_n++] = i;
		c->pages++;
	}
}

/* One moment at random in each of as many parts of the time. */
static void plan(struct mrc_target *t, u32 rungs)
{
	u64 length = mrc_time(rungs - 1), now = mrc_now_us();
	u64 part = div_u64(length, SPREAD * t->moments);
	u32 k;

	for (k = 0; k < t->moments; k++) {
		struct mrc_climb *c = &t->climb[k];

		c->next = now + k * part + (part * (get_random_u32() >> 16) >> 16);
		c->moment = c->next + length;
		c->rung = rungs;
	}
}

/* Return: 0, -ESRCH or -EAGAIN. */
static int clear(struct mrc_target *t, struct mrc_climb *c)
{
	int err = mrc_walk_clear(t, c);

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
 * for it, and would be measured by it: the finest rungs are left out.
 */
static int step_down(struct mrc_target *t, struct mrc_climb *c, u32 rungs)
{
	u64 began = mrc_now_us(), free;
	int err = clear(t, c);

	if (err)
		return err;
	free = began + DUTY * (mrc_now_us() - began);
	if (!c->rung) {
		c->up = true;
		c->moment = began;
		c->rung = min(mrc_times_within(free - began), rungs - 1);
		c->next = began + mrc_time(c->rung);
		return 0;
	}
	while (--c->rung) {
		c->next = c->moment - mrc_time(c->rung - 1);
		if (c->next >= free)
			return 0;
		t->stats.rungs_skipped++;
	}
	c->next = max(c->moment, free);
	return 0;
}

/* All pages have been looked at: one more point of the working set function. */
static void reached(struct mrc_climb *c)
{
	u64 us = c->looks ? div64_u64(c->looks_us, c->looks) : 0;

	/* Times must ascend, whatever the clock does. */
	us = max(us, c->rungs ? c->rung_us[c->rungs - 1] + 1 : 1);
	c->left[c->rungs] = c->active_n;
	c->rung_us[c->rungs++] = us;
	c->looks = 0;
	c->looks_us = 0;
}

/* A few pages are touched now and then: ladders as long as that would be few. */
static u32 useful(const struct mrc_climb *c)
{
	u32 never = c->left[c->rungs - 1], rare = (c->pages - never) / RARE, k = 0;

	while (c->left[k] - never > rare)
		k++;
	return mrc_times_within(c->rung_us[k]);
}

static void finish(struct mrc_climb *c, u32 rungs)
{
	c->done = true;
	if (!c->rungs)
		return;
	c->useful = useful(c);
	c->window = c->rung_us[c->rungs - 1];
	/* All were touched: more time would have shown no more. */
	if (!c->active_n)
		c->window = max(c->window, mrc_time(rungs - 1));
}

/* Up: the pages are looked at. Return: 0 or -ESRCH. */
static int step_up(struct mrc_target *t, struct mrc_climb *c, u32 rungs)
{
	u64 before = mrc_now_us(), after;
	u32 next;
	int err = mrc_walk_read(t, c);

	after = mrc_now_us();
	if (err == -ESRCH)
		return err;
	if (!err)
		reached(c);
	/* The last one is where idle age takes over. */
	if (!c->active_n || c->rung == rungs - 1) {
		finish(c, rungs);
		return 0;
	}
	next = mrc_times_within(before + DUTY * (after - before) - c->moment);
	next = max(next, c->rung + 1);
	t->stats.rungs_skipped += next - c->rung - 1 + !!err;
	c->rung = min(next, rungs - 1);
	c->next = c->moment + mrc_time(c->rung);
	return 0;
}

/* Whoever is due first. Return: NULL if all are done. */
static struct mrc_climb *first_due(struct mrc_target *t)
{
	struct mrc_climb *c, *first = NULL;

	for (c = t->climb; c < t->climb + t->moments; c++)
		if (!c->done && (!first || c->next < first->next))
			first = c;
	return first;
}

/**
 * mrc_climb() - look at the sample, before and after the moments of a ladder
 * @t: the target; each page of its sample tells afterwards when it was touched
 * @rungs: how many rungs each climb has, down and up again
 *
 * Context: sleeps, for as long as it takes.
 * Return: 0; -ESRCH, the address space is gone; -EAGAIN, contended; or -EINTR, the
 * tracker is to stop.
 */
int mrc_climb(struct mrc_target *t, u32 rungs)
{
	struct mrc_climb *c;
	int err = 0;

	divide(t);
	plan(t, rungs);
	while (!err && (c = first_due(t))) {
		if (!mrc_sleep_until(c->next))
			return -EINTR;
		err = c->up ? step_up(t, c, rungs) : step_down(t, c, rungs);
	}
	for (c = t->climb; !err && c < t->climb + t->moments; c++)
		if (!c->rungs)
			err = -EAGAIN;
	return err;
}
