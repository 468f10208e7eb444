// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of energy, latency and wear. */

#include <kunit/test.h>
#include <linux/module.h>

#include "energy/energy_model.c"

/* Table 2 of the hybrid DRAM and PRAM paper. */
static const struct memsuite_region_spec pram = {
	.read_latency_ns = 50,
	.write_latency_ns = 1000,
	.idle_power_mw = 5,
	.read_energy_fj_per_bit = 50000,
	.write_energy_fj_per_bit = 500000,
};

static void prices_lines_by_the_bit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, vipzone_energy_line_fj(&pram, false), 25600000ULL);
	KUNIT_EXPECT_EQ(test, vipzone_energy_line_fj(&pram, true), 256000000ULL);
}

static void prices_lines_by_power(struct kunit *test)
{
	struct memsuite_region_spec dimm = {
		.idle_power_mw = 705, .read_power_mw = 1705,
		.write_power_mw = 600, .read_latency_ns = 50,
		.write_latency_ns = 50,
	};

	KUNIT_EXPECT_EQ(test, vipzone_energy_line_fj(&dimm, false), 50000000ULL);
	/* Less than idle power is a mistake, and not energy won. */
	KUNIT_EXPECT_EQ(test, vipzone_energy_line_fj(&dimm, true), 0ULL);
	dimm.read_latency_ns = 0;
	KUNIT_EXPECT_EQ(test, vipzone_energy_line_fj(&dimm, false), 0ULL);
}

static void prices_have_a_bound(struct kunit *test)
{
	struct memsuite_region_spec most = {
		.read_energy_fj_per_bit = U32_MAX, .write_power_mw = U32_MAX,
		.write_latency_ns = U32_MAX,
	};
	struct vipzone_energy energy = {};

	KUNIT_EXPECT_TRUE(test, vipzone_energy_line_fj(&most, false) <= 1ULL << 41);
	KUNIT_EXPECT_TRUE(test, vipzone_energy_line_fj(&most, true) <= 1ULL << 41);
	vipzone_energy_touch(&energy, &most, (u64[]) { VIPZONE_ACCESS_MAX, 0 }, false);
	KUNIT_EXPECT_TRUE(test, energy.energy_nj >= VIPZONE_ACCESS_MAX * 2199023);
	KUNIT_EXPECT_TRUE(test, energy.energy_nj < VIPZONE_ACCESS_MAX * 2199024);
	vipzone_energy_touch(&energy, &most, (u64[]) { 0, VIPZONE_ACCESS_MAX }, false);
	KUNIT_EXPECT_EQ(test, energy.latency_ns, VIPZONE_ACCESS_MAX * LINE_MAX_NS);
}

static void adds_up(struct kunit *test)
{
	struct memsuite_region_spec faint = { .read_energy_fj_per_bit = 1 };
	struct vipzone_energy energy = {};
	int i;

	vipzone_energy_touch(&energy, &pram, (u64[]) { 10, 3 }, false);
	KUNIT_EXPECT_EQ(test, energy.touched[VIPZONE_ACCESS_READ], 10ULL);
	KUNIT_EXPECT_EQ(test, energy.touched[VIPZONE_ACCESS_WRITE], 3ULL);
	KUNIT_EXPECT_EQ(test, energy.latency_ns, 3500ULL);
	KUNIT_EXPECT_EQ(test, energy.energy_nj, 1024ULL);
	/* What is less than a nJ is not lost: 1000000 of 512 fJ are 512 nJ. */
	energy = (struct vipzone_energy) {};
	for (i = 0; i < 1000000; i++)
		vipzone_energy_touch(&energy, &faint, (u64[]) { 1, 0 }, false);
	KUNIT_EXPECT_EQ(test, energy.energy_nj, 512ULL);
	KUNIT_EXPECT_EQ(test, energy.rest_fj, 0ULL);
}

static void touches_alone_cost_nothing(struct kunit *test)
{
	struct vipzone_energy energy = {};

	vipzone_energy_touch(&energy, &pram, (u64[]) { 10, 3 }, true);
	KUNIT_EXPECT_EQ(test, energy.touched[VIPZONE_ACCESS_READ], 10ULL);
	KUNIT_EXPECT_EQ(test, energy.touched[VIPZONE_ACCESS_WRITE], 3ULL);
	KUNIT_EXPECT_EQ(test, energy.energy_nj, 0ULL);
	KUNIT_EXPECT_EQ(test, energy.latency_ns, 0ULL);
}

