// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ladder, down and up again. Down: the accessed bits of the sample are
 * cleared at times before a moment that shrink by 19/16, from ladder_ms to about
 * a quarter of a ms, which tells for each page how long before the moment it was touched
 * last. Up: the bits are only read, at times after the moment that grow alike,
 * which tells when it is touched next (ladder_schedule.c). From the two follow the reuses
 * that span the moment, and their distances (reuse.c), over nearly four decades of
 * time, where an epoch (paper 001, section 3.2) sees one. What the ladder does
 * not see touched is placed by its idle age.
 *
 * Each page is timed from when its own bit was cleared, and one flush of the TLBs
 * serves all that were. A touch that a TLB hides in between is seen at the page's
 * next one.
 */

#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <compat/pagetable.h>

#include "curve/curve.h"
#include "curve/sample.h"
#include "target/target.h"
#include "target/target_stats.h"
#include "target/tunables.h"
#include "track/estimate.h"
#include "track/ladder.h"
#include "track/ladder_schedule.h"
#include "track/pace.h"
#include "track/walker.h"
#include "track/young_notifier.h"
#include "track/young_shadow.h"

/* With fewer huge pages than this, all sub-samples share them. */
#define FEW_HUGE	(8 * MRC_SUBS)
/*
 * When a ladder found hardly anything touched after some sample point, the next one
 * ends so many points later, which is at about three times that time. So there are more
 * ladders, which see the program at more moments.
 */
#define TOP_MORE	7
#define TOP_MIN		28
/* What a first ladder is taken to cost. */
#define FIRST_NS	(10 * NSEC_PER_MSEC)
/* A page that no longer has a page table entry is dropped after this. */
#define GHOST_US	(600 * USEC_PER_SEC)

/**
 * mrc_ladder_forget() - what is known of the pages of a target is void
 * @t: the target
 *
 * Context: its tracker.
 */
void mrc_ladder_forget(struct mrc_target *t)
{
	t->sample.n = 0;
	t->top = 0;
	t->since = 0;
	t->enumerated = 0;
	t->cost_ns = FIRST_NS;
	t->credit = READ_ONCE(t->loan);
}

static int sample_alloc(struct mrc_sample *sample, u32 samples)
{
	u32 want = samples + samples / 2 + samples / 4;

	if (sample->capacity >= want)
		return 0;
	kvfree(sample->entry);
	sample->capacity = 0;
	sample->n = 0;
	sample->entry = kvcalloc(want, sizeof(*sample->entry), GFP_KERNEL);
	if (!sample->entry)
		return -ENOMEM;
	sample->capacity = want;
	return 0;
}

static bool keep_ghost(void *arg, const struct mrc_entry *was)
{
	struct mrc_target *t = arg;

	/* Without a file behind it, the page's contents are gone. */
	return was->flags & MRC_ENTRY_FILE && !(was->flags & MRC_ENTRY_HUGE) &&
	       was->flags & MRC_ENTRY_WATCHED &&
	       mrc_now_us() - max(was->seen_by, t->since) < GHOST_US &&
	       mrc_walker_file_mapped(t->mm, was->addr);
}

/* Sample the address space anew, if it is time to. */
static int sample_enumerate(struct mrc_target *t)
{
	u64 rss = get_mm_rss(t->mm), now = mrc_now_us(), began, cost, swapped;
	u64 expected[MRC_KINDS];
	u32 *active;
	bool moved;
	int err;

	/* A third of the budget may go here; a process that grows is looked at. */
	cost = div_u64(t->enumeration_ns * 3 * READ_ONCE(t->sharers),
		       READ_ONCE(mrc_tunables.max_cpu_permille));
	moved = abs((s64)(rss - t->rss)) > t->rss / 16;
	if (t->sample.n && now - t->enumerated < cost && !moved)
		return 0;
	/* Not before the last ones are paid back. */
	if (moved && !t->credit)
		t->credit = READ_ONCE(t->loan);

	err = sample_alloc(&t->spare, t->samples);
	if (err)
		return err;
	active = kvmalloc_array(t->spare.capacity, sizeof(*active), GFP_KERNEL);
	if (!active)
		return -ENOMEM;
	if (t->sample.n) {
		expected[MRC_BASE] = t->sample.mapped[MRC_BASE];
		expected[MRC_HUGE] = t->sample.mapped[MRC_HUGE];
	} else {
		expected[MRC_BASE] = rss;
		expected[MRC_HUGE] = 0;
		t->sample.salt = get_random_u32();
	}
	t->spare.salt = t->sample.salt;
	began = mrc_pace_cpu_ns();
	mrc_sample_start(&t->spare, t->samples, expected);
	err = mrc_walker_enumerate(t->mm, &t->spare, &swapped);
	if (err) {
		kvfree(active);
		return err;
	}
	kvfree(t->active);
	t->active = active;
	mrc_sample_inherit(&t->spare, &t->sample, keep_ghost, t);
	/* Readers of the sample hold the lock. */
	mutex_lock(&t->lock);
	swap(t->spare, t->sample);
	mutex_unlock(&t->lock);
	err = mrc_young_shadow_renew(t);
	if (err) {
		t->sample.n = 0;
		return err;
	}
	t->enumeration_ns = mrc_pace_cpu_ns() - began;
	t->enumerated = now;
	t->rss = rss;
	t->swapped = swapped;
	t->stats.enumerations++;
	return 0;
}

