// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the order of frames in a container. */

#include <kunit/test.h>
#include <linux/module.h>

#include "pool/frame_order.c"

#ifndef __KERNEL__
/* In the kernel another suite of the same module has them. */
#include "frame/bank_map.c"
#include "kernel/parse.c"
#endif

#define NR	768

/* Rows of three frames in eight banks, as in a rank of paper 004's machine. */
static const struct memsuite_bank_map rank = {
	.nr_levels = 1, .levels = { { 3, 8 } }, .nr_banks = 8, .row_frames = 3,
};

static u64 pfns[NR], others[NR];

static void fill(u64 *to, u64 first, const struct memsuite_bank_map *map, u64 seed)
{
	unsigned int i;

	for (i = 0; i < NR; i++)
		to[i] = first + i;
	memsuite_frame_order_shuffle(to, NR, map, seed);
}

static void keeps_all_frames(struct kunit *test)
{
	unsigned int i;

	fill(pfns, PFN_MASK - NR, NULL, 7);
	sort(pfns, NR, sizeof(*pfns), frame_compare, NULL);
	for (i = 0; i < NR; i++)
		KUNIT_EXPECT_EQ(test, pfns[i], PFN_MASK - NR + i);
}

static void keeps_rows_together(struct kunit *test)
{
	unsigned int i;

	fill(pfns, 3072, &rank, 7);
	for (i = 0; i < NR; i += 3) {
		KUNIT_EXPECT_EQ(test, pfns[i] % 3, 0ULL);
		KUNIT_EXPECT_EQ(test, pfns[i + 1], pfns[i] + 1);
		KUNIT_EXPECT_EQ(test, pfns[i + 2], pfns[i] + 2);
	}
}

/* 32 turns, in each of which every bank has one row. */
static void lets_banks_take_turns(struct kunit *test)
{
	unsigned int banks = 0, i;

	fill(pfns, 3072, &rank, 7);
	for (i = 0; i < NR; i += 3) {
		banks |= 1U << memsuite_bank_of(&rank, pfns[i]);
		if (i % 24 != 21)
			continue;
		KUNIT_EXPECT_EQ(test, banks, 0xffU);
		banks = 0;
	}
}

/* Where some frames of some banks are not there, all others are. */
static void keeps_what_is_left_of_rows(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < NR; i++)
		pfns[i] = i + i / 5;
	memsuite_frame_order_shuffle(pfns, NR, &rank, 7);
	for (i = 1; i < NR; i++)
		if (pfns[i] % 3 && (pfns[i] - 1) % 6 != 5)
			KUNIT_EXPECT_EQ(test, pfns[i - 1], pfns[i] - 1);
	sort(pfns, NR, sizeof(*pfns), frame_compare, NULL);
	for (i = 0; i < NR; i++)
		KUNIT_EXPECT_EQ(test, pfns[i], (u64)i + i / 5);
}

/* Of random orders, few frames follow their predecessor or stay in place. */
static void is_random(struct kunit *test)
{
	unsigned int successors = 0, same = 0, i;

	fill(pfns, 0, NULL, 7);
	fill(others, 0, NULL, 8);
	for (i = 1; i < NR; i++) {
		successors += pfns[i] == pfns[i - 1] + 1;
		same += pfns[i] == others[i];
	}
	KUNIT_EXPECT_LT(test, successors, 12U);
	KUNIT_EXPECT_LT(test, same, 12U);
}

/* Also where banks take turns: few rows stay in place. */
static void turns_are_random(struct kunit *test)
{
	unsigned int same = 0, i;

	fill(pfns, 0, &rank, 7);
	fill(others, 0, &rank, 8);
	for (i = 0; i < NR; i += 3)
		same += pfns[i] == others[i];
	KUNIT_EXPECT_LT(test, same, 8U);
}

static struct kunit_case container_cases[] = {
	KUNIT_CASE(keeps_all_frames),
	KUNIT_CASE(keeps_rows_together),
	KUNIT_CASE(lets_banks_take_turns),
	KUNIT_CASE(keeps_what_is_left_of_rows),
	KUNIT_CASE(is_random),
	KUNIT_CASE(turns_are_random),
	{}
};

static struct kunit_suite container_suite = {
	.name = "memsuite_container",
	.test_cases = container_cases,
};

kunit_test_suite(container_suite);
