// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of which pages the best region is for. */

#include <kunit/test.h>
#include <linux/module.h>

#include "audit/hotness.c"
#include "audit/ranking.c"

static void the_cheapest_is_for_hot_pages(struct kunit *test)
{
	struct memsuite_region_spec dram = { .write_energy_fj_per_bit = 100000 };
	struct memsuite_region_spec pram = { .write_energy_fj_per_bit = 500000 };
	const struct memsuite_region_spec *specs[] = { &pram, &dram };
	struct vipzone_ends ends = { 9, 9 };

	KUNIT_EXPECT_TRUE(test, vipzone_ends_choose(specs, 2, &ends));
	KUNIT_EXPECT_EQ(test, ends.hot, 1U);
	KUNIT_EXPECT_EQ(test, ends.idle, 0U);
	KUNIT_EXPECT_EQ(test, ends.write_gain, VIPZONE_GAIN_ONE);
	KUNIT_EXPECT_EQ(test, ends.read_gain, 0);
	/* Energy is known of one only: latency decides, the other way round. */
	dram.write_energy_fj_per_bit = 0;
	dram.write_latency_ns = 50;
	pram.write_latency_ns = 10;
	KUNIT_EXPECT_TRUE(test, vipzone_ends_choose(specs, 2, &ends));
	KUNIT_EXPECT_EQ(test, ends.hot, 0U);
	dram.write_power_mw = 1;
	pram.write_power_mw = 2;
	KUNIT_EXPECT_TRUE(test, vipzone_ends_choose(specs, 2, &ends));
	KUNIT_EXPECT_EQ(test, ends.hot, 1U);
}

static void reads_count_as_writes_do(struct kunit *test)
{
	struct memsuite_region_spec fast = { .read_latency_ns = 100, .write_latency_ns = 100 };
	struct memsuite_region_spec slow = { .read_latency_ns = 300, .write_latency_ns = 900 };
	const struct memsuite_region_spec *specs[] = { &fast, &slow };
	struct vipzone_ends ends;

	KUNIT_EXPECT_TRUE(test, vipzone_ends_choose(specs, 2, &ends));
	KUNIT_EXPECT_EQ(test, ends.hot, 0U);
	KUNIT_EXPECT_EQ(test, ends.read_gain, VIPZONE_GAIN_ONE / 4);
	/* Only reads are known, and are the same of writes. */
	fast.write_latency_ns = 0;
	KUNIT_EXPECT_TRUE(test, vipzone_ends_choose(specs, 2, &ends));
	KUNIT_EXPECT_EQ(test, ends.read_gain, VIPZONE_GAIN_ONE);
	KUNIT_EXPECT_EQ(test, ends.write_gain, 0);
	/* Table 2 of hybrid PRAM: reads cost less there, writes more than that. */
	fast = (struct memsuite_region_spec){ .read_energy_fj_per_bit = 100000,
					      .write_energy_fj_per_bit = 100000 };
	slow = (struct memsuite_region_spec){ .read_energy_fj_per_bit = 50000,
					      .write_energy_fj_per_bit = 500000 };
	KUNIT_EXPECT_TRUE(test, vipzone_ends_choose(specs, 2, &ends));
	KUNIT_EXPECT_EQ(test, ends.hot, 0U);
	KUNIT_EXPECT_EQ(test, ends.read_gain, -VIPZONE_GAIN_ONE / 8);
	/* The most that can be written to a region's files. */
	fast = (struct memsuite_region_spec){ .read_power_mw = 1, .write_power_mw = 1 };
	slow = (struct memsuite_region_spec){ .read_power_mw = U32_MAX, .write_power_mw = U32_MAX };
	KUNIT_EXPECT_TRUE(test, vipzone_ends_choose(specs, 2, &ends));
	KUNIT_EXPECT_EQ(test, ends.read_gain, VIPZONE_GAIN_ONE);
	slow.write_power_mw = 2;
	fast.write_power_mw = U32_MAX;
	KUNIT_EXPECT_TRUE(test, vipzone_ends_choose(specs, 2, &ends));
	KUNIT_EXPECT_EQ(test, ends.hot, 0U);
	/* Less than 64 by a hair. */
	KUNIT_EXPECT_EQ(test, ends.write_gain, 1 - VIPZONE_GAIN_ONE);
}

static void nothing_tells_them_apart(struct kunit *test)
{
	struct memsuite_region_spec a = { .write_latency_ns = 50 }, b = a;
	const struct memsuite_region_spec *specs[] = { &a, &b };
	struct vipzone_ends ends = { 9, 9 };

	KUNIT_EXPECT_FALSE(test, vipzone_ends_choose(specs, 2, &ends));
	KUNIT_EXPECT_FALSE(test, vipzone_ends_choose(specs, 1, &ends));
	KUNIT_EXPECT_FALSE(test, vipzone_ends_choose(specs, 0, &ends));
	KUNIT_EXPECT_EQ(test, ends.hot, 9U);
}

