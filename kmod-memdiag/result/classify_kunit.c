// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the classification of faults. */

#include <kunit/test.h>
#include <linux/module.h>

#include "result/classify.c"

static void tells_kinds(struct kunit *test)
{
	const unsigned int all = 1 + MEMDIAG_CLASSIFY_RERUNS;

	KUNIT_EXPECT_EQ(test, (int)memdiag_classify(all, MEMDIAG_CLASSIFY_REREADS, false),
			(int)MEMDIAG_CLASS_HARD);
	/* A disturbed cell is right again when read alone, and fails each run. */
	KUNIT_EXPECT_EQ(test, (int)memdiag_classify(all, 0, false), (int)MEMDIAG_CLASS_HARD);
	KUNIT_EXPECT_EQ(test, (int)memdiag_classify(1, MEMDIAG_CLASSIFY_REREADS, true),
			(int)MEMDIAG_CLASS_INTERMITTENT);
	KUNIT_EXPECT_EQ(test, (int)memdiag_classify(1, MEMDIAG_CLASSIFY_REREADS, false),
			(int)MEMDIAG_CLASS_TRANSIENT);
	KUNIT_EXPECT_EQ(test, (int)memdiag_classify(all - 1, 1, false),
			(int)MEMDIAG_CLASS_INTERMITTENT);
	KUNIT_EXPECT_EQ(test, (int)memdiag_classify(1, 0, false), (int)MEMDIAG_CLASS_READ_PATH);
}

static void names_are_words(struct kunit *test)
{
	int class;

	for (class = MEMDIAG_CLASS_UNKNOWN; class < MEMDIAG_NR_CLASSES; class++)
		KUNIT_EXPECT_TRUE(test, !strchr(memdiag_classify_name(class), ' '));
	KUNIT_EXPECT_STREQ(test, memdiag_classify_name(MEMDIAG_CLASS_READ_PATH), "read-path");
}

static void tells_directions(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, memdiag_classify_direction(8, 0), "0->1");
	KUNIT_EXPECT_STREQ(test, memdiag_classify_direction(0, 8), "1->0");
	KUNIT_EXPECT_STREQ(test, memdiag_classify_direction(8, 8), "both");
	KUNIT_EXPECT_STREQ(test, memdiag_classify_direction(0, 0), "-");
}

static struct kunit_case classify_cases[] = {
	KUNIT_CASE(tells_kinds),
	KUNIT_CASE(names_are_words),
	KUNIT_CASE(tells_directions),
	{}
};

static struct kunit_suite classify_suite = {
	.name = "memdiag_classify",
	.test_cases = classify_cases,
};

kunit_test_suite(classify_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of memdiag's classification of faults");
