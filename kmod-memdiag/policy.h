/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Diagnostic control policies (Asteroid, section 5.2.4): how many threads test,
 * and how thoroughly, so that testing keeps up with what is asked of it.
 * Pure logic.
 */
#ifndef MEMDIAG_POLICY_H
#define MEMDIAG_POLICY_H

#include <linux/types.h>

#define FIDELITY_MAX	32

/**
 * struct policy_config - a test configuration
 * @fidelity: backgrounds that a block is tested with, 1 to FIDELITY_MAX
 * @threads: threads that test
 */
struct policy_config {
	unsigned int fidelity;
	unsigned int threads;
};

/**
 * struct policy_limits - what the administrator allows (table 6)
 * @fixed: the configuration of the policy "fixed"
 * @user: what a daemon chose last, for the policy "user"
 * @user_alive: it did so a short time ago
 * @max_threads: MAX-CORES
 * @min_fidelity: MIN-FIDELITY
 * @max_fidelity: MAX-FIDELITY
 */
struct policy_limits {
	struct policy_config fixed;
	struct policy_config user;
	bool user_alive;
	unsigned int max_threads;
	unsigned int min_fidelity;
	unsigned int max_fidelity;
};

/**
 * struct policy_load - what testing has to keep up with
 * @request: pages to test in a second
 * @bandwidth: pages that one thread tests in a second at fidelity 1
 */
struct policy_load {
	u64 request;
	u64 bandwidth;
};

/**
 * struct policy - a way to choose the configuration
 * @name: as written to sysfs
 * @choose: the configuration for the next test epoch
 * @on_demand: nothing is tested ahead: pages are when they are handed out
 * @alarm: bursts of demand call for policy_emergency()
 */
struct policy {
	const char *name;
	struct policy_config (*choose)(const struct policy_limits *limits,
				       const struct policy_load *load);
	bool on_demand;
	bool alarm;
};

extern const struct policy policies[];
extern const unsigned int nr_policies;

/**
 * policy_emergency() - the configuration that tests fastest
 * @limits: within these
 */
struct policy_config policy_emergency(const struct policy_limits *limits);

/*
 * COMeT's replenishment rate of one free list (section 4.1.5): a state machine
 * that doubles the rate quickly and halves it slowly.
 */
enum comet_state {
	COMET_MINIMUM,	/* A: the minimum rate */
	COMET_DOUBLE,	/* B: demand grows */
	COMET_HOLD,	/* C: demand is high, and met */
	COMET_HALVE,	/* D: demand is low */
	COMET_STOP,	/* E: there is none */
};

struct comet_list {
	enum comet_state state;
	u64 rate;
};

/**
 * comet_adjust() - the rate for the next interval
 * @list: the free list; its rate is in pages an interval
 * @allocated: pages allocated from it in the last interval (a)
 * @untested: of these, pages that were not tested (u)
 * @threshold: demand that will soon leave it without tested pages (th)
 * @minimum: smallest rate but 0
 * @maximum: largest rate
 */
void comet_adjust(struct comet_list *list, u64 allocated, u64 untested,
		  u64 threshold, u64 minimum, u64 maximum);

#endif