static struct vipzone_hotness used(unsigned int reads, unsigned int writes)
{
	return (struct vipzone_hotness){ .known = 1, .reads = reads, .writes = writes };
}

static void ranks_follow_gains(struct kunit *test)
{
	struct vipzone_ends ends = { .read_gain = 16, .write_gain = VIPZONE_GAIN_ONE };
	unsigned int reads, last = 0, rank;

	KUNIT_EXPECT_EQ(test, vipzone_ends_rank(&ends, used(0, 0)), 0U);
	KUNIT_EXPECT_EQ(test, vipzone_ends_rank(&ends, used(0, VIPZONE_HOTNESS_MOST)),
			VIPZONE_RANKS - 1U);
	KUNIT_EXPECT_EQ(test, vipzone_ends_rank(&ends, used(64, 0)),
			vipzone_ends_rank(&ends, used(0, 16)));
	for (reads = 0; reads <= VIPZONE_HOTNESS_MOST; reads++) {
		rank = vipzone_ends_rank(&ends, used(reads, 0));
		KUNIT_EXPECT_GE(test, rank, last);
		KUNIT_EXPECT_LT(test, rank, (unsigned int)VIPZONE_RANKS);
		last = rank;
	}
	/* A set that is only read takes the place of one that is used no more. */
	KUNIT_EXPECT_GE(test, vipzone_ends_rank(&ends, used(98, 0)),
			vipzone_ends_rank(&ends, used(30, 0)) + VIPZONE_RANK_MARGIN);
	/* What is used at each second look does not swing by as much. */
	KUNIT_EXPECT_LT(test, vipzone_ends_rank(&ends, used(0, 73)),
			vipzone_ends_rank(&ends, used(0, 55)) + VIPZONE_RANK_MARGIN);
	ends.read_gain = -8;
	KUNIT_EXPECT_EQ(test, vipzone_ends_rank(&ends, used(VIPZONE_HOTNESS_MOST, 0)), 0U);
	KUNIT_EXPECT_FALSE(test, vipzone_ends_gains(&ends, used(VIPZONE_HOTNESS_MOST, 0), 1));
	KUNIT_EXPECT_TRUE(test, vipzone_ends_gains(&ends, used(0, VIPZONE_HOTNESS_MOST), 5));
	KUNIT_EXPECT_FALSE(test, vipzone_ends_gains(&ends, used(0, 60), 3));
}

static void all_are_admitted_while_there_is_room(struct kunit *test)
{
	struct vipzone_ranking ranking = { .room = 100 };

	KUNIT_EXPECT_TRUE(test, vipzone_ranking_admits(&ranking, 5, 100));
	vipzone_ranking_count(&ranking, 5, false, 100);
	vipzone_ranking_conclude(&ranking);
	KUNIT_EXPECT_EQ(test, ranking.least, 0U);
	KUNIT_EXPECT_EQ(test, ranking.leaving, 0UL);
	KUNIT_EXPECT_FALSE(test, vipzone_ranking_releases(&ranking, 0, 1));
}

static void the_first_take_the_place_of_the_last(struct kunit *test)
{
	struct vipzone_ranking ranking = {};

	/* 1000 pages that are used now and then fill it, 300 of them less; 200 hot ones wait. */
	vipzone_ranking_count(&ranking, 4, true, 300);
	vipzone_ranking_count(&ranking, 8, true, 700);
	vipzone_ranking_count(&ranking, 24, false, 200);
	KUNIT_EXPECT_FALSE(test, vipzone_ranking_admits(&ranking, 24, 200));
	vipzone_ranking_conclude(&ranking);
	KUNIT_EXPECT_EQ(test, ranking.leaving, 200UL);
	KUNIT_EXPECT_TRUE(test, vipzone_ranking_releases(&ranking, 4, 1));
	KUNIT_EXPECT_FALSE(test, vipzone_ranking_releases(&ranking, 4, 201));
	KUNIT_EXPECT_FALSE(test, vipzone_ranking_releases(&ranking, 8, 1));
	/* What is used less than what is there does not come, whatever room there is. */
	ranking.room = 10;
	KUNIT_EXPECT_TRUE(test, vipzone_ranking_admits(&ranking, 4, 10));
	KUNIT_EXPECT_FALSE(test, vipzone_ranking_admits(&ranking, 3, 10));
}

static void of_a_set_that_is_too_large_some_come(struct kunit *test)
{
	struct vipzone_ranking ranking = {};

	vipzone_ranking_count(&ranking, 0, true, 600);
	vipzone_ranking_count(&ranking, 26, true, 400);
	vipzone_ranking_count(&ranking, 26, false, 2000);
	KUNIT_EXPECT_FALSE(test, vipzone_ranking_admits(&ranking, 26, 2000));
	vipzone_ranking_conclude(&ranking);
	KUNIT_EXPECT_TRUE(test, ranking.waits);
	KUNIT_EXPECT_EQ(test, ranking.least, 26U);
	KUNIT_EXPECT_EQ(test, ranking.leaving, 600UL);
	KUNIT_EXPECT_TRUE(test, vipzone_ranking_releases(&ranking, 0, 600));
	KUNIT_EXPECT_FALSE(test, vipzone_ranking_releases(&ranking, 26, 1));
	vipzone_ranking_conclude(&ranking);
	KUNIT_EXPECT_FALSE(test, ranking.waits);
}

