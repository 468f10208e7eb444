/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Diagnostic control policies (Asteroid, section 5.2.4): how many threads test,
 * and how thoroughly, so that testing keeps up with what is asked of it.
 * Pure logic.
 */
#ifndef MEMDIAG_POLICY_H
#define MEMDIAG_POLICY_H

#include <memsuite/diag.h>

/* The first one is the default. */
extern struct memdiag_policy policies[];
extern const unsigned int nr_policies;

extern struct memdiag_alarm policy_alarms[];
extern const unsigned int nr_policy_alarms;

/**
 * policy_emergency() - the configuration that tests fastest
 * @limits: within these
 */
struct memdiag_config policy_emergency(const struct memdiag_limits *limits);

/**
 * policy_bounded() - bring what a policy chose into the range that there is
 * @config: what it chose
 */
struct memdiag_config policy_bounded(struct memdiag_config config);

#define LIFETIME_MAX_S	(30 * 24 * 3600)

/**
 * struct memdiag_effort - what testing may take (COMeT, section 3.2.2)
 * @alpha_pct: percent by which the lifetime is longer than it need be; 100: not
 * @mem_util_pct: percent of memory that has to be tested
 * @test_res_pct: percent of one core that may be taken
 */
struct memdiag_effort {
	unsigned int alpha_pct;
	unsigned int mem_util_pct;
	unsigned int test_res_pct;
};

/**
 * policy_lifetime_s() - how long a test has to be good for
 * @effort: what testing may take
 * @pages: memory, in pages
 * @latency_ns: time that the test of a page takes
 *
 * Return: seconds, 1 to LIFETIME_MAX_S.
 */
unsigned int policy_lifetime_s(const struct memdiag_effort *effort, u64 pages,
			       u64 latency_ns);

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
