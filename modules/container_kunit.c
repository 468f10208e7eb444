// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the order of frames in a container. */

#include <kunit/test.h>
#include <linux/module.h>

#include "container.c"

#define NR	768

static u64 pfns[NR], others[NR];

static void fill(u64 *to, u64 first, u64 row_frames, u64 seed)
{
	unsigned int i;

	for (i = 0; i < NR; i++)
		to[i] = first + i;
	ms_container_shuffle(to, NR, row_frames, seed);
}

static void keeps_all_frames(struct kunit *test)
{
	unsigned int i;

	fill(pfns, PFN_MASK - NR, 1, 7);
	sort(pfns, NR, sizeof(*pfns), compare, NULL);
	for (i = 0; i < NR; i++)
		KUNIT_EXPECT_EQ(test, pfns[i], PFN_MASK - NR + i);
}

static void keeps_rows_together(struct kunit *test)
{
	unsigned int i;

	fill(pfns, 3072, 3, 7);
	for (i = 0; i < NR; i += 3) {
		KUNIT_EXPECT_EQ(test, pfns[i] % 3, 0ULL);
		KUNIT_EXPECT_EQ(test, pfns[i + 1], pfns[i] + 1);
		KUNIT_EXPECT_EQ(test, pfns[i + 2], pfns[i] + 2);
	}
}

/* Of random orders, few frames follow their predecessor or stay in place. */
static void is_random(struct kunit *test)
{
	unsigned int successors = 0, same = 0, i;

	fill(pfns, 0, 1, 7);
	fill(others, 0, 1, 8);
	for (i = 1; i < NR; i++) {
		successors += pfns[i] == pfns[i - 1] + 1;
		same += pfns[i] == others[i];
	}
	KUNIT_EXPECT_LT(test, successors, 12U);
	KUNIT_EXPECT_LT(test, same, 12U);
}

static struct kunit_case container_cases[] = {
	KUNIT_CASE(keeps_all_frames),
	KUNIT_CASE(keeps_rows_together),
	KUNIT_CASE(is_random),
	{}
};

static struct kunit_suite container_suite = {
	.name = "memsuite_container",
	.test_cases = container_cases,
};

kunit_test_suite(container_suite);
