/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What other modules may add to memdiag: policies that choose how it tests,
 * conditions that raise its alarm, and tests.
 *
 * What is registered is memdiag's until it is unregistered again; that waits
 * until nobody is in a callback any more, so a module unregisters in its exit
 * function and needs no references. No callback may register or unregister.
 */
#ifndef MEMSUITE_MEMDIAG_REGISTRY_H
#define MEMSUITE_MEMDIAG_REGISTRY_H

#include <linux/list.h>
#include <linux/types.h>

/* Longest name, with its final NUL. A name is printable and has no blanks. */
#define MEMDIAG_NAME	32

/* Data backgrounds that a block can be tested with. */
#define MEMDIAG_FIDELITY_MAX	32U

/**
 * struct memdiag_config - a test configuration
 * @fidelity: backgrounds that a block is tested with, 1 to
 *	MEMDIAG_FIDELITY_MAX
 * @threads: threads that test
 */
struct memdiag_config {
	unsigned int fidelity;
	unsigned int threads;
};

/**
 * struct memdiag_limits - what the administrator allows (Asteroid, table 6)
 * @fixed: the configuration of the policy "fixed"
 * @user: what a daemon chose last, for the policy "user"
 * @user_alive: it did so a short time ago
 * @max_threads: MAX-CORES, at least 1
 * @min_fidelity: MIN-FIDELITY, at least 1
 * @max_fidelity: MAX-FIDELITY, at least @min_fidelity; less than what was
 *	set while the workers back off
 * @emergency: the configuration while there is an alarm; what is 0 in it is
 *	@max_threads, and @min_fidelity
 */
struct memdiag_limits {
	struct memdiag_config fixed;
	struct memdiag_config user;
	bool user_alive;
	unsigned int max_threads;
	unsigned int min_fidelity;
	unsigned int max_fidelity;
	struct memdiag_config emergency;
};

/**
 * struct memdiag_load - what testing has to keep up with
 * @request: pages to test in a second, huge while all that is free is overdue
 * @bandwidth: pages that one thread tests in a second at fidelity 1, as
 *	measured; 0 before the first block
 * @budget: pages that all threads may test in a second at fidelity 1
 */
struct memdiag_load {
	u64 request;
	u64 bandwidth;
	u64 budget;
};

/**
 * struct memdiag_policy - a way to choose the configuration
 * @name: as written to control/policy
 * @choose: the configuration for the next test epoch; what is out of the range
 *	of struct memdiag_config is brought into it
 * @on_demand: nothing is tested ahead: pages are when they are handed out
 * @alarm: an alarm calls for the emergency configuration until the policy is
 *	asked again
 * @replenish: COMeT's state machines, one an order, say how many pages are
 *	tested
 * @list: memdiag's
 *
 * @choose is called every control/policy_ms while this is the policy in use;
 * it may sleep for a short time, for the alarm waits for it.
 */
struct memdiag_policy {
	const char *name;
	struct memdiag_config (*choose)(const struct memdiag_limits *limits,
					const struct memdiag_load *load);
	bool on_demand;
	bool alarm;
	bool replenish;
	struct list_head list;
};

/**
 * memdiag_policy_register() - add a policy to those that can be chosen
 * @policy: the policy
 *
 * Context: may sleep.
 * Return: 0, -EINVAL (the name, or no @choose) or -EEXIST (the name is taken).
 */
int memdiag_policy_register(struct memdiag_policy *policy);

/**
 * memdiag_policy_unregister() - take a policy away again
 * @policy: a policy that was registered
 *
 * If it is in use, the default policy is from now on.
 *
 * Context: may sleep; waits for @choose.
 */
void memdiag_policy_unregister(struct memdiag_policy *policy);

/**
 * struct memdiag_demand - the demand for memory, as monitored
 * @allocated: pages allocated in the last interval
 * @previous: and in the one before it
 * @average: moving average over about 8 intervals
 * @interval_ms: length of the last interval, at least 1
 * @request: pages to test in a second for that
 */
struct memdiag_demand {
	u64 allocated;
	u64 previous;
	u64 average;
	u64 interval_ms;
	u64 request;
};

/**
 * struct memdiag_alarm - a condition that calls for the emergency configuration
 * @name: as in control/available_alarms
 * @raised: whether to raise the alarm; called every control/monitor_ms while
 *	the policy in use heeds alarms; may not sleep for long
 * @list: memdiag's
 */
struct memdiag_alarm {
	const char *name;
	bool (*raised)(const struct memdiag_demand *demand);
	struct list_head list;
};

/**
 * memdiag_alarm_register() - add a condition for the alarm
 * @alarm: the condition
 *
 * Context: may sleep.
 * Return: 0, -EINVAL (the name, or no @raised) or -EEXIST (the name is taken).
 */
int memdiag_alarm_register(struct memdiag_alarm *alarm);

/**
 * memdiag_alarm_unregister() - take a condition away again
 * @alarm: a condition that was registered
 *
 * Context: may sleep; waits for @raised.
 */
void memdiag_alarm_unregister(struct memdiag_alarm *alarm);

struct memdiag_run;

/**
 * struct memdiag_block - memory that a test runs over
 * @words: it, in the direct map, aligned to a page; its contents may be lost
 * @nr_words: its size in words of 8 bytes, whole pages
 * @address: its physical address
 * @background: number of the data background; a block is tested with several
 *	of them in turn, one a call, and a test may do without
 * @run: for memdiag_bad_word()
 */
struct memdiag_block {
	u64 *words;
	size_t nr_words;
	u64 address;
	unsigned int background;
	struct memdiag_run *run;
};

/**
 * struct memdiag_test - a test that runs beside the main one
 * @name: as in tests/remove and in debugfs memdiag/tests
 * @period_s: seconds from the beginning of a sweep that it takes part in to
 *	the next one, at most 2592000; 0: it takes part in every sweep
 * @run: test a block, and call memdiag_bad_word() for each word that reads
 *	back wrong
 *
 * @run is called by several threads at once, each with a block of its own that
 * is held and of up to 2^MEMSUITE_MAX_ORDER pages. It may sleep, but wait for no
 * memory, and should call cond_resched() at times. A block in which it finds
 * something is given to it again, to tell what kind of fault it is. Emulated
 * faults do not show in what it reads.
 */
struct memdiag_test {
	const char *name;
	unsigned int period_s;
	void (*run)(const struct memdiag_block *block);
};

/**
 * memdiag_bad_word() - report a word that did not read back as it should
 * @block: as given to @run
 * @word: its index in the block
 * @expected: what it should have read
 * @wrong: bits that differed, not 0
 *
 * The page is retired. Call it before the word is written again. Context: from
 * within @run, by the thread that runs it.
 */
void memdiag_bad_word(const struct memdiag_block *block, size_t word,
		      u64 expected, u64 wrong);

/**
 * memdiag_test_register() - add a test to those that the sweeps run
 * @test: the test; it must stay
 *
 * Context: may sleep; waits for blocks that are being tested.
 * Return: 0, -EINVAL (the name, or no @run), -ERANGE (@period_s), -EEXIST (the
 * name is taken), -ENOSPC or -ENOMEM.
 */
int memdiag_test_register(const struct memdiag_test *test);

/**
 * memdiag_test_unregister() - take a test away again
 * @test: a test that was registered
 *
 * Context: may sleep; waits for @run.
 */
void memdiag_test_unregister(const struct memdiag_test *test);

#endif
