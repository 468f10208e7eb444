// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the division of memory, against all divisions there are. */

#include <kunit/test.h>
#include <linux/module.h>

#include "curve/curve.c"
#include "curve/division.c"

#define CLAIMS	3

/* Too large for a kernel stack, and tests run one at a time. */
static struct mrc_claim claims[CLAIMS];
static u64 seen[MRC_SIZES];
static u64 rates[CLAIMS][MRC_SIZES];

static struct mrc_division by(u64 total)
{
	return (struct mrc_division){ .total = total, .unit = 1,
				      .miss_us = 1000 };
}

static struct mrc_claim *claim(unsigned int i, u64 full)
{
	mrc_curve_init();
	claims[i] = (struct mrc_claim){ .rate = rates[i], .full = full,
					.most = U64_MAX, .weight = 1, .running = MRC_RUNNING };
	return &claims[i];
}

/* It misses always until all of it is there. */
static struct mrc_claim *loop(unsigned int i, u64 full, u64 rate)
{
	unsigned int k;

	for (k = 0; k < MRC_SIZES; k++)
		rates[i][k] = mrc_size(k) < full ? rate : 0;
	return claim(i, full);
}

/* Uniform touches: misses fall in a straight line. */
static struct mrc_claim *uniform(unsigned int i, u64 full, u64 rate)
{
	unsigned int k;

	for (k = 0; k < MRC_SIZES; k++)
		rates[i][k] = mrc_size(k) < full ?
			rate * (full - mrc_size(k)) / full : 0;
	return claim(i, full);
}

/* The more, the less each page is worth. */
static struct mrc_claim *bend(unsigned int i, u64 full, u64 rate)
{
	unsigned int k;

	for (k = 0; k < MRC_SIZES; k++)
		rates[i][k] = mrc_size(k) < full ?
			rate * (full - mrc_size(k)) / full *
			(full - mrc_size(k)) / full : 0;
	return claim(i, full);
}

static u64 given(unsigned int n)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		sum += claims[i].pages;
	return sum;
}

static void enough_is_given_to_all(struct kunit *test)
{
	struct mrc_division how = by(1000);

	loop(0, 300, 5000);
	uniform(1, 400, 100);
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 300ULL);
	KUNIT_EXPECT_EQ(test, claims[1].pages, 400ULL);
}

/* The last page of what is hot throughout, a page above a size of the grid. */
static void one_page_can_be_worth_all(struct kunit *test)
{
	struct mrc_division how = by(100000);

	how.utility = MRC_UTILITY_MISSES;
	loop(0, 65537, 1ULL << 40)->weight = 1000;
	uniform(1, 400, 100);
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 65537ULL);
	KUNIT_EXPECT_EQ(test, claims[1].pages, 400ULL);
}

static void loop_that_cannot_fit_gets_nothing(struct kunit *test)
{
	struct mrc_division how = by(100);

	loop(0, 120, 1000000);
	uniform(1, 100, 1000);
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[1].pages, 100ULL);
}

static void loop_that_is_stranded_gives_way(struct kunit *test)
{
	struct mrc_division how = by(100);

	/* By its hull the loop is worth less a page, and gets the rest. */
	loop(0, 90, 1000);
	uniform(1, 60, 1000);
	uniform(2, 100, 1000);
	claims[2].weight = 1;
	mrc_divide(claims, 3, &how);
	KUNIT_EXPECT_EQ(test, claims[1].pages, 60ULL);
	KUNIT_EXPECT_EQ(test, claims[2].pages, 40ULL);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 0ULL);
}

static void rest_is_spread(struct kunit *test)
{
	struct mrc_division how = by(100);

	loop(0, 200, 1000);
	uniform(1, 60, 1000);
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[1].pages, 60ULL);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 40ULL);
}

/* It hits with a third of its memory: what it touches seldom was not seen yet. */
static void rest_goes_to_who_hits(struct kunit *test)
{
	struct mrc_division how = by(1000);
	unsigned int k;

	loop(0, 2000, 1000);
	uniform(1, 200, 1000)->full = 600;
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[1].pages, 600ULL);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 400ULL);
	/* Two of them share it by what they lack. */
	for (k = 0; k < MRC_SIZES; k++)
		rates[0][k] = rates[1][k];
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 690ULL);
	KUNIT_EXPECT_EQ(test, claims[1].pages, 309ULL);
}

static void minimum_is_kept(struct kunit *test)
{
	struct mrc_division how = by(100);

	loop(0, 200, 1000)->min = 30;
	uniform(1, 100, 1000);
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 30ULL);
	KUNIT_EXPECT_EQ(test, claims[1].pages, 70ULL);
	loop(0, 200, 1000)->min = 150;
	uniform(1, 100, 1000)->min = 50;
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 75ULL);
	KUNIT_EXPECT_EQ(test, claims[1].pages, 25ULL);
}

