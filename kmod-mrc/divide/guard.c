// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether evicting helps. What is evicted and comes back was evicted for nothing, unless
 * another program waits less for that: so where much comes back, shares are lifted for a
 * moment, and it is seen whether programs wait less without them, or wait no more and
 * hardly fetch anything back. Then shares stay lifted for some time. Trials that tell the
 * same again are made ever more seldom. Also built in user space.
 */

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "divide/guard.h"

/* Counts are compared over so long. */
#define WINDOW_US	(4ULL * USEC_PER_SEC)
#define TRIAL_US	(2ULL * USEC_PER_SEC)
/* What was evicted before the trial comes back at its begin: at least, and at most, for so long. */
#define SETTLE_US	(1ULL * USEC_PER_SEC)
#define SETTLE_MAX_US	(20ULL * USEC_PER_SEC)
/* While so many pages a second leave swap, they are coming back. */
#define RETURNING_MIN	256
/* Until the next trial, and for how long shares are lifted: at first, and at most. */
#define AGAIN_US	(30ULL * USEC_PER_SEC)
#define AGAIN_MAX_US	(600ULL * USEC_PER_SEC)
/* Fewer pages evicted in a window do no harm; a major fault brings in so many at most. */
#define EVICTED_MIN	256
#define READ_AHEAD	8
/* Thousandths of the time, and a part, by which waiting differs by chance. */
#define CHANCE		20
#define CHANCE_PART	8
/* Faults are hardly any if they are such a part of those before. */
#define HARDLY		4
/* A page comes back in so many us at best, from compressed memory. */
#define FETCH_US	5

/* Counts of targets that end are gone. */
static u64 count_since(u64 now, u64 before)
{
	return now - min(now, before);
}

static u64 waited_permille(const struct mrc_guard_look *begin, const struct mrc_guard_look *look)
{
	return div64_u64(count_since(look->waited, begin->waited) * 1000,
			 max(look->now - begin->now, 1ULL));
}

static u64 fetched_per_s(const struct mrc_guard_look *begin, const struct mrc_guard_look *look)
{
	return div64_u64(count_since(look->fetched, begin->fetched) * USEC_PER_SEC,
			 max(look->now - begin->now, 1ULL));
}

static void phase_enter(struct mrc_guard *g, enum mrc_guard_phase phase,
			const struct mrc_guard_look *look)
{
	g->phase = phase;
	g->entered = look->now;
	g->begin = *look;
	g->settled = false;
}

/* Return: how long to wait this time; next time it is twice that. */
static u64 backoff_take(u64 *us)
{
	u64 now = *us ?: AGAIN_US;

	*us = min(2 * now, AGAIN_MAX_US);
	return now;
}

/* Much of what was evicted has come back. */
static bool is_doubtful(const struct mrc_guard *g, const struct mrc_guard_look *look)
{
	u64 evicted = count_since(look->evicted, g->begin.evicted);
	u64 fetched = count_since(look->fetched, g->begin.fetched);

	return evicted >= EVICTED_MIN && fetched * READ_AHEAD >= evicted;
}

/* The window begins with what is evicted: a time without tells nothing of one with shares. */
static void watch_go_on(struct mrc_guard *g, const struct mrc_guard_look *look)
{
	if (look->evicted == g->begin.evicted)
		g->begin = *look;
	if (look->now - g->begin.now < WINDOW_US)
		return;
	g->with = waited_permille(&g->begin, look);
	g->fetched_with = fetched_per_s(&g->begin, look);
	phase_enter(g, is_doubtful(g, look) && look->now >= g->trial_at ?
		       MRC_GUARD_TRIAL : MRC_GUARD_WATCH, look);
}

/*
 * What was evicted before has come back, as far as it does at once. The slower the disk, and
 * the more that was, the longer it takes.
 */
static bool has_settled(const struct mrc_guard *g, const struct mrc_guard_look *look)
{
	return count_since(g->begin.swapped, look->swapped) < RETURNING_MIN ||
	       look->now - g->entered >= SETTLE_MAX_US;
}

/*
 * Pressure stall information leaves out pages that come back though reclaim did not take them
 * for used: most of those that were evicted here. Return: how much that was at least.
 */
static u64 unseen_permille(const struct mrc_guard *g, u64 fetched)
{
	return div64_u64((g->fetched_with - fetched) * FETCH_US * 1000, USEC_PER_SEC);
}

static bool is_better_without(const struct mrc_guard *g, const struct mrc_guard_look *look)
{
	u64 without = waited_permille(&g->begin, look), fetched = fetched_per_s(&g->begin, look);

	return g->with > without + without / CHANCE_PART + CHANCE ||
	       (g->fetched_with > HARDLY * fetched &&
		without <= g->with + g->with / CHANCE_PART + unseen_permille(g, fetched));
}

static void trial_judge(struct mrc_guard *g, const struct mrc_guard_look *look)
{
	if (is_better_without(g, look)) {
		g->undone++;
		g->trial_us = 0;
		phase_enter(g, MRC_GUARD_UNDONE, look);
		g->trial_at = look->now + backoff_take(&g->undone_us);
	} else {
		g->undone_us = 0;
		phase_enter(g, MRC_GUARD_WATCH, look);
		g->trial_at = look->now + backoff_take(&g->trial_us);
	}
}

static void trial_go_on(struct mrc_guard *g, const struct mrc_guard_look *look)
{
	u64 us = look->now - g->begin.now;

	if (!g->settled && us >= SETTLE_US) {
		g->settled = has_settled(g, look);
		g->begin = *look;
	} else if (g->settled && us >= TRIAL_US) {
		trial_judge(g, look);
	}
}

/**
 * mrc_guard_see() - look whether evicting helps
 * @g: what is known
 * @look: what has been counted up to now; call it again within a second
 *
 * Return: whether shares are to bind until the next look.
 */
bool mrc_guard_see(struct mrc_guard *g, const struct mrc_guard_look *look)
{
	if (!g->begin.now)
		phase_enter(g, MRC_GUARD_WATCH, look);
	switch (g->phase) {
	case MRC_GUARD_WATCH:
		watch_go_on(g, look);
		break;
	case MRC_GUARD_TRIAL:
		trial_go_on(g, look);
		break;
	case MRC_GUARD_UNDONE:
		if (look->now >= g->trial_at)
			phase_enter(g, MRC_GUARD_WATCH, look);
	}
	return g->phase == MRC_GUARD_WATCH;
}
