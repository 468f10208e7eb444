// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of curves added up, against closed forms; and of who is tracked, and
 * paid for.
 */

#include <kunit/test.h>
#include <linux/module.h>

#include "curve/curve.c"
#include "curve/compose.c"
#include "target/cpu_budget.c"
#include "target/target_parse.c"

static struct mrc_compose sum;
static u64 one[MRC_SIZES], other[MRC_SIZES], both[MRC_SIZES];

/* A loop over @pages that touches @rate of them a second. */
static void loop(u64 *curve, u64 pages, u64 rate)
{
	unsigned int i;

	for (i = 0; i < MRC_SIZES; i++)
		curve[i] = mrc_size(i) < pages ? rate * MRC_RATE : 0;
}

static unsigned int at_size(u64 pages)
{
	unsigned int i = 0;

	while (i + 1 < MRC_SIZES && mrc_size(i + 1) <= pages)
		i++;
	return i;
}

static void add_up(void)
{
	mrc_compose_begin(&sum);
	mrc_compose_add(&sum, one);
	mrc_compose_add(&sum, other);
	mrc_compose_finish(&sum, both);
}

static void expect_near(struct kunit *test, u64 got, u64 want)
{
	KUNIT_EXPECT_GE(test, got * 100, want * 99);
	KUNIT_EXPECT_LE(test, got * 100, want * 101);
}

/* Of one process, it is its own curve. */
static void alone_is_as_before(struct kunit *test)
{
	mrc_curve_init();
	loop(one, 5000, 20000);
	loop(other, 0, 0);
	add_up();
	expect_near(test, both[0], one[0]);
	expect_near(test, both[at_size(4800)], one[0]);
	KUNIT_EXPECT_EQ(test, both[at_size(5200)], 0ULL);
}

/*
 * Loops over 1000 pages in 50 ms and over 8000 in 2 s: until both fit all is
 * missed, 24000 a second. In 50 ms, 1000 and 200 pages are touched: from 1200
 * pages on the first one no longer misses; and from 9000 the second.
 */
static void two_loops_have_two_cliffs(struct kunit *test)
{
	mrc_curve_init();
	loop(one, 1000, 20000);
	loop(other, 8000, 4000);
	add_up();
	expect_near(test, both[0], 24000 * MRC_RATE);
	expect_near(test, both[at_size(1160)], 24000 * MRC_RATE);
	expect_near(test, both[at_size(1240)], 4000 * MRC_RATE);
	expect_near(test, both[at_size(8800)], 4000 * MRC_RATE);
	KUNIT_EXPECT_EQ(test, both[at_size(9200)], 0ULL);
	expect_near(test, mrc_compose_at(&sum, 50000), 1200);
	expect_near(test, mrc_compose_at(&sum, 1000000), 5000);
	expect_near(test, mrc_compose_at(&sum, 3600000000ULL), 9000);
}

/* However many there are, and however fast or idle. */
static void many_add_up(struct kunit *test)
{
	unsigned int i;

	mrc_curve_init();
	mrc_compose_begin(&sum);
	loop(one, 10, 1000000000);
	loop(other, 1 << 22, 1);
	for (i = 0; i < 256; i++)
		mrc_compose_add(&sum, i & 1 ? one : other);
	mrc_compose_finish(&sum, both);
	for (i = 1; i < MRC_SIZES; i++)
		KUNIT_EXPECT_LE(test, both[i], both[i - 1]);
	expect_near(test, both[at_size(128 * 10 + 100)], 128 * MRC_RATE);
}

static void changes_are_measured(struct kunit *test)
{
	mrc_curve_init();
	loop(one, 5000, 20000);
	loop(other, 5000, 20000);
	KUNIT_EXPECT_EQ(test, mrc_curve_change(one, other), 0U);
	loop(other, 5000, 10000);
	KUNIT_EXPECT_EQ(test, mrc_curve_change(one, other), 50U);
	KUNIT_EXPECT_EQ(test, mrc_curve_change(other, one), 50U);
	loop(other, 0, 0);
	KUNIT_EXPECT_EQ(test, mrc_curve_change(one, other), 100U);
	KUNIT_EXPECT_EQ(test, mrc_curve_change(other, other), 0U);
}

static int parsed(const char *text, struct mrc_target_spec *who)
{
	char line[300];

	memcpy(line, text, strlen(text) + 1);
	return mrc_target_parse_line(line, who);
}

static int rate_parsed(const char *text, struct mrc_target_spec *who, u64 *rate)
{
	char line[64];

	memcpy(line, text, strlen(text) + 1);
	return mrc_target_parse_rate(line, who, rate);
}