/* Two that would gain most may have a tenth together: the third gets the rest. */
static void group_keeps_to_its_limit(struct kunit *test)
{
	struct mrc_division all = by(3000);

	uniform(0, 2000, 4000000);
	bend(1, 2000, 4000000);
	uniform(2, 4000, 1000);
	mrc_divide_within(claims, 2, &all, 300);
	KUNIT_EXPECT_EQ(test, claims[0].most + claims[1].most, 300ULL);
	/* It bends: its first pages are worth most. */
	KUNIT_EXPECT_GT(test, claims[1].most, claims[0].most);
	mrc_divide(claims, 3, &all);
	KUNIT_EXPECT_LE(test, claims[0].pages, claims[0].most);
	KUNIT_EXPECT_LE(test, claims[1].pages, claims[1].most);
	KUNIT_EXPECT_EQ(test, claims[2].pages, 2700ULL);
	/* With enough for both, nothing is limited. */
	uniform(0, 2000, 4000000);
	bend(1, 2000, 4000000);
	mrc_divide_within(claims, 2, &all, 4000);
	KUNIT_EXPECT_EQ(test, claims[0].most, U64_MAX);
}

static void weight_decides(struct kunit *test)
{
	struct mrc_division how = by(100);

	uniform(0, 100, 1000);
	uniform(1, 100, 1000)->weight = 2;
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[1].pages, 100ULL);
}

static void utilities_differ(struct kunit *test)
{
	struct mrc_division how = by(100);

	/* The first misses little of much, the second all of a little. */
	uniform(0, 100, 100000);
	uniform(1, 50, 1000);
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[1].pages, 50ULL);
	how.utility = MRC_UTILITY_MISSES;
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 100ULL);
	/* 1 miss of 1 ms in 1 s slows it down by a thousandth, of which this is the logarithm. */
	how.utility = MRC_UTILITY_TIME;
	claim(1, 50)->running = MRC_RUNNING;
	KUNIT_EXPECT_EQ(test, claim_utility(&claims[1], &how, 0), 2887695ULL);
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 100ULL);
	/* One that nearly always waits would miss a hundred times as much. */
	claims[1].running = 10;
	KUNIT_EXPECT_EQ(test, claim_utility(&claims[1], &how, 0), 2879495ULL);
}

/* Its curve says that 20 pages are enough, and with less than 60 it misses. */
static void curve_is_refuted(struct kunit *test)
{
	struct mrc_division how = by(100);

	memset(seen, 0, sizeof(seen));
	how.utility = MRC_UTILITY_MISSES;
	loop(0, 20, 1000)->full = 80;
	uniform(1, 100, 1000);
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 20ULL);
	KUNIT_EXPECT_EQ(test, mrc_seen_correct(seen, rates[0], MRC_RUNNING), 0ULL);
	/* It ran for half of the time, and had missed more with less. */
	mrc_seen_add(seen, 10, 4000, 0);
	mrc_seen_add(seen, 60, 3000, 0);
	KUNIT_EXPECT_EQ(test, mrc_seen_correct(seen, rates[0], MRC_RUNNING / 2), 60ULL);
	KUNIT_EXPECT_EQ(test, rates[0][8], 2000ULL);
	KUNIT_EXPECT_EQ(test, rates[0][58], 1500ULL);
	KUNIT_EXPECT_EQ(test, rates[0][59], 0ULL);
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 60ULL);
	/* The curve says as much. */
	KUNIT_EXPECT_EQ(test, mrc_seen_correct(seen, rates[0], MRC_RUNNING / 4), 0ULL);
}

/* It has 50 pages, with which it misses 500 by its curve. */
static void curve_has_too_much(struct kunit *test)
{
	uniform(0, 100, 1000);
	mrc_rate_lower(rates[0], 100, 50, 600);
	KUNIT_EXPECT_EQ(test, rates[0][49], 500ULL);
	mrc_rate_lower(rates[0], 100, 50, 100);
	KUNIT_EXPECT_EQ(test, rates[0][9], 500ULL);
	KUNIT_EXPECT_EQ(test, rates[0][49], 100ULL);
	KUNIT_EXPECT_EQ(test, rates[0][79], 40ULL);
	KUNIT_EXPECT_EQ(test, rates[0][99], 0ULL);
}

/* It has 50 pages, and will have 80. */
static void curve_has_too_little(struct kunit *test)
{
	uniform(0, 100, 1000);
	mrc_rate_raise(rates[0], 80, 400);
	KUNIT_EXPECT_EQ(test, rates[0][9], 900ULL);
	KUNIT_EXPECT_EQ(test, rates[0][78], 400ULL);
	KUNIT_EXPECT_EQ(test, rates[0][79], 200ULL);
}

