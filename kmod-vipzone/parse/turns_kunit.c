// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the turns of regions that share pages by weight. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "parse/turns.c"

/* Regions 9, 8, 7, ... with these weights. */
static struct vipzone_order order_of(const u8 *weights, unsigned int nr)
{
	struct vipzone_order order = { .nr = nr };
	unsigned int i;

	for (i = 0; i < nr; i++) {
		order.region[i] = 9 - i;
		order.weight[i] = weights[i];
	}
	return order;
}

static struct vipzone_turns *turns_of(struct kunit *test, const struct vipzone_order *order)
{
	struct vipzone_turns *turns = kmalloc(vipzone_turns_size(order), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, turns);
	vipzone_turns_init(turns, order);
	return turns;
}

static void gives_each_its_share(struct kunit *test)
{
	static const u8 weights[][3] = {
		{ 3, 1, 1 }, { 1, 1, 1 }, { 255, 1, 254 }, { 200, 100, 50 }, { 7, 11, 13 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(weights); i++) {
		struct vipzone_order order = order_of(weights[i], 3);
		struct vipzone_turns *turns = turns_of(test, &order);
		unsigned int sum = weights[i][0] + weights[i][1] + weights[i][2];
		unsigned int had[3] = {};

		for (j = 0; j < turns->nr; j++)
			had[turns->turn[j]]++;
		for (j = 0; j < 3; j++)
			KUNIT_EXPECT_EQ(test, had[j] * sum, weights[i][j] * turns->nr);
		kfree(turns);
	}
}

static void makes_rounds_short(struct kunit *test)
{
	static const u8 weights[] = { 200, 100 }, alike[] = { 9, 9 };
	struct vipzone_order order = order_of(weights, 2);
	struct vipzone_turns *turns = turns_of(test, &order);

	KUNIT_EXPECT_EQ(test, turns->nr, 3U);
	kfree(turns);
	order = order_of(alike, 2);
	turns = turns_of(test, &order);
	KUNIT_EXPECT_EQ(test, turns->nr, 2U);
	kfree(turns);
}

/* Whoever has had the most at any time is ahead of its share by less than a turn. */
static void spreads_turns(struct kunit *test)
{
	static const u8 weights[] = { 5, 3, 1, 91 };
	struct vipzone_order order = order_of(weights, 4);
	struct vipzone_turns *turns = turns_of(test, &order);
	unsigned int had[4] = {}, i, j;

	for (i = 0; i < turns->nr; i++) {
		had[turns->turn[i]]++;
		for (j = 0; j < 4; j++)
			KUNIT_EXPECT_LT(test, had[j] * 100, weights[j] * (i + 1) + 100);
	}
	kfree(turns);
}

static void begins_with_whose_turn_it_is(struct kunit *test)
{
	static const u8 weights[] = { 2, 1, 1 };
	struct vipzone_order order = order_of(weights, 3);
	struct vipzone_turns *turns = turns_of(test, &order);
	const struct vipzone_turn_lists *lists;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		lists = &turns->of[i];
		KUNIT_EXPECT_EQ(test, lists->only.nr, 1);
		KUNIT_EXPECT_EQ(test, lists->only.region[0], 9 - i);
		KUNIT_EXPECT_EQ(test, lists->all.nr, 3);
		KUNIT_EXPECT_EQ(test, lists->all.region[0], 9 - i);
		KUNIT_EXPECT_EQ(test, lists->all.region[1], i ? 9 : 8);
		KUNIT_EXPECT_EQ(test, lists->all.region[2], i < 2 ? 7 : 8);
		KUNIT_EXPECT_FALSE(test, vipzone_order_is_weighted(&lists->all));
	}
	/* Round after round, the same. */
	KUNIT_EXPECT_PTR_EQ(test, vipzone_turns_at(turns, 0), vipzone_turns_at(turns, 1UL << 30));
	KUNIT_EXPECT_PTR_EQ(test, vipzone_turns_at(turns, 3), vipzone_turns_at(turns, 7));
	kfree(turns);
}

static void takes_as_many_as_there_may_be(struct kunit *test)
{
	struct vipzone_order order = { .nr = VIPZONE_MAX_REGIONS };
	unsigned int had[VIPZONE_MAX_REGIONS] = {}, i;
	struct vipzone_turns *turns;

	for (i = 0; i < VIPZONE_MAX_REGIONS; i++) {
		order.region[i] = i;
		order.weight[i] = i ? 255 : 254;
	}
	turns = turns_of(test, &order);
	KUNIT_EXPECT_EQ(test, turns->nr, VIPZONE_MAX_REGIONS * 255U - 1);
	for (i = 0; i < turns->nr; i++)
		had[vipzone_turns_at(turns, i)->only.region[0]]++;
	for (i = 0; i < VIPZONE_MAX_REGIONS; i++)
		KUNIT_EXPECT_EQ(test, had[i], (unsigned int)order.weight[i]);
	kfree(turns);
}

static struct kunit_case turns_cases[] = {
	KUNIT_CASE(gives_each_its_share),
	KUNIT_CASE(makes_rounds_short),
	KUNIT_CASE(spreads_turns),
	KUNIT_CASE(begins_with_whose_turn_it_is),
	KUNIT_CASE(takes_as_many_as_there_may_be),
	{}
};

static struct kunit_suite turns_suite = {
	.name = "vipzone_turns",
	.test_cases = turns_cases,
};

kunit_test_suite(turns_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of turns by weight");
