// SPDX-License-Identifier: GPL-2.0-only
/* Tests of backing off. */

#include <kunit/test.h>
#include <linux/module.h>

#include "sched/backoff.c"

static void stall_pressed(struct kunit *test)
{
	static const struct memdiag_backoff_stall limits = { .memory = 10, .cpu = 50 };
	static const struct memdiag_backoff_stall off = { 0 };
	struct memdiag_backoff_stall stall = { .memory = 10, .cpu = 50 };

	KUNIT_EXPECT_FALSE(test, memdiag_backoff_pressed(&stall, &limits));
	stall.memory = 11;
	KUNIT_EXPECT_TRUE(test, memdiag_backoff_pressed(&stall, &limits));
	stall.memory = 0;
	stall.cpu = 51;
	KUNIT_EXPECT_TRUE(test, memdiag_backoff_pressed(&stall, &limits));
	stall.memory = 100;
	stall.cpu = 100;
	KUNIT_EXPECT_FALSE(test, memdiag_backoff_pressed(&stall, &off));
}

static void halves_and_recovers(struct kunit *test)
{
	static const unsigned int down[] = { 50, 25, 12, 6, 3, 1, 1 };
	unsigned int share = 100, i;

	for (i = 0; i < ARRAY_SIZE(down); i++) {
		share = memdiag_backoff_next(share, true);
		KUNIT_EXPECT_EQ(test, share, down[i]);
	}
	for (i = 1; i < 10; i++) {
		share = memdiag_backoff_next(share, false);
		KUNIT_EXPECT_EQ(test, share, 1 + 10 * i);
	}
	share = memdiag_backoff_next(share, false);
	KUNIT_EXPECT_EQ(test, share, 100U);
	KUNIT_EXPECT_EQ(test, memdiag_backoff_next(share, false), 100U);
}

/* Never less than the guarantee, and never more than without pressure. */
static void keeps_the_guarantee(struct kunit *test)
{
	unsigned int share;

	KUNIT_EXPECT_EQ(test, memdiag_backoff_pages(1000, 100, 100), 1000ULL);
	KUNIT_EXPECT_EQ(test, memdiag_backoff_pages(1000, 100, 50), 500ULL);
	KUNIT_EXPECT_EQ(test, memdiag_backoff_pages(1000, 100, 1), 100ULL);
	/* A budget of the administrator that is too small for it. */
	KUNIT_EXPECT_EQ(test, memdiag_backoff_pages(50, 100, 100), 50ULL);
	KUNIT_EXPECT_EQ(test, memdiag_backoff_pages(50, 100, 1), 50ULL);
	for (share = 1; share <= 100; share++) {
		u64 pages = memdiag_backoff_pages(1000000, 20000, share);

		KUNIT_EXPECT_GE(test, pages, 20000ULL);
		KUNIT_EXPECT_LE(test, pages, 1000000ULL);
	}
}

static void keeps_the_least_fidelity(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, memdiag_backoff_fidelity(1, 32, 100), 32U);
	KUNIT_EXPECT_EQ(test, memdiag_backoff_fidelity(1, 32, 50), 16U);
	KUNIT_EXPECT_EQ(test, memdiag_backoff_fidelity(1, 32, 1), 1U);
	KUNIT_EXPECT_EQ(test, memdiag_backoff_fidelity(8, 32, 1), 8U);
	KUNIT_EXPECT_EQ(test, memdiag_backoff_fidelity(8, 8, 50), 8U);
}

static struct kunit_case backoff_cases[] = {
	KUNIT_CASE(stall_pressed),
	KUNIT_CASE(halves_and_recovers),
	KUNIT_CASE(keeps_the_guarantee),
	KUNIT_CASE(keeps_the_least_fidelity),
	{}
};

static struct kunit_suite backoff_suite = {
	.name = "memdiag_backoff",
	.test_cases = backoff_cases,
};

kunit_test_suite(backoff_suite);

MODULE_LICENSE("GPL");
