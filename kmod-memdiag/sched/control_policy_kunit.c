// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the control policies. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>

#include "sched/comet.c"
#include "sched/control_policy.c"

static struct memdiag_limits limits = {
	.fixed = { .fidelity = 7, .threads = 3 },
	.user = { .fidelity = 9, .threads = 2 },
	.max_threads = 4, .min_fidelity = 1, .max_fidelity = 32,
};

static u64 budget = U64_MAX;

static struct memdiag_config policy_chosen(const char *name, u64 request)
{
	struct memdiag_load load = {
		.request = request, .bandwidth = 32000, .budget = budget,
	};
	unsigned int i;

	for (i = 0; i < memdiag_nr_policies; i++)
		if (!strcmp(memdiag_policies[i].name, name))
			return memdiag_policies[i].choose(&limits, &load);
	return (struct memdiag_config) { 0, 0 };
}

#define expect(name, request, want_fidelity, want_threads) do {		\
	struct memdiag_config config = policy_chosen(name, request);	\
									\
	KUNIT_EXPECT_EQ(test, config.fidelity, (unsigned int)(want_fidelity)); \
	KUNIT_EXPECT_EQ(test, config.threads, (unsigned int)(want_threads)); \
} while (0)

static void policy_fixed(struct kunit *test)
{
	expect("fixed", 0, 7, 3);
	expect("fixed", 1000000, 7, 3);
}

static void policy_ondemand(struct kunit *test)
{
	expect("ondemand", 0, 1, 0);
	expect("ondemand", 1000000, 1, 0);
}

static void policy_user(struct kunit *test)
{
	limits.user_alive = true;
	expect("user", 0, 9, 2);
	expect("user", 1000000, 9, 2);
	/* As adaptive. */
	limits.user_alive = false;
	expect("user", 0, 32, 1);
	expect("user", 10000000, 1, 4);
}

/* Figure 30: threads are added only when the least fidelity does not do. */
static void policy_adaptive(struct kunit *test)
{
	expect("adaptive", 0, 32, 1);
	expect("adaptive", 1000, 32, 1);
	expect("adaptive", 1001, 31, 1);
	expect("adaptive", 32000, 1, 1);
	expect("adaptive", 32001, 1, 2);
	expect("adaptive", 96001, 1, 4);
	expect("adaptive", 128000, 1, 4);
	/* More than there is: as fast as it can. */
	expect("adaptive", 10000000, 1, 4);
}

static void policy_adaptive_fidelity(struct kunit *test)
{
	expect("adaptive-fidelity", 1000, 32, 1);
	expect("adaptive-fidelity", 1001, 32, 2);
	expect("adaptive-fidelity", 4000, 32, 4);
	expect("adaptive-fidelity", 4001, 31, 4);
	expect("adaptive-fidelity", 128000, 1, 4);
	expect("adaptive-fidelity", 10000000, 1, 4);
}

/* Several times the last reading, and enough to be of interest. */
static void policy_burst(struct kunit *test)
{
	struct memdiag_demand demand = { .allocated = 4096, .previous = 1024 };

	KUNIT_ASSERT_EQ(test, memdiag_nr_alarms, 1U);
	KUNIT_EXPECT_TRUE(test, memdiag_alarms[0].raised(&demand));
	demand.previous = 1025;
	KUNIT_EXPECT_FALSE(test, memdiag_alarms[0].raised(&demand));
	demand.allocated = 1023;
	demand.previous = 0;
	KUNIT_EXPECT_FALSE(test, memdiag_alarms[0].raised(&demand));
}