static void counts_are_charged(struct kunit *test)
{
	struct vipzone_energy_place place = { .counted = { 10, 3 }, .error = { 1, 2 } };
	struct vipzone_energy energy = {};

	vipzone_energy_count(&energy, &pram, &place);
	KUNIT_EXPECT_EQ(test, energy.counted[VIPZONE_ACCESS_READ], 10ULL);
	KUNIT_EXPECT_EQ(test, energy.counted[VIPZONE_ACCESS_WRITE], 3ULL);
	KUNIT_EXPECT_EQ(test, energy.touched[VIPZONE_ACCESS_READ], 0ULL);
	KUNIT_EXPECT_EQ(test, energy.energy_nj, 1024ULL);
	KUNIT_EXPECT_EQ(test, energy.latency_ns, 3500ULL);
	/* 25.6 and 2 x 256 nJ; an error is rounded up. */
	KUNIT_EXPECT_EQ(test, energy.error_nj, 26ULL + 512);
}

static void touches_divide_counts(struct kunit *test)
{
	struct vipzone_energy_place places[3] = {
		{ .touched = { 1, 0 } }, { .touched = { 0, 2 } }, {},
	};

	/* A written page may have been read; where nothing was touched, nothing. */
	KUNIT_EXPECT_TRUE(test, vipzone_energy_divide(VIPZONE_EVENT_READS, 100, places, 3));
	KUNIT_EXPECT_EQ(test, places[0].counted[VIPZONE_ACCESS_READ], 33ULL);
	KUNIT_EXPECT_EQ(test, places[1].counted[VIPZONE_ACCESS_READ], 67ULL);
	KUNIT_EXPECT_EQ(test, places[2].counted[VIPZONE_ACCESS_READ], 0ULL);
	/* Any number of them may have gone to either. */
	KUNIT_EXPECT_EQ(test, places[0].error[VIPZONE_ACCESS_READ], 67ULL);
	KUNIT_EXPECT_EQ(test, places[1].error[VIPZONE_ACCESS_READ], 67ULL);
	KUNIT_EXPECT_EQ(test, places[2].error[VIPZONE_ACCESS_READ], 0ULL);
	/* Writes can have gone to one place only. */
	KUNIT_EXPECT_TRUE(test, vipzone_energy_divide(VIPZONE_EVENT_WRITES, 50, places, 3));
	KUNIT_EXPECT_EQ(test, places[0].counted[VIPZONE_ACCESS_WRITE], 0ULL);
	KUNIT_EXPECT_EQ(test, places[1].counted[VIPZONE_ACCESS_WRITE], 50ULL);
	KUNIT_EXPECT_EQ(test, places[1].error[VIPZONE_ACCESS_WRITE], 0ULL);
}

static void one_event_is_divided_by_kind(struct kunit *test)
{
	struct vipzone_energy_place places[2] = {
		{ .touched = { 3, 0 } }, { .touched = { 0, 1 } },
	};
	struct vipzone_energy_place one = { .touched = { 0, 4 } };

	KUNIT_EXPECT_TRUE(test, vipzone_energy_divide(VIPZONE_EVENT_BOTH, 8, places, 2));
	KUNIT_EXPECT_EQ(test, places[0].counted[VIPZONE_ACCESS_READ], 6ULL);
	KUNIT_EXPECT_EQ(test, places[0].counted[VIPZONE_ACCESS_WRITE], 0ULL);
	KUNIT_EXPECT_EQ(test, places[1].counted[VIPZONE_ACCESS_READ], 0ULL);
	KUNIT_EXPECT_EQ(test, places[1].counted[VIPZONE_ACCESS_WRITE], 2ULL);
	KUNIT_EXPECT_EQ(test, places[0].error[VIPZONE_ACCESS_READ], 6ULL);
	KUNIT_EXPECT_EQ(test, places[0].error[VIPZONE_ACCESS_WRITE], 0ULL);
	KUNIT_EXPECT_EQ(test, places[1].error[VIPZONE_ACCESS_READ], 8ULL);
	KUNIT_EXPECT_EQ(test, places[1].error[VIPZONE_ACCESS_WRITE], 6ULL);
	/* They may all be reads of pages that were written as well. */
	KUNIT_EXPECT_TRUE(test, vipzone_energy_divide(VIPZONE_EVENT_BOTH, 8, &one, 1));
	KUNIT_EXPECT_EQ(test, one.counted[VIPZONE_ACCESS_WRITE], 8ULL);
	KUNIT_EXPECT_EQ(test, one.error[VIPZONE_ACCESS_READ], 8ULL);
}

