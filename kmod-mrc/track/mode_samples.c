// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mattson's stack of samples: the processor tells the address of one access in
 * so many (paper 001, section 3.1, where it tells all of them).
 *
 * Where accesses do not depend on those before, leaving some out does not change
 * the order in which pages come again, and distances in the stack of samples are
 * those in the stack of all accesses. A loop keeps its order as long as each of
 * its pages is sampled in each round; if not, its cliff gets flat.
 *
 * A page's first sample says nothing of its distance. While there are many such,
 * the stack is being learned, and there is no curve; later they are of new pages,
 * which miss at any size.
 */

#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <compat/compat.h>

#include "curve/curve.h"
#include "curve/lru_stack.h"
#include "curve/lru_stack_alloc.h"
#include "curve/stack_distance.h"
#include "target/stats.h"
#include "target/target.h"
#include "target/tunables.h"
#include "track/addr_ring.h"
#include "track/mode_samples.h"
#include "track/pace.h"
#include "track/pmu.h"

#define WINDOW_US	USEC_PER_SEC
/* The trail has room for 800000 samples a second between two readings. */
#define READ_US		(20 * USEC_PER_MSEC)
#define PAGES_MIN	4096
/* A program that goes on touching new pages is not learned any better. */
#define LEARN_WINDOWS	32

/**
 * struct mrc_samples - what the mode knows of a target
 * @stack: its pages, by their last sample
 * @memory: what the stack is in
 * @trail: samples that were not yet read
 * @touches: of this window
 * @rate: scratch
 * @windows: how many there were
 * @learned: the stack has nearly all pages
 */
struct mrc_samples {
	struct mrc_stack stack;
	void *memory;
	struct mrc_trail trail;
	struct mrc_touches touches;
	u64 rate[MRC_SIZES];
	u32 windows;
	bool learned;
};

/* Room for as many pages, and half as many. */
static int grow(struct mrc_samples *s, u64 pages)
{
	u32 group_pages = READ_ONCE(mrc_tunables.group_pages);

	if (s->memory && s->stack.group_pages == group_pages &&
	    pages <= s->stack.room)
		return 0;
	return mrc_restack(&s->stack, &s->memory,
			   max_t(u64, pages + pages / 2, PAGES_MIN), group_pages);
}

static int start(struct mrc_target *t)
{
	struct mrc_samples *s = kvzalloc(sizeof(*s), GFP_KERNEL);
	int err;

	if (!s)
		return -ENOMEM;
	err = grow(s, get_mm_rss(t->mm) * 2);
	if (!err)
		err = mrc_monitor_watch(&s->trail, t->mm);
	if (err) {
		kvfree(s->memory);
		kvfree(s);
		return err;
	}
	t->sampled = s;
	return 0;
}

/**
 * mrc_samples_stop() - forget the stack of a target
 * @t: the target
 *
 * Context: may sleep; its tracker, or no one else.
 */
void mrc_samples_stop(struct mrc_target *t)
{
	struct mrc_samples *s = t->sampled;

	if (!s)
		return;
	mrc_monitor_unwatch(&s->trail);
	kvfree(s->memory);
	kvfree(s);
	t->sampled = NULL;
}

static void take_samples(struct mrc_target *t, struct mrc_samples *s)
{
	struct mrc_stack *stack = &s->stack;
	u32 group, left = MRC_TRAIL;
	unsigned long addr;

	/* They may come faster than a deep stack is brought up to date. */
	while (left-- && !kthread_should_stop() &&
	       (addr = mrc_trail_next(&s->trail))) {
		u32 i = mrc_stack_find(stack, addr);

		cond_resched();
		if (i == MRC_STACK_NIL) {
			mrc_stack_touch(stack, addr);
			mrc_touches_count(&s->touches, MRC_TOUCH_COLD);
			continue;
		}
		group = mrc_stack_raise(stack, i);
		mrc_touches_count(&s->touches,
				  (group + 1ULL) * stack->group_pages);
	}
	t->stats.faults_lost += atomic_xchg(&s->trail.lost, 0);
}

static bool is_learned(struct mrc_samples *s)
{
	s->learned |= s->touches.nr && s->touches.cold <= s->touches.nr / 16;
	s->learned |= ++s->windows > LEARN_WINDOWS;
	return s->learned;
}

static void add_curve(struct mrc_curve *curve, struct mrc_samples *s, u64 each,
		      u64 us)
{
	u64 all = mrc_touches_rate(&s->touches, each, us);
	unsigned int k;

	mrc_touches_rates(&s->touches, -1, each, us, s->rate);
	mrc_curve_begin(curve, s->rate, (u64)s->stack.group_pages << MRC_FRAC);
	mrc_curve_add(curve->rate, s->rate, curve->ladders);
	for (k = 0; k < MRC_SUBS; k++) {
		mrc_touches_rates(&s->touches, k, each, us, s->rate);
		mrc_curve_add(curve->sub[k], s->rate, curve->ladders);
	}
	mrc_curve_add_sampled(curve, all);
	curve->ladders++;
}

static void publish(struct mrc_target *t, struct mrc_samples *s, u64 each,
		    u64 us)
{
	struct mrc_stats *stats = &t->stats;

	mutex_lock(&t->lock);
	add_curve(&t->curve, s, each, us);
	stats->ladders++;
	stats->samples = s->stack.n;
	stats->pages_per_sample = 1;
	stats->resident_pages = get_mm_rss(t->mm);
	stats->swapped_pages = get_mm_counter(t->mm, MM_SWAPENTS);
	stats->samples_huge = 0;
	stats->samples_absent = 0;
	stats->samples_censored = 0;
	stats->huge_pages = 0;
	stats->ladder_us = us;
	stats->floor_us = 0;
	stats->floor_pages = s->stack.group_pages;
	stats->touches_per_s = div_u64(t->curve.sampled, MRC_RATE);
	mrc_target_measured(t);
	mutex_unlock(&t->lock);
}

/**
 * mrc_samples_window() - track a target for about a second
 * @t: the target
 *
 * Context: may sleep; the tracker.
 * Return: 0, -EINTR (to stop, or another mode is wanted), -EAGAIN (nothing is
 * known yet), or another error.
 */
int mrc_samples_window(struct mrc_target *t)
{
	struct mrc_samples *s;
	u64 began, now;
	u32 each;
	int err;

	err = t->sampled ? 0 : start(t);
	if (err)
		return err;
	s = t->sampled;
	/* Without memory for more, the pages at the bottom are dropped. */
	grow(s, get_mm_rss(t->mm) * 2);
	each = mrc_monitor_cover();
	mrc_touches_forget(&s->touches);
	began = mrc_now_us();
	for (now = began; now < began + WINDOW_US; now = mrc_now_us()) {
		if (!mrc_sleep_until(now + READ_US) ||
		    READ_ONCE(mrc_tunables.mode) != MRC_MODE_SAMPLES)
			return -EINTR;
		take_samples(t, s);
	}
	if (!is_learned(s))
		return -EAGAIN;
	publish(t, s, each, now - began);
	return 0;
}