static void policy_burst_as_set(struct kunit *test)
{
	struct memdiag_demand demand = { .allocated = 150, .previous = 100 };
	struct memdiag_burst before = memdiag_burst;

	memdiag_burst = (struct memdiag_burst) { .factor_pct = 150, .pages = 150 };
	KUNIT_EXPECT_TRUE(test, memdiag_alarms[0].raised(&demand));
	memdiag_burst.factor_pct = 151;
	KUNIT_EXPECT_FALSE(test, memdiag_alarms[0].raised(&demand));
	memdiag_burst = (struct memdiag_burst) { .factor_pct = 150, .pages = 151 };
	KUNIT_EXPECT_FALSE(test, memdiag_alarms[0].raised(&demand));
	memdiag_burst = before;
}

/* What was set, within what there is; else the fastest. */
static void policy_emergency(struct kunit *test)
{
	struct memdiag_limits set = limits;

	KUNIT_EXPECT_EQ(test, memdiag_policy_emergency(&set).fidelity, 1U);
	KUNIT_EXPECT_EQ(test, memdiag_policy_emergency(&set).threads, 4U);
	set.emergency = (struct memdiag_config) { .fidelity = 2, .threads = 3 };
	KUNIT_EXPECT_EQ(test, memdiag_policy_emergency(&set).fidelity, 2U);
	KUNIT_EXPECT_EQ(test, memdiag_policy_emergency(&set).threads, 3U);
	set.emergency.threads = 5;
	KUNIT_EXPECT_EQ(test, memdiag_policy_emergency(&set).threads, 4U);
}

/* Another module may choose what it likes. */
static void policy_bounds(struct kunit *test)
{
	struct memdiag_config none = { .fidelity = 0, .threads = 0 };
	struct memdiag_config many = { .fidelity = 1000, .threads = 9 };

	KUNIT_EXPECT_EQ(test, memdiag_policy_bound(none).fidelity, 1U);
	KUNIT_EXPECT_EQ(test, memdiag_policy_bound(none).threads, 0U);
	KUNIT_EXPECT_EQ(test, memdiag_policy_bound(many).fidelity,
			MEMDIAG_FIDELITY_MAX);
	KUNIT_EXPECT_EQ(test, memdiag_policy_bound(many).threads, 9U);
}

/* As much fidelity as the budget allows, whatever the threads could do. */
static void policy_budget(struct kunit *test)
{
	budget = 16000;
	expect("adaptive", 500, 32, 1);
	expect("adaptive", 1000, 16, 1);
	expect("adaptive-fidelity", 1000, 16, 1);
	expect("adaptive", 16000, 1, 1);
	expect("adaptive", 16001, 1, 4);
	expect("fixed", 16001, 7, 3);
	budget = U64_MAX;
}

static void policy_without_bandwidth(struct kunit *test)
{
	struct memdiag_load load = { .request = 1, .budget = U64_MAX };
	struct memdiag_config config = choose_adaptive(&limits, &load);

	KUNIT_EXPECT_EQ(test, config.threads, 4U);
	KUNIT_EXPECT_EQ(test, config.fidelity, 1U);
}

struct step {
	u64 allocated, untested;
	enum memdiag_comet_state state;
	u64 rate;
};

/* Figure 9, edge by edge; threshold 100, rates 10 to 1000. */
static const struct step steps[] = {
	{ 50, 0, MEMDIAG_COMET_MINIMUM, 10 },
	{ 0, 0, MEMDIAG_COMET_STOP, 0 },
	{ 0, 0, MEMDIAG_COMET_STOP, 0 },
	{ 99, 0, MEMDIAG_COMET_STOP, 0 },
	{ 100, 0, MEMDIAG_COMET_DOUBLE, 10 },	/* E to B: a >= th */
	{ 400, 0, MEMDIAG_COMET_DOUBLE, 20 },
	{ 150, 1, MEMDIAG_COMET_DOUBLE, 40 },	/* B stays while u > 0 */
	{ 399, 0, MEMDIAG_COMET_HOLD, 40 },
	{ 100, 0, MEMDIAG_COMET_HOLD, 40 },
	{ 400, 0, MEMDIAG_COMET_DOUBLE, 80 },
	{ 99, 0, MEMDIAG_COMET_HALVE, 40 },
	{ 50, 0, MEMDIAG_COMET_HALVE, 20 },
	{ 50, 0, MEMDIAG_COMET_HALVE, 10 },
	{ 50, 0, MEMDIAG_COMET_HALVE, 10 },	/* not under the minimum */
	{ 200, 0, MEMDIAG_COMET_HOLD, 10 },
	{ 1, 0, MEMDIAG_COMET_HALVE, 10 },
	{ 1, 1, MEMDIAG_COMET_DOUBLE, 20 },
	{ 1, 0, MEMDIAG_COMET_HALVE, 10 },
	{ 0, 0, MEMDIAG_COMET_MINIMUM, 10 },
	{ 0, 1, MEMDIAG_COMET_DOUBLE, 20 },	/* A to B: u > 0 */
};

