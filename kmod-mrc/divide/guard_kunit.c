// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the guard. */

#include <kunit/test.h>
#include <linux/module.h>

#include "divide/guard.c"

/* A machine: what goes on in a second, with shares and without. */
struct machine {
	u64 waits_with;
	u64 waits_without;
	u64 evicts;
	u64 fetches;
	u64 fetches_without;
};

#define LOOK_US	(USEC_PER_SEC / 4)

/* Return: looks of so many seconds at which shares bind. */
static unsigned int binding(struct mrc_guard *g, struct mrc_guard_look *look,
			    const struct machine *m, unsigned int seconds)
{
	unsigned int i, n = 0;
	bool binds = g->phase == MRC_GUARD_WATCH;

	if (!look->now)
		look->now = USEC_PER_SEC;
	for (i = 0; i < 4 * seconds; i++) {
		look->now += LOOK_US;
		look->waited += (binds ? m->waits_with : m->waits_without) / 4;
		look->evicted += binds ? m->evicts / 4 : 0;
		look->fetched += (binds ? m->fetches : m->fetches_without) / 4;
		look->swapped -= min(look->swapped, binds ? 0 : m->fetches_without / 4);
		binds = mrc_guard_see(g, look);
		n += binds;
	}
	return n;
}

static void what_does_not_help_is_undone_within_seconds(struct kunit *test)
{
	static const struct machine harmed = { 600000, 100000, 400, 400, 100 };
	struct mrc_guard_look look = {};
	struct mrc_guard g = {};

	binding(&g, &look, &harmed, 10);
	KUNIT_EXPECT_EQ(test, g.undone, 1ULL);
	KUNIT_EXPECT_EQ(test, (int)g.phase, (int)MRC_GUARD_UNDONE);
	/* Tried again, ever more seldom. */
	KUNIT_EXPECT_LT(test, binding(&g, &look, &harmed, 600), 4 * 600 / 10U);
	KUNIT_EXPECT_GE(test, g.undone, 3ULL);
	KUNIT_EXPECT_LE(test, g.undone, 6ULL);
}

static void what_helps_goes_on(struct kunit *test)
{
	static const struct machine helped = { 300000, 900000, 400, 400, 40 };
	struct mrc_guard_look look = {};
	struct mrc_guard g = {};

	KUNIT_EXPECT_GT(test, binding(&g, &look, &helped, 600), 4 * 600 * 95 / 100U);
	KUNIT_EXPECT_EQ(test, g.undone, 0ULL);
}

/* Where it makes no difference, nothing is undone by chance. */
static void what_is_alike_goes_on(struct kunit *test)
{
	static const struct machine alike = { 950000, 940000, 400, 400, 300 };
	struct mrc_guard_look look = {};
	struct mrc_guard g = {};

	binding(&g, &look, &alike, 600);
	KUNIT_EXPECT_EQ(test, g.undone, 0ULL);
}

static void what_does_not_come_back_is_not_tried(struct kunit *test)
{
	static const struct machine idle = { 300000, 0, 4000, 10, 10 };
	struct mrc_guard_look look = {};
	struct mrc_guard g = {};

	KUNIT_EXPECT_EQ(test, binding(&g, &look, &idle, 100), 400U);
}

/* Swap that is fast: what comes back costs time, but is hardly waited for. */
static void what_comes_back_for_nothing_is_undone(struct kunit *test)
{
	static const struct machine fast = { 10000, 0, 4000, 4000, 100 };
	static const struct machine slower = { 10000, 50000, 4000, 4000, 100 };
	/* The kernel evicts as well, a little, and what it evicts is waited for. */
	static const struct machine seen = { 3000, 28000, 20000, 20000, 700 };
	struct mrc_guard_look look = {};
	struct mrc_guard g = {}, other = {}, third = {};

	binding(&g, &look, &fast, 10);
	KUNIT_EXPECT_EQ(test, g.undone, 1ULL);
	binding(&other, &look, &slower, 100);
	KUNIT_EXPECT_EQ(test, other.undone, 0ULL);
	binding(&third, &look, &seen, 10);
	KUNIT_EXPECT_EQ(test, third.undone, 1ULL);
}

