// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of what the hand evicts by. */

#include <kunit/test.h>
#include <linux/module.h>

#include "target/page_usage.c"

static u8 aged(u8 usage, unsigned int rounds, bool touched)
{
	while (rounds--)
		usage = mrc_page_usage_age(usage, touched);
	return usage;
}

static void usage_stays_in_its_classes(struct kunit *test)
{
	unsigned int usage;

	for (usage = 0; usage < 256; usage++) {
		KUNIT_EXPECT_LT(test, mrc_page_usage_class(usage, true),
				(unsigned int)MRC_PAGE_USAGE_CLASSES);
		KUNIT_EXPECT_LT(test, mrc_page_usage_class(usage, false),
				mrc_page_usage_class(usage, true));
	}
	KUNIT_EXPECT_EQ(test, mrc_page_usage_class(aged(0, 1000, true), true),
			MRC_PAGE_USAGE_CLASSES - 1U);
	KUNIT_EXPECT_EQ(test, aged(255, 1000, false), MRC_PAGE_USAGE_OWED);
}

/* Of a scan nothing is worth as much as what is in use all the time. */
static void what_was_used_often_outlasts_what_was_used_once(struct kunit *test)
{
	u8 often = aged(aged(0, 20, true), 2, false);
	u8 once = mrc_page_usage_age(0, true);

	KUNIT_EXPECT_GT(test, mrc_page_usage_class(often, false),
			mrc_page_usage_class(once, false));
	KUNIT_EXPECT_GE(test, mrc_page_usage_class(once, false),
			mrc_page_usage_class(aged(once, 1, false), false));
}

/* Who has gone over to other pages loses those first that it uses no more. */
static void what_is_used_now_outlasts_what_was_used_before(struct kunit *test)
{
	u8 before = aged(aged(0, 100, true), 4, false);
	u8 now = aged(0, 4, true);

	KUNIT_EXPECT_GT(test, mrc_page_usage_class(now, true),
			mrc_page_usage_class(before, false));
}

/* Or it would be evicted each time that it is. */
static void an_evicted_page_comes_back_with_its_touch(struct kunit *test)
{
	u8 usage = mrc_page_usage_evict(MRC_PAGE_USAGE_OWED, true);

	KUNIT_EXPECT_GT(test, mrc_page_usage_class(usage, true), mrc_page_usage_class(0, true));
	KUNIT_EXPECT_FALSE(test, usage & MRC_PAGE_USAGE_OWED);
	KUNIT_EXPECT_EQ(test, mrc_page_usage_evict(127 << 1, true), 127 << 1);
	KUNIT_EXPECT_EQ(test, mrc_page_usage_evict(10 << 1, false), 10 << 1);
}

/* Until reclaim has been told. */
static void a_taken_bit_stays_owed(struct kunit *test)
{
	u8 usage = mrc_page_usage_age(0, true);

	KUNIT_EXPECT_TRUE(test, usage & MRC_PAGE_USAGE_OWED);
	KUNIT_EXPECT_TRUE(test, aged(usage, 3, false) & MRC_PAGE_USAGE_OWED);
	usage &= ~MRC_PAGE_USAGE_OWED;
	KUNIT_EXPECT_FALSE(test, aged(usage, 3, false) & MRC_PAGE_USAGE_OWED);
}

static void the_coldest_are_not_too_few(struct kunit *test)
{
	struct mrc_page_usage u = { 0 };
	u8 cold = 0, warm = aged(0, 2, true), hot = aged(0, 100, true);

	mrc_page_usage_count(&u, cold, 10);
	mrc_page_usage_count(&u, warm, 100);
	mrc_page_usage_count(&u, hot, 6400);
	mrc_page_usage_round(&u);
	KUNIT_EXPECT_EQ(test, u.coldest, mrc_page_usage_class(warm, false));

	/* A round begins with nothing. */
	mrc_page_usage_count(&u, cold, 100);
	mrc_page_usage_count(&u, hot, 6000);
	mrc_page_usage_round(&u);
	KUNIT_EXPECT_EQ(test, u.coldest, 0U);

	mrc_page_usage_count(&u, hot, 6400);
	mrc_page_usage_round(&u);
	KUNIT_EXPECT_EQ(test, u.coldest, mrc_page_usage_class(hot, false));
}

static void all_can_be_had_in_the_end(struct kunit *test)
{
	struct mrc_page_usage u = { 0 };
	unsigned int raised = 0;

	mrc_page_usage_round(&u);
	while (mrc_page_usage_raise(&u))
		raised++;
	KUNIT_EXPECT_EQ(test, u.coldest, MRC_PAGE_USAGE_CLASSES - 1U);
	KUNIT_EXPECT_LT(test, raised, (unsigned int)MRC_PAGE_USAGE_CLASSES);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(usage_stays_in_its_classes),
	KUNIT_CASE(what_was_used_often_outlasts_what_was_used_once),
	KUNIT_CASE(what_is_used_now_outlasts_what_was_used_before),
	KUNIT_CASE(an_evicted_page_comes_back_with_its_touch),
	KUNIT_CASE(a_taken_bit_stays_owed),
	KUNIT_CASE(the_coldest_are_not_too_few),
	KUNIT_CASE(all_can_be_had_in_the_end),
	{}
};

static struct kunit_suite suite = {
	.name = "mrc_usage",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit tests of mrc: which pages are evicted");
MODULE_LICENSE("GPL");