static void comet_states(struct kunit *test)
{
	struct memdiag_comet_list list = { .state = MEMDIAG_COMET_MINIMUM, .rate = 10 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		memdiag_comet_adjust(&list, steps[i].allocated, steps[i].untested, 100,
				     10, 1000);
		KUNIT_EXPECT_EQ(test, (int)list.state, (int)steps[i].state);
		KUNIT_EXPECT_EQ(test, list.rate, steps[i].rate);
	}
	for (i = 0; i < 20; i++)
		memdiag_comet_adjust(&list, 1, 1, 100, 10, 1000);
	KUNIT_EXPECT_EQ(test, list.rate, 1000ULL);
}

/* COMeT, section 3.2.2, for sweeps that come twice. */
static void lifetimes_follow_effort(struct kunit *test)
{
	struct memdiag_comet_effort effort = { 100, 100, 100 };
	u64 gib = 1 << 18, us = 1000, ms = 1000 * us;

	KUNIT_EXPECT_EQ(test, memdiag_comet_lifetime_s(&effort, gib, 10 * us), 6U);
	effort.alpha_pct = 1000;
	KUNIT_EXPECT_EQ(test, memdiag_comet_lifetime_s(&effort, gib, 10 * us), 53U);
	effort.test_res_pct = 10;
	KUNIT_EXPECT_EQ(test, memdiag_comet_lifetime_s(&effort, gib, 10 * us), 525U);
	effort.mem_util_pct = 20;
	KUNIT_EXPECT_EQ(test, memdiag_comet_lifetime_s(&effort, gib, 10 * us), 105U);
	/* 16 TiB, a slow test, as little as there may be: no overflow. */
	effort = (struct memdiag_comet_effort) { 100000, 100, 1 };
	KUNIT_EXPECT_EQ(test, memdiag_comet_lifetime_s(&effort, gib << 14, ms),
			MEMDIAG_LIFETIME_MAX_S);
	effort = (struct memdiag_comet_effort) { 100, 1, 6400 };
	KUNIT_EXPECT_EQ(test, memdiag_comet_lifetime_s(&effort, 1, 1), 1U);
}

static struct kunit_case policy_cases[] = {
	KUNIT_CASE(policy_fixed),
	KUNIT_CASE(policy_ondemand),
	KUNIT_CASE(policy_user),
	KUNIT_CASE(policy_adaptive),
	KUNIT_CASE(policy_adaptive_fidelity),
	KUNIT_CASE(policy_burst),
	KUNIT_CASE(policy_burst_as_set),
	KUNIT_CASE(policy_emergency),
	KUNIT_CASE(policy_bounds),
	KUNIT_CASE(policy_budget),
	KUNIT_CASE(policy_without_bandwidth),
	KUNIT_CASE(comet_states),
	KUNIT_CASE(lifetimes_follow_effort),
	{}
};

static struct kunit_suite policy_suite = {
	.name = "memdiag_policy",
	.test_cases = policy_cases,
};

kunit_test_suite(policy_suite);

MODULE_LICENSE("GPL");
