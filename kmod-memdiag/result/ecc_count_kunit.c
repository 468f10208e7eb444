// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the ecc_count of errors. */

#include <kunit/test.h>
#include <linux/module.h>

#include "result/ecc_count.c"

static struct memdiag_ecc_count ecc_count;

static void counts_by_page(struct kunit *test)
{
	struct memdiag_ecc_page *page;

	memset(&ecc_count, 0, sizeof(ecc_count));
	memdiag_ecc_count_add(&ecc_count, 7, false, 1);
	memdiag_ecc_count_add(&ecc_count, 8, true, 2);
	page = memdiag_ecc_count_add(&ecc_count, 7, false, 3);
	KUNIT_ASSERT_TRUE(test, !!page);
	KUNIT_EXPECT_EQ(test, page->corrected, 2ULL);
	KUNIT_EXPECT_EQ(test, page->uncorrected, 0ULL);
	KUNIT_EXPECT_EQ(test, (u64)page->time, 3ULL);
	KUNIT_EXPECT_EQ(test, ecc_count.nr, 2U);
}

static void is_due_at_the_threshold(struct kunit *test)
{
	struct memdiag_ecc_page *page;

	memset(&ecc_count, 0, sizeof(ecc_count));
	page = memdiag_ecc_count_add(&ecc_count, 7, false, 1);
	KUNIT_EXPECT_FALSE(test, memdiag_ecc_count_due(page, 2, false));
	memdiag_ecc_count_add(&ecc_count, 7, false, 1);
	KUNIT_EXPECT_TRUE(test, memdiag_ecc_count_due(page, 2, false));
	KUNIT_EXPECT_FALSE(test, memdiag_ecc_count_due(page, 0, false));
	page->state = MEMDIAG_ECC_ASKED;
	KUNIT_EXPECT_FALSE(test, memdiag_ecc_count_due(page, 2, false));
	KUNIT_EXPECT_TRUE(test, memdiag_ecc_count_find(&ecc_count, MEMDIAG_ECC_ASKED) == page);
	page->state = MEMDIAG_ECC_PASSED;
	page->fresh = 1;
	KUNIT_EXPECT_FALSE(test, memdiag_ecc_count_due(page, 2, false));
	KUNIT_EXPECT_TRUE(test, memdiag_ecc_count_due(page, 2, true));
	KUNIT_EXPECT_FALSE(test, memdiag_ecc_count_due(page, 0, true));
	page->state = MEMDIAG_ECC_RETIRED;
	KUNIT_EXPECT_FALSE(test, memdiag_ecc_count_due(page, 2, true));
}

static void forgets_the_quiet(struct kunit *test)
{
	unsigned long pfn;

	memset(&ecc_count, 0, sizeof(ecc_count));
	for (pfn = 0; pfn < MEMDIAG_ECC_PAGES; pfn++)
		memdiag_ecc_count_add(&ecc_count, pfn, false, 100 + pfn);
	ecc_count.pages[0].state = MEMDIAG_ECC_TESTING;
	KUNIT_ASSERT_TRUE(test, !!memdiag_ecc_count_add(&ecc_count, 1000, false, 900));
	KUNIT_EXPECT_EQ(test, ecc_count.pages[0].pfn, 0UL);
	KUNIT_EXPECT_EQ(test, ecc_count.pages[1].pfn, 1000UL);
	KUNIT_EXPECT_EQ(test, ecc_count.pages[1].corrected, 1ULL);
	for (pfn = 0; pfn < MEMDIAG_ECC_PAGES; pfn++)
		ecc_count.pages[pfn].state = MEMDIAG_ECC_ASKED;
	KUNIT_EXPECT_TRUE(test, !memdiag_ecc_count_add(&ecc_count, 2000, false, 901));
}

static struct kunit_case ecc_count_cases[] = {
	KUNIT_CASE(counts_by_page),
	KUNIT_CASE(is_due_at_the_threshold),
	KUNIT_CASE(forgets_the_quiet),
	{}
};

static struct kunit_suite ecc_count_suite = {
	.name = "memdiag_ecc_count",
	.test_cases = ecc_count_cases,
};

kunit_test_suite(ecc_count_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of memdiag's count of errors");
