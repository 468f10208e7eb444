/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * COMeT: the lifetime of a test (section 3.2.2) and the replenishment of free
 * lists (section 4.1.5). Pure logic.
 */
#ifndef MEMDIAG_SCHED_COMET_H
#define MEMDIAG_SCHED_COMET_H

#include <linux/types.h>

#define MEMDIAG_LIFETIME_MAX_S	(30 * 24 * 3600)

/**
 * struct memdiag_comet_effort - what testing may take (COMeT, section 3.2.2)
 * @alpha_pct: percent by which the lifetime is longer than it need be; 100: not
 * @mem_util_pct: percent of memory that has to be tested
 * @test_res_pct: percent of one core that may be taken
 */
struct memdiag_comet_effort {
	unsigned int alpha_pct;
	unsigned int mem_util_pct;
	unsigned int test_res_pct;
};

/**
 * memdiag_comet_lifetime_s() - how long a test has to be good for
 * @effort: what testing may take
 * @pages: memory, in pages
 * @latency_ns: time that the test of a page takes
 *
 * Return: seconds, 1 to MEMDIAG_LIFETIME_MAX_S.
 */
unsigned int memdiag_comet_lifetime_s(const struct memdiag_comet_effort *effort, u64 pages,
				      u64 latency_ns);

/*
 * COMeT's replenishment rate of one free list (section 4.1.5): a state machine
 * that doubles the rate quickly and halves it slowly.
 */
enum memdiag_comet_state {
	MEMDIAG_COMET_MINIMUM,	/* A: the minimum rate */
	MEMDIAG_COMET_DOUBLE,	/* B: demand grows */
	MEMDIAG_COMET_HOLD,	/* C: demand is high, and met */
	MEMDIAG_COMET_HALVE,	/* D: demand is low */
	MEMDIAG_COMET_STOP,	/* E: there is none */
};

struct memdiag_comet_list {
	enum memdiag_comet_state state;
	u64 rate;
};

/**
 * memdiag_comet_adjust() - the rate for the next interval
 * @list: the free list; its rate is in pages an interval
 * @allocated: pages allocated from it in the last interval (a)
 * @untested: of these, pages that were not tested (u)
 * @threshold: demand that will soon leave it without tested pages (th)
 * @minimum: smallest rate but 0
 * @maximum: largest rate
 */
void memdiag_comet_adjust(struct memdiag_comet_list *list, u64 allocated, u64 untested,
			  u64 threshold, u64 minimum, u64 maximum);

#endif