static void what_was_seen_is_forgotten(struct kunit *test)
{
	memset(seen, 0, sizeof(seen));
	mrc_curve_init();
	mrc_seen_add(seen, 60, 3000, 0);
	mrc_seen_add(seen, 10, 0, 100000);
	KUNIT_EXPECT_EQ(test, seen[58], 2700ULL);
	/* Less than a thousandth, often enough, and what is little, too. */
	mrc_seen_add(seen, 10, 0, 400);
	KUNIT_EXPECT_EQ(test, seen[58], 2698ULL);
	mrc_seen_add(seen, 100, 10, 1000001);
	KUNIT_EXPECT_EQ(test, seen[58], 10ULL);
	KUNIT_EXPECT_EQ(test, seen[98], 10ULL);
	KUNIT_EXPECT_EQ(test, seen[99], 0ULL);
	mrc_seen_add(seen, 10, 0, 400);
	KUNIT_EXPECT_EQ(test, seen[58], 9ULL);
}

/* A pair of whom one would wait ten times as long as it runs, or the other as long. */
static void nobody_is_left_to_starve(struct kunit *test)
{
	struct mrc_division how = by(100);

	how.utility = MRC_UTILITY_TIME;
	loop(0, 60, 10000000);
	loop(1, 60, 1000000);
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_GE(test, claims[0].pages, 60ULL);
	/* Even if the other one is of three times the weight. */
	claims[1].weight = 3;
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_GE(test, claims[0].pages, 60ULL);
	claims[1].weight = 4;
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_GE(test, claims[1].pages, 60ULL);
}

/* Every division in pieces of @step; returns what the best one is worth. */
static u64 best_of_all(const struct mrc_division *how, u64 step)
{
	struct mrc_claim *c = claims;
	u64 best = 0, a, b;

	for (a = 0; a <= how->total; a += step)
		for (b = 0; a + b <= how->total; b += step) {
			c[0].pages = a;
			c[1].pages = b;
			c[2].pages = how->total - a - b;
			best = max(best, division_worth(claims, CLAIMS, how));
		}
	return best;
}

static void nothing_is_better(struct kunit *test)
{
	static const u64 totals[] = { 40, 100, 160, 250, 400, 600 };
	u64 full[] = { 90, 200, 310 }, best, got;
	unsigned int i, kind;

	for (i = 0; i < ARRAY_SIZE(totals); i++) {
		for (kind = 0; kind < 4; kind++) {
			struct mrc_division how = by(totals[i]);

			(kind & 1 ? loop : uniform)(0, full[0], 1000);
			(kind & 2 ? loop : bend)(1, full[1], 700);
			bend(2, full[2], 4000);
			best = best_of_all(&how, 5);
			mrc_divide(claims, CLAIMS, &how);
			got = division_worth(claims, CLAIMS, &how);
			KUNIT_EXPECT_LE(test, given(CLAIMS), how.total);
			/* Two loops, of which either may be the one to leave. */
			KUNIT_EXPECT_GE(test, got * 100, best * (kind == 3 ? 90 : 98));
		}
	}
}

static void nothing_is_divided(struct kunit *test)
{
	struct mrc_division how = by(0);

	uniform(0, 100, 0)->min = 10;
	mrc_divide(claims, 1, &how);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 0ULL);
	how.total = 50;
	uniform(0, 100, 0);
	mrc_divide(claims, 1, &how);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 50ULL);
	mrc_divide(claims, 0, &how);
}

static void whole_units_are_given(struct kunit *test)
{
	struct mrc_division how = by(100);

	how.unit = 32;
	uniform(0, 40, 1000);
	uniform(1, 100, 1000);
	mrc_divide(claims, 2, &how);
	KUNIT_EXPECT_EQ(test, claims[0].pages, 64ULL);
	KUNIT_EXPECT_EQ(test, claims[1].pages, 36ULL);
}

static struct kunit_case division_cases[] = {
	KUNIT_CASE(enough_is_given_to_all),
	KUNIT_CASE(loop_that_cannot_fit_gets_nothing),
	KUNIT_CASE(loop_that_is_stranded_gives_way),
	KUNIT_CASE(rest_is_spread),
	KUNIT_CASE(rest_goes_to_who_hits),
	KUNIT_CASE(minimum_is_kept),
	KUNIT_CASE(group_keeps_to_its_limit),
	KUNIT_CASE(weight_decides),
	KUNIT_CASE(utilities_differ),
	KUNIT_CASE(curve_is_refuted),
	KUNIT_CASE(curve_has_too_much),
	KUNIT_CASE(curve_has_too_little),
	KUNIT_CASE(what_was_seen_is_forgotten),
	KUNIT_CASE(nobody_is_left_to_starve),
	KUNIT_CASE(nothing_is_better),
	KUNIT_CASE(nothing_is_divided),
	KUNIT_CASE(one_page_can_be_worth_all),
	KUNIT_CASE(whole_units_are_given),
	{}
};

static struct kunit_suite division_suite = {
	.name = "mrc_division",
	.test_cases = division_cases,
};

kunit_test_suite(division_suite);

MODULE_DESCRIPTION("KUnit tests of the division of memory");
MODULE_LICENSE("GPL");
