// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of hot and idle pages. */

#include <kunit/test.h>
#include <linux/module.h>

#include "audit/hotness.c"

static u16 hotness_after(u16 hotness, unsigned int nr, bool accessed, bool written)
{
	while (nr--)
		hotness = vipzone_hotness_look(hotness, accessed, written);
	return hotness;
}

static void first_look_says_nothing(struct kunit *test)
{
	u16 hotness = vipzone_hotness_look(0, true, true);

	KUNIT_EXPECT_FALSE(test, vipzone_hotness_counts(0));
	KUNIT_EXPECT_TRUE(test, vipzone_hotness_counts(hotness));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_hot(hotness, 1));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_idle(vipzone_hotness_look(0, false, false), 1));
}

static void hot_takes_a_row_of_writes(struct kunit *test)
{
	u16 hotness = hotness_after(0, 3, true, true);

	KUNIT_EXPECT_TRUE(test, vipzone_hotness_is_hot(hotness, 2));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_hot(hotness, 3));
	hotness = vipzone_hotness_look(hotness, true, false);	/* only read */
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_hot(hotness, 1));
	KUNIT_EXPECT_TRUE(test,
			  vipzone_hotness_is_hot(vipzone_hotness_look(hotness, true, true), 1));
}

static void idle_takes_a_row_of_nothing(struct kunit *test)
{
	u16 hotness = hotness_after(0, 5, false, false);

	KUNIT_EXPECT_TRUE(test, vipzone_hotness_is_idle(hotness, 4));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_idle(hotness, 5));
	KUNIT_EXPECT_FALSE(test,
			   vipzone_hotness_is_idle(vipzone_hotness_look(hotness, true, false), 1));
	KUNIT_EXPECT_FALSE(test,
			   vipzone_hotness_is_idle(vipzone_hotness_look(hotness, false, true), 1));
}

static void rows_do_not_overflow(struct kunit *test)
{
	u16 hot = hotness_after(0, 70000, true, true);
	u16 idle = hotness_after(hot, 70000, false, false);

	KUNIT_EXPECT_TRUE(test, vipzone_hotness_is_hot(hot, VIPZONE_HOTNESS_MAX_LOOKS));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_idle(hot, 1));
	KUNIT_EXPECT_TRUE(test, vipzone_hotness_is_idle(idle, VIPZONE_HOTNESS_MAX_LOOKS));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_hot(idle, 1));
}

static void cheapest_writes_are_for_hot_pages(struct kunit *test)
{
	struct memsuite_region_spec dram = { .write_energy_fj_per_bit = 100000 };
	struct memsuite_region_spec pram = { .write_energy_fj_per_bit = 500000 };
	const struct memsuite_region_spec *specs[] = { &pram, &dram };
	unsigned int hot = 9, idle = 9;

	KUNIT_EXPECT_TRUE(test, vipzone_hotness_choose(specs, 2, &hot, &idle));
	KUNIT_EXPECT_EQ(test, hot, 1U);
	KUNIT_EXPECT_EQ(test, idle, 0U);
	/* Energy is known of one only: latency decides, the other way round. */
	dram.write_energy_fj_per_bit = 0;
	dram.write_latency_ns = 50;
	pram.write_latency_ns = 10;
	KUNIT_EXPECT_TRUE(test, vipzone_hotness_choose(specs, 2, &hot, &idle));
	KUNIT_EXPECT_EQ(test, hot, 0U);
	dram.write_power_mw = 1;
	pram.write_power_mw = 2;
	KUNIT_EXPECT_TRUE(test, vipzone_hotness_choose(specs, 2, &hot, &idle));
	KUNIT_EXPECT_EQ(test, hot, 1U);
}

static void nothing_tells_them_apart(struct kunit *test)
{
	struct memsuite_region_spec a = { .write_latency_ns = 50 }, b = a;
	const struct memsuite_region_spec *specs[] = { &a, &b };
	unsigned int hot = 9, idle = 9;

	KUNIT_EXPECT_FALSE(test, vipzone_hotness_choose(specs, 2, &hot, &idle));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_choose(specs, 1, &hot, &idle));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_choose(specs, 0, &hot, &idle));
	KUNIT_EXPECT_EQ(test, hot, 9U);
}

static struct kunit_case heat_cases[] = {
	KUNIT_CASE(first_look_says_nothing),
	KUNIT_CASE(hot_takes_a_row_of_writes),
	KUNIT_CASE(idle_takes_a_row_of_nothing),
	KUNIT_CASE(rows_do_not_overflow),
	KUNIT_CASE(cheapest_writes_are_for_hot_pages),
	KUNIT_CASE(nothing_tells_them_apart),
	{}
};

static struct kunit_suite heat_suite = {
	.name = "vipzone_heat",
	.test_cases = heat_cases,
};

kunit_test_suite(heat_suite);