static void equals_do_not_swing(struct kunit *test)
{
	struct vipzone_ranking ranking = {};
	unsigned int above;

	for (above = 0; above < VIPZONE_RANK_MARGIN; above++) {
		vipzone_ranking_count(&ranking, 20, true, 1000);
		vipzone_ranking_count(&ranking, 20 + above, false, 1000);
		KUNIT_EXPECT_FALSE(test, vipzone_ranking_admits(&ranking, 20 + above, 1000));
		vipzone_ranking_conclude(&ranking);
		KUNIT_EXPECT_EQ(test, ranking.leaving, 0UL);
	}
	vipzone_ranking_count(&ranking, 20, true, 1000);
	vipzone_ranking_count(&ranking, 20 + above, false, 1000);
	KUNIT_EXPECT_FALSE(test, vipzone_ranking_admits(&ranking, 20 + above, 1000));
	vipzone_ranking_conclude(&ranking);
	KUNIT_EXPECT_EQ(test, ranking.leaving, 1000UL);
}

static void a_region_that_is_full_has_no_room(struct kunit *test)
{
	struct vipzone_ranking ranking = { .room = 1000, .full = true };

	vipzone_ranking_count(&ranking, 0, true, 100);
	vipzone_ranking_count(&ranking, 20, false, 100);
	KUNIT_EXPECT_FALSE(test, vipzone_ranking_admits(&ranking, 20, 100));
	vipzone_ranking_conclude(&ranking);
	KUNIT_EXPECT_EQ(test, ranking.leaving, 100UL);
	KUNIT_EXPECT_TRUE(test, vipzone_ranking_releases(&ranking, 0, 100));
	/* It is looked at anew. */
	KUNIT_EXPECT_TRUE(test, vipzone_ranking_admits(&ranking, 20, 100));
}

static void what_cannot_be_had_is_no_room(struct kunit *test)
{
	struct vipzone_ranking ranking = {};
	unsigned int look;

	vipzone_ranking_see(&ranking, 1000, 100);
	KUNIT_EXPECT_EQ(test, ranking.room, 900UL);
	vipzone_ranking_fill(&ranking, 0);
	KUNIT_EXPECT_FALSE(test, ranking.full);
	ranking.room -= 700;
	vipzone_ranking_fill(&ranking, 600);	/* of 700 */
	KUNIT_EXPECT_TRUE(test, ranking.full);
	KUNIT_EXPECT_EQ(test, ranking.room, 0UL);
	vipzone_ranking_conclude(&ranking);
	/* 100 were had. */
	vipzone_ranking_see(&ranking, 900, 100);
	KUNIT_EXPECT_EQ(test, ranking.room, 0UL);
	/* Some are tried at the next look; what is free besides is room at once. */
	vipzone_ranking_see(&ranking, 900, 100);
	KUNIT_EXPECT_EQ(test, ranking.room, 100UL);
	ranking.room = 0;
	vipzone_ranking_fill(&ranking, 100);
	vipzone_ranking_see(&ranking, 1400, 100);
	KUNIT_EXPECT_GE(test, ranking.room, 500UL);
	for (look = 0; look < 64; look++)
		vipzone_ranking_see(&ranking, 900, 100);
	KUNIT_EXPECT_EQ(test, ranking.room, 800UL);
	/* No more than looked free. */
	vipzone_ranking_fill(&ranking, 1000000);
	vipzone_ranking_see(&ranking, 2000, 100);
	KUNIT_EXPECT_EQ(test, ranking.room, 1000UL);
}

static struct kunit_case ranking_cases[] = {
	KUNIT_CASE(the_cheapest_is_for_hot_pages),
	KUNIT_CASE(reads_count_as_writes_do),
	KUNIT_CASE(nothing_tells_them_apart),
	KUNIT_CASE(ranks_follow_gains),
	KUNIT_CASE(all_are_admitted_while_there_is_room),
	KUNIT_CASE(the_first_take_the_place_of_the_last),
	KUNIT_CASE(of_a_set_that_is_too_large_some_come),
	KUNIT_CASE(equals_do_not_swing),
	KUNIT_CASE(a_region_that_is_full_has_no_room),
	KUNIT_CASE(what_cannot_be_had_is_no_room),
	{}
};

static struct kunit_suite ranking_suite = {
	.name = "vipzone_ranking",
	.test_cases = ranking_cases,
};

kunit_test_suite(ranking_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of rankings");
