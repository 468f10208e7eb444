// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the tally of errors. */

#include <kunit/test.h>
#include <linux/module.h>

#include "result/ecc_count.c"

static struct tally tally;

static void counts_by_page(struct kunit *test)
{
	struct tally_page *page;

	memset(&tally, 0, sizeof(tally));
	tally_count(&tally, 7, false, 1);
	tally_count(&tally, 8, true, 2);
	page = tally_count(&tally, 7, false, 3);
	KUNIT_ASSERT_TRUE(test, !!page);
	KUNIT_EXPECT_EQ(test, page->corrected, 2ULL);
	KUNIT_EXPECT_EQ(test, page->uncorrected, 0ULL);
	KUNIT_EXPECT_EQ(test, (u64)page->time, 3ULL);
	KUNIT_EXPECT_EQ(test, tally.nr, 2U);
}

static void is_due_at_the_threshold(struct kunit *test)
{
	struct tally_page *page;

	memset(&tally, 0, sizeof(tally));
	page = tally_count(&tally, 7, false, 1);
	KUNIT_EXPECT_FALSE(test, tally_due(page, 2, false));
	tally_count(&tally, 7, false, 1);
	KUNIT_EXPECT_TRUE(test, tally_due(page, 2, false));
	KUNIT_EXPECT_FALSE(test, tally_due(page, 0, false));
	page->state = TALLY_ASKED;
	KUNIT_EXPECT_FALSE(test, tally_due(page, 2, false));
	KUNIT_EXPECT_TRUE(test, tally_find(&tally, TALLY_ASKED) == page);
	page->state = TALLY_PASSED;
	page->fresh = 1;
	KUNIT_EXPECT_FALSE(test, tally_due(page, 2, false));
	KUNIT_EXPECT_TRUE(test, tally_due(page, 2, true));
	KUNIT_EXPECT_FALSE(test, tally_due(page, 0, true));
	page->state = TALLY_RETIRED;
	KUNIT_EXPECT_FALSE(test, tally_due(page, 2, true));
}

static void forgets_the_quiet(struct kunit *test)
{
	unsigned long pfn;

	memset(&tally, 0, sizeof(tally));
	for (pfn = 0; pfn < TALLY_PAGES; pfn++)
		tally_count(&tally, pfn, false, 100 + pfn);
	tally.pages[0].state = TALLY_TESTING;
	KUNIT_ASSERT_TRUE(test, !!tally_count(&tally, 1000, false, 900));
	KUNIT_EXPECT_EQ(test, tally.pages[0].pfn, 0UL);
	KUNIT_EXPECT_EQ(test, tally.pages[1].pfn, 1000UL);
	KUNIT_EXPECT_EQ(test, tally.pages[1].corrected, 1ULL);
	for (pfn = 0; pfn < TALLY_PAGES; pfn++)
		tally.pages[pfn].state = TALLY_ASKED;
	KUNIT_EXPECT_TRUE(test, !tally_count(&tally, 2000, false, 901));
}

static struct kunit_case tally_cases[] = {
	KUNIT_CASE(counts_by_page),
	KUNIT_CASE(is_due_at_the_threshold),
	KUNIT_CASE(forgets_the_quiet),
	{}
};

static struct kunit_suite tally_suite = {
	.name = "memdiag_tally",
	.test_cases = tally_cases,
};

kunit_test_suite(tally_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of memdiag's tally of errors");
