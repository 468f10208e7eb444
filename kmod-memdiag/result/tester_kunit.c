// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of whether it is the memory that fails, or the CPU that tests it. */

#include <kunit/test.h>
#include <linux/module.h>

#include "result/tester.c"

static void what_fails_elsewhere_is_the_memory(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (int)memdiag_tester_judge(1, 1), (int)MEMDIAG_OPINION_CONFIRMED);
	KUNIT_EXPECT_EQ(test, (int)memdiag_tester_judge(100, 1), (int)MEMDIAG_OPINION_CONFIRMED);
	KUNIT_EXPECT_EQ(test, (int)memdiag_tester_judge(0, 1), (int)MEMDIAG_OPINION_CONFIRMED);
}

static void what_fails_here_alone_is_the_tester(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (int)memdiag_tester_judge(0, 0), (int)MEMDIAG_OPINION_OPEN);
	KUNIT_EXPECT_EQ(test, (int)memdiag_tester_judge(MEMDIAG_TESTER_ALONE - 1, 0),
			(int)MEMDIAG_OPINION_OPEN);
	KUNIT_EXPECT_EQ(test, (int)memdiag_tester_judge(MEMDIAG_TESTER_ALONE, 0),
			(int)MEMDIAG_OPINION_DOUBTED);
}

static void is_distrusted_when_it_happens_again(struct kunit *test)
{
	struct memdiag_tester tester = {};
	unsigned int i;

	for (i = 1; i < MEMDIAG_TESTER_DOUBTS; i++)
		KUNIT_EXPECT_FALSE(test, memdiag_tester_doubt(&tester));
	KUNIT_EXPECT_FALSE(test, tester.distrusted);
	KUNIT_EXPECT_TRUE(test, memdiag_tester_doubt(&tester));
	KUNIT_EXPECT_TRUE(test, tester.distrusted);
	/* That is told once, and stays. */
	KUNIT_EXPECT_FALSE(test, memdiag_tester_doubt(&tester));
	memdiag_tester_confirm(&tester);
	KUNIT_EXPECT_TRUE(test, tester.distrusted);
}

/* A doubt now and then, in years, among many findings. */
static void what_is_confirmed_takes_doubts_back(struct kunit *test)
{
	struct memdiag_tester tester = {};
	unsigned int i;

	memdiag_tester_confirm(&tester);
	for (i = 0; i < 100; i++) {
		KUNIT_EXPECT_FALSE(test, memdiag_tester_doubt(&tester));
		memdiag_tester_confirm(&tester);
	}
	KUNIT_EXPECT_EQ(test, tester.doubts, 0U);
}

static struct kunit_case tester_cases[] = {
	KUNIT_CASE(what_fails_elsewhere_is_the_memory),
	KUNIT_CASE(what_fails_here_alone_is_the_tester),
	KUNIT_CASE(is_distrusted_when_it_happens_again),
	KUNIT_CASE(what_is_confirmed_takes_doubts_back),
	{}
};

static struct kunit_suite tester_suite = {
	.name = "memdiag_tester",
	.test_cases = tester_cases,
};

kunit_test_suite(tester_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of CPUs that test");
