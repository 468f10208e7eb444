// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of how many pages may be bad, and of the alarm. */

#include <kunit/test.h>
#include <linux/module.h>

#include "result/retire_quota.c"

#define NOW	1795239730

static struct memdiag_quota full(void)
{
	struct memdiag_quota quota = { .most = 2 };

	memdiag_quota_add(&quota);
	memdiag_quota_add(&quota);
	return quota;
}

static void refuses_one_more(struct kunit *test)
{
	struct memdiag_quota quota = { .most = 2 };

	KUNIT_EXPECT_FALSE(test, memdiag_quota_refuses(&quota, NOW));
	memdiag_quota_add(&quota);
	KUNIT_EXPECT_FALSE(test, memdiag_quota_refuses(&quota, NOW));
	memdiag_quota_add(&quota);
	/* It is full; but nothing was refused yet. */
	KUNIT_EXPECT_FALSE(test, quota.alarm);
	KUNIT_EXPECT_TRUE(test, memdiag_quota_refuses(&quota, NOW));
	KUNIT_EXPECT_TRUE(test, quota.alarm);
}

static void has_no_limit_of_0(struct kunit *test)
{
	struct memdiag_quota quota = { .bad = 1000 };

	KUNIT_EXPECT_FALSE(test, memdiag_quota_refuses(&quota, NOW));
	KUNIT_EXPECT_FALSE(test, quota.alarm);
}

static void is_told_once(struct kunit *test)
{
	struct memdiag_quota quota = full(), other = full();

	KUNIT_EXPECT_FALSE(test, memdiag_quota_tell(&quota));
	memdiag_quota_refuses(&quota, NOW);
	KUNIT_EXPECT_TRUE(test, memdiag_quota_tell(&quota));
	memdiag_quota_refuses(&quota, NOW + 1);
	KUNIT_EXPECT_FALSE(test, memdiag_quota_tell(&quota));
	KUNIT_EXPECT_TRUE(test, quota.alarm);
	KUNIT_EXPECT_EQ(test, quota.since, (time64_t)NOW);
	/* That of another DIMM is another one. */
	memdiag_quota_refuses(&other, NOW);
	KUNIT_EXPECT_TRUE(test, memdiag_quota_tell(&other));
}

static void is_taken_back_when_there_is_room(struct kunit *test)
{
	struct memdiag_quota quota = full();

	memdiag_quota_add(&quota);	/* by hand: no limit holds for that */
	memdiag_quota_refuses(&quota, NOW);
	memdiag_quota_del(&quota);
	KUNIT_EXPECT_TRUE(test, quota.alarm);
	memdiag_quota_del(&quota);
	KUNIT_EXPECT_FALSE(test, quota.alarm);
	/* What was over before anybody was told is not told. */
	KUNIT_EXPECT_FALSE(test, memdiag_quota_tell(&quota));
	memdiag_quota_add(&quota);
	KUNIT_EXPECT_FALSE(test, quota.alarm);
	memdiag_quota_refuses(&quota, NOW);
	KUNIT_EXPECT_TRUE(test, memdiag_quota_tell(&quota));
}

static void is_taken_back_by_a_new_limit(struct kunit *test)
{
	struct memdiag_quota quota = full();

	memdiag_quota_refuses(&quota, NOW);
	memdiag_quota_set_most(&quota, 1);
	KUNIT_EXPECT_TRUE(test, quota.alarm);
	memdiag_quota_set_most(&quota, 3);
	KUNIT_EXPECT_FALSE(test, quota.alarm);
	memdiag_quota_set_most(&quota, 1);
	memdiag_quota_refuses(&quota, NOW);
	memdiag_quota_take_back(&quota);
	KUNIT_EXPECT_FALSE(test, quota.alarm);
	memdiag_quota_refuses(&quota, NOW);
	KUNIT_EXPECT_TRUE(test, memdiag_quota_tell(&quota));
}

static struct kunit_case quota_cases[] = {
	KUNIT_CASE(refuses_one_more),
	KUNIT_CASE(has_no_limit_of_0),
	KUNIT_CASE(is_told_once),
	KUNIT_CASE(is_taken_back_when_there_is_room),
	KUNIT_CASE(is_taken_back_by_a_new_limit),
	{}
};

static struct kunit_suite quota_suite = {
	.name = "memdiag_quota",
	.test_cases = quota_cases,
};

kunit_test_suite(quota_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of how many pages may be bad");