/* The pages that a sample of each kind stands for: in all, by moment, and by sub-sample. */
static void sample_weigh(struct mrc_target *t)
{
	u32 valid[MRC_KINDS] = {}, of_moment[MRC_MOMENTS][MRC_KINDS] = {}, k, kind;

	for (k = 0; k < MRC_SUBS; k++)
		for (kind = 0; kind < MRC_KINDS; kind++) {
			valid[kind] += t->sub[k].valid[kind];
			of_moment[k % t->moments][kind] += t->sub[k].valid[kind];
		}
	t->few_huge = valid[MRC_HUGE] < FEW_HUGE;
	for (kind = 0; kind < MRC_KINDS; kind++) {
		bool shared = kind == MRC_HUGE && t->few_huge;

		t->weight[kind] = mrc_sample_weight(&t->sample, kind,
						    valid[kind]);
		for (k = 0; k < t->moments; k++)
			t->schedule[k].weight[kind] = shared ? t->weight[kind] :
				mrc_sample_weight(&t->sample, kind,
						  of_moment[k][kind]);
		for (k = 0; k < MRC_SUBS; k++)
			t->sub[k].weight[kind] = shared ? t->weight[kind] :
				mrc_sample_weight(&t->sample, kind,
						  t->sub[k].valid[kind]);
	}
}

static void page_place(struct mrc_wsf *wsf, const struct mrc_entry *e, u64 weight)
{
	u64 ladder_us = wsf->us[wsf->observed - 1], looked = e->read + e->after, after, by;

	if (e->flags & MRC_ENTRY_TOUCHED) {
		mrc_wsf_touch(wsf, e->after, e->by, weight);
		return;
	}
	if (!e->seen_by)
		return;
	after = max(looked - e->seen_by, ladder_us);
	by = max(looked - e->seen_after, after + 1);
	mrc_wsf_touch(wsf, after, by, weight);
}

/* The working set function, from first touches and idle ages. */
static void wsf_measure(struct mrc_target *t, u64 now)
{
	const struct mrc_ladder_schedule *c = t->schedule;
	u32 i;

	mrc_wsf_begin(&t->wsf, c->point_us, c->points, now - t->since);
	for (i = 0; i < t->sample.n; i++) {
		struct mrc_entry *e = &t->sample.entry[i];

		if (!(e->flags & MRC_ENTRY_CENSORED))
			page_place(&t->wsf, e, t->weight[mrc_entry_kind(e)]);
	}
	mrc_wsf_finish(&t->wsf);
}

/* For the ages of the ladders to come. */
static void sample_remember(struct mrc_target *t)
{
	u32 i;

	for (i = 0; i < t->sample.n; i++) {
		struct mrc_entry *e = &t->sample.entry[i];

		if (e->flags & MRC_ENTRY_CENSORED)
			continue;
		if (e->flags & MRC_ENTRY_TOUCHED) {
			e->seen_after = e->read + e->after;
			e->seen_by = e->read + e->by;
			e->read = e->seen_by;
		} else {
			e->read += e->after;
		}
	}
}

static u64 pages_within(const struct mrc_target *t, u64 us)
{
	return mrc_wsf_at(&t->wsf, us) >> MRC_FRAC;
}