static void nothing_touched_divides_nothing(struct kunit *test)
{
	struct vipzone_energy_place places[2] = { { .touched = { 5, 0 } }, {} };

	KUNIT_EXPECT_FALSE(test, vipzone_energy_divide(VIPZONE_EVENT_WRITES, 9, places, 2));
	KUNIT_EXPECT_FALSE(test, vipzone_energy_divide(VIPZONE_EVENT_BOTH, 9, &places[1], 1));
	KUNIT_EXPECT_EQ(test, places[0].counted[VIPZONE_ACCESS_WRITE], 0ULL);
}

static void parts_add_up(struct kunit *test)
{
	struct vipzone_energy_place places[32] = {};
	u64 counted, sum;
	unsigned int i, round;

	for (round = 1; round < 200; round++) {
		counted = round * (VIPZONE_ACCESS_MAX / 200) + round;
		memset(places, 0, sizeof(places));
		for (i = 0; i < ARRAY_SIZE(places); i++) {
			places[i].touched[VIPZONE_ACCESS_READ] = i * 7919 % round;
			places[i].touched[VIPZONE_ACCESS_WRITE] = i * round % 31;
		}
		KUNIT_EXPECT_TRUE(test, vipzone_energy_divide(VIPZONE_EVENT_BOTH, counted,
							      places, 32));
		for (i = 0, sum = 0; i < ARRAY_SIZE(places); i++)
			sum += places[i].counted[VIPZONE_ACCESS_READ] +
			       places[i].counted[VIPZONE_ACCESS_WRITE];
		KUNIT_EXPECT_EQ(test, sum, counted);
	}
}

static void parts_are_shared_by_touches(struct kunit *test)
{
	struct vipzone_energy_place places[2] = {
		{ .touched = { 3, 1 } }, { .touched = { 0, 4 } },
	};
	struct vipzone_energy_place mine = { .touched = { 1, 1 } };
	struct vipzone_energy_place none = {};
	u64 total[VIPZONE_NR_ACCESS_KINDS] = { 800, 50 };

	KUNIT_EXPECT_TRUE(test, vipzone_energy_divide(VIPZONE_EVENT_READS, 800, places, 2));
	KUNIT_EXPECT_TRUE(test, vipzone_energy_divide(VIPZONE_EVENT_WRITES, 50, places, 2));
	/* 400 reads of four pages touched, 10 writes of one written. */
	vipzone_energy_share(&places[0], true, total, &mine);
	KUNIT_EXPECT_EQ(test, mine.counted[VIPZONE_ACCESS_READ], 200ULL);
	KUNIT_EXPECT_EQ(test, mine.error[VIPZONE_ACCESS_READ], 600ULL);
	KUNIT_EXPECT_EQ(test, mine.counted[VIPZONE_ACCESS_WRITE], 10ULL);
	KUNIT_EXPECT_EQ(test, mine.error[VIPZONE_ACCESS_WRITE], 40ULL);
	vipzone_energy_share(&places[1], true, total, &none);
	KUNIT_EXPECT_EQ(test, none.counted[VIPZONE_ACCESS_READ], 0ULL);
	KUNIT_EXPECT_EQ(test, none.error[VIPZONE_ACCESS_WRITE], 0ULL);
}

static void all_of_it_is_certain(struct kunit *test)
{
	struct vipzone_energy_place place = { .touched = { 7, 0 } };
	struct vipzone_energy_place all = { .touched = { 7, 0 } };
	struct vipzone_energy_place half = { .touched = { 3, 0 } };
	struct vipzone_energy_place stale = { .touched = { 9, 9 } };
	struct vipzone_energy_place empty = {};
	u64 total[VIPZONE_NR_ACCESS_KINDS] = { 70, 0 };

	KUNIT_EXPECT_TRUE(test, vipzone_energy_divide(VIPZONE_EVENT_BOTH, 70, &place, 1));
	vipzone_energy_share(&place, false, total, &all);
	KUNIT_EXPECT_EQ(test, all.counted[VIPZONE_ACCESS_READ], 70ULL);
	KUNIT_EXPECT_EQ(test, all.error[VIPZONE_ACCESS_READ], 0ULL);
	vipzone_energy_share(&place, false, total, &half);
	KUNIT_EXPECT_EQ(test, half.counted[VIPZONE_ACCESS_READ], 30ULL);
	KUNIT_EXPECT_EQ(test, half.error[VIPZONE_ACCESS_READ], 40ULL);
	/* More than there is, or of nothing. */
	vipzone_energy_share(&place, false, total, &stale);
	KUNIT_EXPECT_EQ(test, stale.counted[VIPZONE_ACCESS_READ], 70ULL);
	KUNIT_EXPECT_EQ(test, stale.counted[VIPZONE_ACCESS_WRITE], 0ULL);
	vipzone_energy_share(&empty, true, total, &stale);
	KUNIT_EXPECT_EQ(test, stale.counted[VIPZONE_ACCESS_READ], 0ULL);
}