/* Nothing was evicted but at the end of a window, and a disk gives pages back for seconds. */
static void what_comes_back_late_is_undone(struct kunit *test)
{
	static const struct machine before = {};
	static const struct machine harmed = { 0, 0, 20000, 20000, 0 };
	static const struct machine returning = { 0, 0, 0, 0, 18000 };
	struct mrc_guard_look look = { .fetched = 1000000 };
	struct mrc_guard g = {};
	unsigned int i;

	binding(&g, &look, &before, 3);
	/* More is in swap than comes back in a second. */
	look.evicted += 100000;
	look.swapped = 100000;
	for (i = 0; i < 10 && g.phase == MRC_GUARD_WATCH; i++)
		binding(&g, &look, &harmed, 1);
	KUNIT_EXPECT_EQ(test, (int)g.phase, (int)MRC_GUARD_TRIAL);
	KUNIT_EXPECT_GE(test, g.fetched_with, 16000ULL);
	binding(&g, &look, &returning, 5);
	KUNIT_EXPECT_EQ(test, (int)g.phase, (int)MRC_GUARD_TRIAL);
	binding(&g, &look, &before, 4);
	KUNIT_EXPECT_EQ(test, g.undone, 1ULL);
}

/* Where pages never cease to come back, the trial ends. */
static void what_comes_back_for_ever_is_judged(struct kunit *test)
{
	static const struct machine alike = { 500000, 500000, 4000, 4000, 4000 };
	struct mrc_guard_look look = { .swapped = 10000000 };
	struct mrc_guard g = {};

	binding(&g, &look, &alike, 40);
	KUNIT_EXPECT_EQ(test, (int)g.phase, (int)MRC_GUARD_WATCH);
	KUNIT_EXPECT_GT(test, g.trial_at, 0ULL);
	KUNIT_EXPECT_EQ(test, g.undone, 0ULL);
}

/* Programs fetch all the time without shares as well, and wait for it: the trial is short. */
static void what_helps_those_that_fetch_is_soon_judged(struct kunit *test)
{
	static const struct machine helped = { 300000, 900000, 400, 52, 52 };
	struct mrc_guard_look look = { .swapped = 10000000 };
	struct mrc_guard g = {};

	KUNIT_EXPECT_GT(test, binding(&g, &look, &helped, 120), 4 * 120 * 90 / 100U);
	KUNIT_EXPECT_GT(test, binding(&g, &look, &helped, 600), 4 * 600 * 97 / 100U);
	KUNIT_EXPECT_EQ(test, g.undone, 0ULL);
}

/* Targets that end take their counts along. */
static void counts_may_fall(struct kunit *test)
{
	static const struct machine harmed = { 600000, 100000, 400, 400, 100 };
	struct mrc_guard_look look = { .evicted = 1000000, .fetched = 1000000 };
	struct mrc_guard g = {};

	binding(&g, &look, &harmed, 2);
	look.evicted = 0;
	look.fetched = 0;
	/* To the end of the window. */
	KUNIT_EXPECT_EQ(test, binding(&g, &look, &harmed, 4), 16U);
	KUNIT_EXPECT_EQ(test, (int)g.phase, (int)MRC_GUARD_WATCH);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(what_does_not_help_is_undone_within_seconds),
	KUNIT_CASE(what_helps_goes_on),
	KUNIT_CASE(what_is_alike_goes_on),
	KUNIT_CASE(what_does_not_come_back_is_not_tried),
	KUNIT_CASE(what_comes_back_for_nothing_is_undone),
	KUNIT_CASE(what_comes_back_late_is_undone),
	KUNIT_CASE(what_comes_back_for_ever_is_judged),
	KUNIT_CASE(what_helps_those_that_fetch_is_soon_judged),
	KUNIT_CASE(counts_may_fall),
	{}
};

static struct kunit_suite suite = {
	.name = "mrc_guard",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit tests of mrc: whether evicting helps");
MODULE_LICENSE("GPL");
