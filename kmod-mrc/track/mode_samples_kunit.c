// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of what mode samples counts. */

#include <kunit/test.h>
#include <linux/module.h>

#include "curve/curve.c"
#include "curve/stack_distance.c"

static struct mrc_stack_distances distances;
static u64 rate[MRC_SIZES];

static int init(struct kunit *test)
{
	mrc_curve_init();
	mrc_stack_distances_reset(&distances);
	return 0;
}

/* One access in 1000, for two seconds: each touch is 500 accesses a second. */
static void rates(int sub)
{
	mrc_stack_distances_rates(&distances, sub, 1000, 2 * USEC_PER_SEC, rate);
}

static void touches_miss_below_their_distance(struct kunit *test)
{
	unsigned int i;

	mrc_stack_distances_count(&distances, 64);
	mrc_stack_distances_count(&distances, 128);
	mrc_stack_distances_count(&distances, MRC_DISTANCE_COLD);
	rates(-1);
	for (i = 0; i < MRC_SIZES; i++) {
		u64 want = mrc_size(i) < 64 ? 3 : mrc_size(i) < 128 ? 2 : 1;

		KUNIT_EXPECT_EQ(test, rate[i], want * 500 * MRC_RATE);
	}
	KUNIT_EXPECT_EQ(test, distances.cold, 1ULL);
	KUNIT_EXPECT_EQ(test,
			mrc_stack_distances_rate(&distances, 1000, 2 * USEC_PER_SEC),
			3ULL * 500 * MRC_RATE);
}

static void subs_are_like_the_whole(struct kunit *test)
{
	unsigned int i, k;

	for (i = 0; i < 10 * MRC_SUBS; i++)
		mrc_stack_distances_count(&distances, 1 + i / MRC_SUBS);
	for (k = 0; k < MRC_SUBS; k++) {
		rates(k);
		KUNIT_EXPECT_EQ(test, rate[0], 72ULL * 500 * MRC_RATE);
		KUNIT_EXPECT_EQ(test, rate[4], 40ULL * 500 * MRC_RATE);
		KUNIT_EXPECT_EQ(test, rate[9], 0ULL);
	}
}

static void nothing_is_no_rate(struct kunit *test)
{
	rates(-1);
	KUNIT_EXPECT_EQ(test, rate[0], 0ULL);
	KUNIT_EXPECT_EQ(test, mrc_stack_distances_rate(&distances, 1000, 1), 0ULL);
}

/* The most that there can be in the shortest time. */
static void rates_do_not_overflow(struct kunit *test)
{
	distances.nr = 800000;
	KUNIT_EXPECT_EQ(test, mrc_stack_distances_rate(&distances, 100000000, USEC_PER_SEC),
			800000ULL * 100000000 * MRC_RATE);
}

static struct kunit_case samples_cases[] = {
	KUNIT_CASE(touches_miss_below_their_distance),
	KUNIT_CASE(subs_are_like_the_whole),
	KUNIT_CASE(nothing_is_no_rate),
	KUNIT_CASE(rates_do_not_overflow),
	{}
};

static struct kunit_suite samples_suite = {
	.name = "mrc_samples",
	.init = init,
	.test_cases = samples_cases,
};

kunit_test_suite(samples_suite);

MODULE_DESCRIPTION("KUnit tests of mrc's mode samples");
MODULE_LICENSE("GPL");