static void wear_is_spent_evenly(struct kunit *test)
{
	struct vipzone_wear wear = {};
	u64 day_kib = 86400, now = 1000000;	/* 1 KiB a second */

	/* It begins with an hour's share, 3600 KiB. */
	KUNIT_EXPECT_FALSE(test, vipzone_wear_spend(&wear, day_kib, now, 3600));
	KUNIT_EXPECT_TRUE(test, vipzone_wear_spend(&wear, day_kib, now, 100));
	/* 100 KiB too much take 100 s, and a minute more. */
	now += 159000;
	KUNIT_EXPECT_TRUE(test, vipzone_wear_spend(&wear, day_kib, now, 0));
	now += 1000;
	KUNIT_EXPECT_FALSE(test, vipzone_wear_spend(&wear, day_kib, now, 0));
	/* Nothing written in days is no more than an hour's share. */
	now += 10 * DAY_MS;
	KUNIT_EXPECT_FALSE(test, vipzone_wear_spend(&wear, day_kib, now, 3600));
	KUNIT_EXPECT_TRUE(test, vipzone_wear_spend(&wear, day_kib, now, 1));
}

static void a_day_holds_its_budget(struct kunit *test)
{
	struct vipzone_wear wear = {};
	u64 day_kib = 86400, now = 0, written = 0;
	int s;

	/* 10 KiB a second are wanted, and kept off while it is over. */
	for (s = 0; s < 86400; s++, now += 1000)
		if (!vipzone_wear_spend(&wear, day_kib, now, 0)) {
			vipzone_wear_spend(&wear, day_kib, now, 10);
			written += 10;
		}
	KUNIT_EXPECT_TRUE(test, written <= day_kib + 3600 + 10);
	KUNIT_EXPECT_TRUE(test, written >= day_kib);
}

static void no_budget_is_no_limit(struct kunit *test)
{
	struct vipzone_wear wear = {};

	KUNIT_EXPECT_FALSE(test, vipzone_wear_spend(&wear, 0, 1, U64_MAX));
	KUNIT_EXPECT_TRUE(test, vipzone_wear_spend(&wear, 1, 2, U64_MAX));
	KUNIT_EXPECT_TRUE(test, vipzone_wear_spend(&wear, 1, 3, U64_MAX));
	KUNIT_EXPECT_FALSE(test, vipzone_wear_spend(&wear, 0, 4, 0));
	/* The largest one. */
	KUNIT_EXPECT_FALSE(test, vipzone_wear_spend(&wear, 1ULL << 40, 5, 1 << 30));
	KUNIT_EXPECT_FALSE(test, vipzone_wear_spend(&wear, 1ULL << 40, U64_MAX, 0));
}

static struct kunit_case ledger_cases[] = {
	KUNIT_CASE(prices_lines_by_the_bit),
	KUNIT_CASE(prices_lines_by_power),
	KUNIT_CASE(prices_have_a_bound),
	KUNIT_CASE(adds_up),
	KUNIT_CASE(touches_alone_cost_nothing),
	KUNIT_CASE(counts_are_charged),
	KUNIT_CASE(touches_divide_counts),
	KUNIT_CASE(one_event_is_divided_by_kind),
	KUNIT_CASE(nothing_touched_divides_nothing),
	KUNIT_CASE(parts_add_up),
	KUNIT_CASE(parts_are_shared_by_touches),
	KUNIT_CASE(all_of_it_is_certain),
	KUNIT_CASE(wear_is_spent_evenly),
	KUNIT_CASE(a_day_holds_its_budget),
	KUNIT_CASE(no_budget_is_no_limit),
	{}
};

static struct kunit_suite ledger_suite = {
	.name = "vipzone_ledger",
	.test_cases = ledger_cases,
};

kunit_test_suite(ledger_suite);
