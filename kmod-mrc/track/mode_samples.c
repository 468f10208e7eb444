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
#include "target/target.h"
#include "target/target_stats.h"
#include "target/tunables.h"
#include "track/addr_ring.h"
#include "track/mode_samples.h"
#include "track/pace.h"
#include "track/pmu.h"

#define WINDOW_US	USEC_PER_SEC
/* The ring has room for 800000 samples a second between two readings. */
#define READ_US		(20 * USEC_PER_MSEC)
#define PAGES_MIN	4096
/* A program that goes on touching new pages is not learned any better. */
#define LEARN_WINDOWS	32

/**
 * struct mrc_mode_samples - what the mode knows of a target
 * @stack: its pages, by their last sample
 * @memory: what the stack is in
 * @ring: samples that were not yet read
 * @distances: of this window
 * @rate: scratch
 * @windows: how many there were
 * @learned: the stack has nearly all pages
 */
struct mrc_mode_samples {
	struct mrc_lru_stack stack;
	void *memory;
	struct mrc_addr_ring ring;
	struct mrc_stack_distances distances;
	u64 rate[MRC_SIZES];
	u32 windows;
	bool learned;
};

/* Room for as many pages, and half as many. */
static int stack_grow(struct mrc_mode_samples *s, u64 pages)
{
	u32 group_pages = READ_ONCE(mrc_tunables.group_pages);

	if (s->memory && s->stack.group_pages == group_pages &&
	    pages <= s->stack.capacity)
		return 0;
	return mrc_lru_stack_alloc(&s->stack, &s->memory,
				   max_t(u64, pages + pages / 2, PAGES_MIN), group_pages);
}

static int samples_start(struct mrc_target *t)
{
	struct mrc_mode_samples *s = kvzalloc(sizeof(*s), GFP_KERNEL);
	int err;

	if (!s)
		return -ENOMEM;
	err = stack_grow(s, get_mm_rss(t->mm) * 2);
	if (!err)
		err = mrc_pmu_watch(&s->ring, t->mm);
	if (err) {
		kvfree(s->memory);
		kvfree(s);
		return err;
	}
	t->sampled = s;
	return 0;
}

/**
 * mrc_mode_samples_stop() - forget the stack of a target
 * @t: the target
 *
 * Context: may sleep; its tracker, or no one else.
 */
void mrc_mode_samples_stop(struct mrc_target *t)
{
	struct mrc_mode_samples *s = t->sampled;

	if (!s)
		return;
	mrc_pmu_unwatch(&s->ring);
	kvfree(s->memory);
	kvfree(s);
	t->sampled = NULL;
}

static void samples_take(struct mrc_target *t, struct mrc_mode_samples *s)
{
	struct mrc_lru_stack *stack = &s->stack;
	u32 group, left = MRC_ADDR_RING;
	unsigned long addr;

	/* They may come faster than a deep stack is brought up to date. */
	while (left-- && !kthread_should_stop() &&
	       (addr = mrc_addr_ring_next(&s->ring))) {
		u32 i = mrc_lru_stack_find(stack, addr);

		cond_resched();
		if (i == MRC_LRU_NIL) {
			mrc_lru_stack_touch(stack, addr);
			mrc_stack_distances_count(&s->distances, MRC_DISTANCE_COLD);
			continue;
		}
		group = mrc_lru_stack_raise(stack, i);
		mrc_stack_distances_count(&s->distances,
					  (group + 1ULL) * stack->group_pages);
	}
	t->stats.faults_lost += atomic_xchg(&s->ring.lost, 0);
}

static bool is_learned(struct mrc_mode_samples *s)
{
	s->learned |= s->distances.nr && s->distances.cold <= s->distances.nr / 16;
	s->learned |= ++s->windows > LEARN_WINDOWS;
	return s->learned;
}

static void add_curve(struct mrc_curve *curve, struct mrc_mode_samples *s, u64 each,
		      u64 us)
{
	u64 all = mrc_stack_distances_rate(&s->distances, each, us);
	unsigned int k;

	mrc_stack_distances_rates(&s->distances, -1, each, us, s->rate);
	mrc_curve_begin(curve, s->rate, (u64)s->stack.group_pages << MRC_FRAC);
	mrc_curve_add(curve->rate, s->rate, curve->ladders);
	for (k = 0; k < MRC_SUBS; k++) {
		mrc_stack_distances_rates(&s->distances, k, each, us, s->rate);
		mrc_curve_add(curve->sub[k], s->rate, curve->ladders);
	}
	mrc_curve_add_sampled(curve, all);
	curve->ladders++;
}

static void samples_publish(struct mrc_target *t, struct mrc_mode_samples *s, u64 each,
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
 * mrc_mode_samples_window() - track a target for about a second
 * @t: the target
 *
 * Context: may sleep; the tracker.
 * Return: 0, -EINTR (to stop, or another mode is wanted), -EAGAIN (nothing is
 * known yet), or another error.
 */
int mrc_mode_samples_window(struct mrc_target *t)
{
	struct mrc_mode_samples *s;
	u64 began, now;
	u32 each;
	int err;

	err = t->sampled ? 0 : samples_start(t);
	if (err)
		return err;
	s = t->sampled;
	/* Without memory for more, the pages at the bottom are dropped. */
	stack_grow(s, get_mm_rss(t->mm) * 2);
	each = mrc_pmu_cover();
	mrc_stack_distances_reset(&s->distances);
	began = mrc_now_us();
	for (now = began; now < began + WINDOW_US; now = mrc_now_us()) {
		if (!mrc_pace_sleep_until(now + READ_US) ||
		    READ_ONCE(mrc_tunables.mode) != MRC_MODE_SAMPLES)
			return -EINTR;
		samples_take(t, s);
	}
	if (!is_learned(s))
		return -EAGAIN;
	samples_publish(t, s, each, now - began);
	return 0;
}