static void ladder_publish(struct mrc_target *t, u64 now)
{
	struct mrc_stats *s = &t->stats;
	const struct mrc_ladder_schedule *c = t->schedule;
	u64 ladder_us = c->point_us[c->points - 1], floor;
	u32 i, k;

	s->samples = t->sample.n;
	s->samples_huge = t->sample.count[MRC_HUGE];
	s->samples_absent = 0;
	s->samples_censored = 0;
	for (i = 0; i < t->sample.n; i++) {
		s->samples_absent += !!(t->sample.entry[i].flags & MRC_ENTRY_ABSENT);
		s->samples_censored +=
			!!(t->sample.entry[i].flags & MRC_ENTRY_CENSORED);
	}
	s->pages_per_sample = 1ULL << t->sample.level[MRC_BASE];
	s->huge_pages = t->sample.mapped[MRC_HUGE] * PTRS_PER_PTE;
	s->swapped_pages = t->swapped;
	s->resident_pages = t->sample.mapped[MRC_BASE] - t->swapped +
			    s->huge_pages;
	s->ladder_us = ladder_us;
	s->horizon_us = now - t->since;
	s->floor_us = c->point_us[0];
	s->floor_pages = pages_within(t, s->floor_us);
	s->shadow_returned = atomic64_read(&t->returned);
	s->wss_pages = pages_within(t, ladder_us);
	s->wss_10ms_pages = pages_within(t, 10 * USEC_PER_MSEC);
	s->wss_100ms_pages = pages_within(t, 100 * USEC_PER_MSEC);
	s->wss_1s_pages = pages_within(t, USEC_PER_SEC);

	mutex_lock(&t->lock);
	floor = mrc_estimate_whole(t);
	/* Once for each that was paid for: what is owed stays small. */
	if (mrc_curve_begin(&t->curve, t->rate, floor) && !t->doubted) {
		t->credit = max(t->credit, min_t(u32, READ_ONCE(t->loan),
						 MRC_LOAN_DOUBT));
		t->doubted = true;
	}
	mrc_curve_watched(&t->curve, now - max(t->published, t->since), s->wss_pages);
	t->published = now;
	mrc_curve_add(t->curve.rate, t->rate, t->curve.ladders);
	mrc_curve_add_blind(&t->curve, &t->blind);
	for (k = 0; k < MRC_SUBS; k++) {
		mrc_estimate_sub(t, k);
		mrc_curve_add(t->curve.sub[k], t->reuse.rate, t->curve.ladders);
	}
	t->curve.ladders++;
	s->touches_per_s = div_u64(t->curve.rate[0], MRC_RATE);
	s->ladders++;
	mrc_target_measured(t);
	mutex_unlock(&t->lock);
}

/* How many points the next ladder needs. */
static u32 useful_rungs(const struct mrc_target *t)
{
	u32 useful = 0, k;

	for (k = 0; k < t->moments; k++)
		useful = max(useful, t->schedule[k].useful);
	return max_t(u32, useful + TOP_MORE, TOP_MIN);
}

/* How many points this one gets; what the ladder before needed is known but for the first. */
static u32 ladder_points(const struct mrc_target *t)
{
	u32 ms = READ_ONCE(mrc_tunables.ladder_ms);
	u64 us = t->top ? ms : min_t(u32, ms, MRC_LADDER_FIRST_MS);
	u32 points = max(mrc_times_within(us * USEC_PER_MSEC), 1u);

	return t->top ? min(t->top, points) : points;
}

/**
 * mrc_ladder_window() - track a target for one ladder
 * @t: the target
 *
 * Context: may sleep; the tracker.
 * Return: as mrc_ladder_schedule_run(), or -ENOMEM.
 */
int mrc_ladder_window(struct mrc_target *t)
{
	u64 now;
	int err;

	err = mrc_young_notifier_start(t);
	if (!err)
		err = sample_enumerate(t);
	if (err)
		return err;
	mrc_young_shadow_begin(t);
	if (!t->since)
		t->since = mrc_now_us();
	mrc_estimate_prepare(t);
	err = mrc_ladder_schedule_run(t, ladder_points(t));
	if (err)
		return err;
	t->top = useful_rungs(t);
	now = mrc_now_us();
	sample_weigh(t);
	wsf_measure(t, now);
	ladder_publish(t, now);
	sample_remember(t);
	return 0;
}

/**
 * mrc_ladder_free() - free the sample of a target
 * @t: the target
 */
void mrc_ladder_free(struct mrc_target *t)
{
	kvfree(t->sample.entry);
	kvfree(t->spare.entry);
	kvfree(t->active);
}
