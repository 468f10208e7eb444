// SPDX-License-Identifier: GPL-2.0-only
/*
 * What another module may add to memdiag: a policy, a condition for the alarm and a test.
 *
 *   policy    name of the policy: fidelity 3, one thread
 *   slow_ms   how long it takes to choose
 *   raise     1: the condition holds
 *   bad       physical address of a word that the test calls bad
 *   choices, blocks   how often the policy and the test were called
 *
 * Not installed anywhere.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/sched.h>

#include <memsuite/memdiag_registry.h>

static char *policy_name = "diagtest";
module_param_named(policy, policy_name, charp, 0400);

static unsigned int slow_ms;
module_param(slow_ms, uint, 0600);

static bool raise;
module_param(raise, bool, 0600);

static unsigned long bad;
module_param(bad, ulong, 0600);

static int choices;
module_param(choices, int, 0400);

static atomic_t tested = ATOMIC_INIT(0);
static int blocks;
module_param(blocks, int, 0400);

static struct memdiag_config choose(const struct memdiag_limits *limits, const struct memdiag_load *load)
{
	msleep(slow_ms);
	WRITE_ONCE(choices, choices + 1);
	return (struct memdiag_config) { .fidelity = 3, .threads = 1 };
}

static bool raised(const struct memdiag_demand *demand)
{
	return READ_ONCE(raise);
}

/* Ones are written and read; and a word is bad that the parameter says is. */
static void run(const struct memdiag_block *block)
{
	u64 at = READ_ONCE(bad) & ~7UL;
	size_t i;

	WRITE_ONCE(blocks, atomic_inc_return(&tested));
	for (i = 0; i < block->nr_words; i++)
		WRITE_ONCE(block->words[i], ~0ULL);
	cond_resched();
	for (i = 0; i < block->nr_words; i++)
		if (READ_ONCE(block->words[i]) != ~0ULL)
			memdiag_bad_word(block, i, ~0ULL, ~block->words[i]);
	if (at >= block->address && (at - block->address) / sizeof(u64) < block->nr_words)
		memdiag_bad_word(block, (at - block->address) / sizeof(u64), ~0ULL, 8);
}

static struct memdiag_policy policy = { .choose = choose, .alarm = true };
static struct memdiag_alarm alarm = { .name = "diagtest", .raised = raised };
static struct memdiag_test test = { .name = "diagtest", .period_s = 2, .run = run };

static int __init diagtest_init(void)
{
	int err;

	policy.name = policy_name;
	err = memdiag_policy_register(&policy);
	if (err)
		return err;
	err = memdiag_alarm_register(&alarm);
	if (err)
		goto err_alarm;
	err = memdiag_test_register(&test);
	if (err)
		goto err_test;
	return 0;

err_test:
	memdiag_alarm_unregister(&alarm);
err_alarm:
	memdiag_policy_unregister(&policy);
	return err;
}

static void __exit diagtest_exit(void)
{
	memdiag_test_unregister(&test);
	memdiag_alarm_unregister(&alarm);
	memdiag_policy_unregister(&policy);
}

module_init(diagtest_init);
module_exit(diagtest_exit);
MODULE_DESCRIPTION("A policy, an alarm and a test for the tests of memdiag");
MODULE_LICENSE("GPL");
