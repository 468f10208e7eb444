// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the stamps of a block. */

#include <kunit/test.h>
#include <linux/module.h>

#include "frame/test_age_block.c"

#define PAGES	((unsigned int)MEMSUITE_TEST_AGE_BLOCK_PAGES)

/* A reserve of the test's own, and what happens while it is asked. */
static struct memsuite_test_age_page store[2];
static unsigned int nr_taken;
static unsigned int nr_left;
static unsigned long *block_in_race;
static unsigned long word_in_race;

struct memsuite_test_age_page *memsuite_test_age_page_take(void)
{
	if (block_in_race)
		*block_in_race = word_in_race;
	block_in_race = NULL;
	return nr_taken < nr_left ? &store[nr_taken++] : NULL;
}

void memsuite_test_age_page_put(struct memsuite_test_age_page *pages)
{
	nr_taken--;
}

void memsuite_test_age_page_put_rcu(struct memsuite_test_age_page *pages)
{
	nr_taken--;
}

static int begin(struct kunit *test)
{
	nr_taken = 0;
	nr_left = ARRAY_SIZE(store);
	block_in_race = NULL;
	return 0;
}

static void is_one_word_if_uniform(struct kunit *test)
{
	unsigned long block = MEMSUITE_TEST_AGE_BLOCK_ZERO;

	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 0, PAGES), 0U);
	memsuite_test_age_block_set(&block, 0x7fffffff);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 0, PAGES),
			0x7fffffffU);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, PAGES - 1, 1),
			0x7fffffffU);
	/* The same once more is no difference. */
	memsuite_test_age_block_set_part(&block, 3, 1, 0x7fffffff);
	KUNIT_EXPECT_EQ(test, nr_taken, 0U);
}

static void tells_its_pages_apart(struct kunit *test)
{
	unsigned long block = MEMSUITE_TEST_AGE_BLOCK_ZERO;

	memsuite_test_age_block_set(&block, 70);
	memsuite_test_age_block_set_part(&block, 8, 4, 60);
	memsuite_test_age_block_set_part(&block, PAGES - 1, 1, 0);
	KUNIT_EXPECT_EQ(test, nr_taken, 1U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 0, 8), 70U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 7, 2), 60U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 11, 1), 60U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 12, PAGES - 13),
			70U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 0, PAGES), 0U);
}

static void tells_the_next_to_expire(struct kunit *test)
{
	unsigned long block = MEMSUITE_TEST_AGE_BLOCK_ZERO;

	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least_above(&block, 0), U32_MAX);
	memsuite_test_age_block_set(&block, 70);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least_above(&block, 69), 70U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least_above(&block, 70), U32_MAX);
	memsuite_test_age_block_set_part(&block, 8, 4, 60);
	memsuite_test_age_block_set_part(&block, PAGES - 1, 1, 0);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least_above(&block, 0), 60U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least_above(&block, 60), 70U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least_above(&block, 70), U32_MAX);
}

static void is_one_word_again(struct kunit *test)
{
	unsigned long block = MEMSUITE_TEST_AGE_BLOCK_ZERO;

	memsuite_test_age_block_set_part(&block, 0, 1, 5);
	KUNIT_EXPECT_EQ(test, nr_taken, 1U);
	memsuite_test_age_block_set(&block, 6);
	KUNIT_EXPECT_EQ(test, nr_taken, 0U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 0, PAGES), 6U);
}

/* A page that a user freed must not pass for tested. */
static void without_memory_none_is_tested(struct kunit *test)
{
	unsigned long block = MEMSUITE_TEST_AGE_BLOCK_ZERO;

	nr_left = 0;
	memsuite_test_age_block_set(&block, 9);
	memsuite_test_age_block_set_part(&block, 100, 1, 0);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 100, 1), 0U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 0, 1), 0U);
	memsuite_test_age_block_set_part(&block, 100, 1, 10);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 100, 1), 0U);
}

/* Another page of the block is freed on another CPU, at the worst moment. */
static void loses_nothing_in_a_race(struct kunit *test)
{
	unsigned long block = MEMSUITE_TEST_AGE_BLOCK_ZERO, other;

	/* That one found memory, */
	memsuite_test_age_block_set(&block, 9);
	other = block;
	memsuite_test_age_block_set_part(&other, 7, 1, 0);
	block_in_race = &block;
	word_in_race = other;
	memsuite_test_age_block_set_part(&block, 3, 1, 0);
	KUNIT_EXPECT_EQ(test, nr_taken, 1U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 7, 1), 0U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 3, 1), 0U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 4, 1), 9U);

	/* or it did not. */
	memsuite_test_age_block_set(&block, 9);
	block_in_race = &block;
	word_in_race = MEMSUITE_TEST_AGE_BLOCK_ZERO;
	memsuite_test_age_block_set_part(&block, 3, 1, 0);
	KUNIT_EXPECT_EQ(test, nr_taken, 0U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 0, PAGES), 0U);
	KUNIT_EXPECT_EQ(test, memsuite_test_age_block_least(&block, 4, 1), 0U);
}

static struct kunit_case stamp_block_cases[] = {
	KUNIT_CASE(is_one_word_if_uniform),
	KUNIT_CASE(tells_its_pages_apart),
	KUNIT_CASE(tells_the_next_to_expire),
	KUNIT_CASE(is_one_word_again),
	KUNIT_CASE(without_memory_none_is_tested),
	KUNIT_CASE(loses_nothing_in_a_race),
	{}
};

static struct kunit_suite stamp_block_suite = {
	.name = "memsuite_stamp_block",
	.init = begin,
	.test_cases = stamp_block_cases,
};

kunit_test_suite(stamp_block_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of memsuite");