/* Written as it would be shown. */
static void targets_are_read_and_told(struct kunit *test)
{
	static const char * const lines[] = {
		"1", "4194304", "77 children", "cgroup:/", "cgroup:/a/b.slice",
		"above:1", "above:1023K", "above:64M", "above:3T", "machine",
	};
	char text[MRC_TARGET_DIRNAME];
	struct mrc_target_spec who;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		KUNIT_EXPECT_EQ(test, parsed(lines[i], &who), 0);
		mrc_target_format(&who, text);
		KUNIT_EXPECT_STREQ(test, text, lines[i]);
	}
	KUNIT_EXPECT_EQ(test, parsed("  0x10 \t children", &who), 0);
	mrc_target_dirname(&who, text);
	KUNIT_EXPECT_STREQ(test, text, "16+children");
	KUNIT_EXPECT_EQ(test, parsed("cgroup:/a/b", &who), 0);
	mrc_target_dirname(&who, text);
	KUNIT_EXPECT_STREQ(test, text, "cgroup:!a!b");
	/* Another one has another directory. */
	KUNIT_EXPECT_EQ(test, parsed("cgroup:/a!b+c%21", &who), 0);
	mrc_target_dirname(&who, text);
	KUNIT_EXPECT_STREQ(test, text, "cgroup:!a%21b%2bc%2521");
	KUNIT_EXPECT_EQ(test, parsed("above:65536K", &who), 0);
	KUNIT_EXPECT_EQ(test, who.bytes, 64ULL << 20);
}

static void bad_targets_are_refused(struct kunit *test)
{
	static const struct {
		const char *line;
		int err;
	} bad[] = {
		{ "", -EINVAL }, { " ", -EINVAL }, { "x", -EINVAL },
		{ "-1", -EINVAL }, { "1x", -EINVAL }, { "1 2", -EINVAL },
		{ "0", -ERANGE }, { "4194305", -ERANGE },
		{ "99999999999999999999", -ERANGE },
		{ "1 children children", -EINVAL }, { "1 heat", -EINVAL },
		{ "machine children", -EINVAL }, { "machines", -EINVAL },
		{ "cgroup:", -EINVAL }, { "cgroup:a", -EINVAL },
		{ "cgroup:/a children", -EINVAL }, { "above:", -EINVAL },
		{ "above:K", -EINVAL }, { "above:0", -ERANGE },
		{ "above:-1", -EINVAL }, { "above:1P", -EINVAL },
		{ "above:1KK", -EINVAL }, { "above:5000T", -ERANGE },
		{ "above:99999999999999999999999999", -EINVAL },
	};
	char line[300] = "cgroup:/";
	struct mrc_target_spec who;
	unsigned int i;
	u64 rate;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, parsed(bad[i].line, &who), bad[i].err,
				    "%s", bad[i].line);
	memset(line + 8, 'a', MRC_TARGET_PATH - 1);
	KUNIT_EXPECT_EQ(test, parsed(line, &who), -ENAMETOOLONG);
	line[7 + MRC_TARGET_PATH - 1] = '\0';
	KUNIT_EXPECT_EQ(test, parsed(line, &who), 0);

	KUNIT_EXPECT_EQ(test, rate_parsed("cgroup:/a 2000000", &who, &rate), 0);
	KUNIT_EXPECT_EQ(test, rate, 2000000ULL);
	KUNIT_EXPECT_EQ(test, rate_parsed("1", &who, &rate), -EINVAL);
	KUNIT_EXPECT_EQ(test, rate_parsed("1 2 3", &who, &rate), -EINVAL);
	KUNIT_EXPECT_EQ(test, rate_parsed("1 1000000000001", &who, &rate), -ERANGE);
}

/* Much memory in huge pages, all of it touched at once; and much, hardly ever. */
static void extremes_can_be_divided(struct kunit *test)
{
	mrc_curve_init();
	loop(one, 1ULL << 26, 1ULL << 36);
	loop(other, 1ULL << 26, 1ULL << 43);
	add_up();
	KUNIT_EXPECT_GT(test, both[0], one[0]);
	KUNIT_EXPECT_EQ(test, both[at_size(1ULL << 28)], 0ULL);
	loop(one, 1ULL << 28, 0);
	one[at_size(1ULL << 27)] = 1;
	loop(other, 1ULL << 30, 1);
	add_up();
	expect_near(test, both[at_size(1000)], MRC_RATE);
}

/* How many ladders of @us each begin, of one process that asks for the next at once. */
static unsigned int paid_for(struct mrc_cpu_budget *budget, u64 from, u64 until, u64 taken, u64 us)
{
	unsigned int ladders = 0;
	u64 turn = mrc_cpu_budget_queue(budget, from, taken, false);

	while (turn < until) {
		mrc_cpu_budget_settle(budget, taken, us);
		ladders++;
		turn = mrc_cpu_budget_queue(budget, turn, taken, false);
	}
	mrc_cpu_budget_settle(budget, taken, 0);
	return ladders;
}

