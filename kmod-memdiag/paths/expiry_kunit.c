// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of when blocks are due. */

#include <kunit/test.h>
#include <linux/module.h>

#include "paths/expiry.c"

#define BLOCK	MEMDIAG_EXPIRY_BLOCK_PAGES
#define SECTION	((unsigned long)PAGES_PER_SECTION)

/* Somewhere in memory, not at its beginning. */
#define FIRST	(5 * SECTION)

static void blocks_set(unsigned long pfn, unsigned long end, u32 due_s)
{
	for (; pfn < end; pfn += BLOCK)
		memdiag_expiry_set(pfn, due_s);
}

static int expiry_test_init(struct kunit *test)
{
	memdiag_expiry_restart();
	return 0;
}

static void expiry_test_exit(struct kunit *test)
{
	memdiag_expiry_free();
}

static void all_is_due_at_first(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, FIRST + SECTION, 0), FIRST);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST + 3, FIRST + 9, 0), FIRST + 3);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, FIRST, 0), FIRST);
}

static void finds_what_is_due(struct kunit *test)
{
	unsigned long end = FIRST + 3 * SECTION, one = FIRST + SECTION + 7 * BLOCK;
	u32 now;

	blocks_set(FIRST, end, 100);
	memdiag_expiry_set(one + 5, 60);
	for (now = 0; now < 60; now += 20)
		KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, end, now), end);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, end, 60), one);
	/* From its midst on, too, but not behind it. */
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(one + 9, end, 60), one + 9);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(one + BLOCK, end, 60), end);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, one, 60), one);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, end, 100), FIRST);
}

/* What a section knows of all its blocks is not taken from a part of them. */
static void a_part_is_not_the_whole(struct kunit *test)
{
	unsigned long half = FIRST + SECTION / 2, end = FIRST + SECTION;

	blocks_set(half, end, 100);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(half, end, 1), end);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, end, 1), FIRST);
	blocks_set(FIRST, half, 50);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, half, 1), half);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, end, 1), end);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, end, 50), FIRST);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(half, end, 50), end);
}

static void is_due_again_when_set_earlier(struct kunit *test)
{
	unsigned long end = FIRST + SECTION, one = end - BLOCK;

	blocks_set(FIRST, end, 100);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, end, 1), end);
	memdiag_expiry_set(one, 10);
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, end, 10), one);
	memdiag_expiry_restart();
	KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, end, 1), FIRST);
}

static void waits_longer_for_what_was_in_vain(struct kunit *test)
{
	static const u32 pauses[] = { 2, 4, 8, 10, 10 };
	unsigned long end = FIRST + SECTION;
	u32 now = 0;
	int i, k;

	blocks_set(FIRST, end, 1000);
	for (k = 0; k < 2; k++) {
		for (i = 0; i < ARRAY_SIZE(pauses); i++) {
			memdiag_expiry_retry(FIRST, now, 2, 10);
			KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, end, now + pauses[i] - 1),
					end);
			now += pauses[i];
			KUNIT_EXPECT_EQ(test, memdiag_expiry_next(FIRST, end, now), FIRST);
		}
		/* That went well: it begins anew. */
		memdiag_expiry_set(FIRST, now + 1);
	}
	for (i = 0; i < 100; i++)
		memdiag_expiry_retry(FIRST, now, 1, U32_MAX - now);
}

static struct kunit_case expiry_cases[] = {
	KUNIT_CASE(all_is_due_at_first),
	KUNIT_CASE(finds_what_is_due),
	KUNIT_CASE(a_part_is_not_the_whole),
	KUNIT_CASE(is_due_again_when_set_earlier),
	KUNIT_CASE(waits_longer_for_what_was_in_vain),
	{}
};

static struct kunit_suite expiry_suite = {
	.name = "memdiag_expiry",
	.init = expiry_test_init,
	.exit = expiry_test_exit,
	.test_cases = expiry_cases,
};

kunit_test_suite(expiry_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of memsuite");