static void spending_keeps_to_the_budget(struct kunit *test)
{
	const u64 us = 4 * USEC_PER_SEC;
	struct mrc_cpu_budget budget = {};

	/* Whatever was expected of it. */
	KUNIT_EXPECT_EQ(test, paid_for(&budget, 0, 100 * us, us, us), 100U);
	mrc_cpu_budget_reset(&budget);
	KUNIT_EXPECT_EQ(test, paid_for(&budget, 0, 100 * us, us / 4, us), 100U);
	mrc_cpu_budget_reset(&budget);
	KUNIT_EXPECT_EQ(test, paid_for(&budget, 0, 100 * us, 2 * us, us), 100U);
	/* Of two that ask at once, one has to wait. */
	mrc_cpu_budget_reset(&budget);
	KUNIT_EXPECT_EQ(test, mrc_cpu_budget_queue(&budget, 10, 5, false), 10ULL);
	KUNIT_EXPECT_EQ(test, mrc_cpu_budget_queue(&budget, 10, 5, false), 15ULL);
	/* What is not spent in time is not saved. */
	KUNIT_EXPECT_EQ(test, mrc_cpu_budget_queue(&budget, 1000, 5, false), 1000ULL);
	KUNIT_EXPECT_EQ(test, mrc_cpu_budget_queue(&budget, 1001, 5, false), 1005ULL);
}

static void credit_is_paid_back(struct kunit *test)
{
	u64 us = 4 * USEC_PER_SEC;
	struct mrc_cpu_budget budget = {};
	int i;

	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, mrc_cpu_budget_queue(&budget, 0, us, true), 0ULL);
		mrc_cpu_budget_settle(&budget, us, us);
	}
	KUNIT_EXPECT_EQ(test, paid_for(&budget, 0, 4 * us, us, us), 0U);
	KUNIT_EXPECT_EQ(test, paid_for(&budget, 0, 100 * us, us, us), 96U);
	/* But not for longer than a minute. */
	mrc_cpu_budget_reset(&budget);
	for (i = 0; i < 40; i++) {
		mrc_cpu_budget_queue(&budget, 0, us, true);
		mrc_cpu_budget_settle(&budget, us, us);
	}
	KUNIT_EXPECT_EQ(test, mrc_cpu_budget_queue(&budget, 0, us, false), 60ULL * USEC_PER_SEC);
	mrc_cpu_budget_reset(&budget);
	mrc_cpu_budget_queue(&budget, 0, us, true);
	mrc_cpu_budget_settle(&budget, us, 1000 * us);
	KUNIT_EXPECT_EQ(test, mrc_cpu_budget_queue(&budget, 0, us, false), 60ULL * USEC_PER_SEC);
	/* Nor at another rate than it was had at. */
	mrc_cpu_budget_set_rate(&budget, 5);
	KUNIT_EXPECT_EQ(test, mrc_cpu_budget_queue(&budget, us, us, false), us);
	mrc_cpu_budget_set_rate(&budget, 5);
	KUNIT_EXPECT_EQ(test, mrc_cpu_budget_queue(&budget, us, us, false), 2 * us);
}

/*
 * Of three, each gets its turn, whatever the others' ladders cost, and together no more than
 * there is.
 */
static void a_queue_is_fair(struct kunit *test)
{
	const u64 us = USEC_PER_SEC, cost[] = { us, us / 4, 7 * us / 4 };
	u64 turn[ARRAY_SIZE(cost)] = {}, now;
	struct mrc_cpu_budget budget = {};
	unsigned int ladders[ARRAY_SIZE(cost)] = {}, i;

	for (now = 1; now < 90 * us; now += us / 100)
		for (i = 0; i < ARRAY_SIZE(turn); i++)
			if (now >= turn[i]) {
				ladders[i] += turn[i] > 0;
				/* Expected to cost half of what they do. */
				turn[i] = mrc_cpu_budget_queue(&budget, now, cost[i] / 2, false);
				mrc_cpu_budget_settle(&budget, cost[i] / 2, cost[i]);
			}
	for (i = 0; i < ARRAY_SIZE(turn); i++) {
		KUNIT_EXPECT_GE(test, ladders[i], 28U);
		KUNIT_EXPECT_LE(test, ladders[i], 31U);
	}
	/* Who has credit does not wait, but others do, for longer. */
	KUNIT_EXPECT_EQ(test, mrc_cpu_budget_queue(&budget, now, us, true), now);
	KUNIT_EXPECT_GE(test, mrc_cpu_budget_queue(&budget, now, us, false), now + us);
	/* Time that nobody used is not saved. */
	now += 1000 * us;
	KUNIT_EXPECT_EQ(test, mrc_cpu_budget_queue(&budget, now, us, false), now);
	KUNIT_EXPECT_EQ(test, mrc_cpu_budget_queue(&budget, now, us, false), now + us);
}

static struct kunit_case compose_cases[] = {
	KUNIT_CASE(alone_is_as_before),
	KUNIT_CASE(two_loops_have_two_cliffs),
	KUNIT_CASE(many_add_up),
	KUNIT_CASE(extremes_can_be_divided),
	KUNIT_CASE(changes_are_measured),
	KUNIT_CASE(targets_are_read_and_told),
	KUNIT_CASE(bad_targets_are_refused),
	KUNIT_CASE(spending_keeps_to_the_budget),
	KUNIT_CASE(credit_is_paid_back),
	KUNIT_CASE(a_queue_is_fair),
	{}
};

static struct kunit_suite compose_suite = {
	.name = "mrc_targets",
	.test_cases = compose_cases,
};

kunit_test_suite(compose_suite);

MODULE_DESCRIPTION("KUnit tests of mrc's targets");
MODULE_LICENSE("GPL");
