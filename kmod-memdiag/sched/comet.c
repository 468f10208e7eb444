// SPDX-License-Identifier: GPL-2.0-only
/*
 * COMeT's arithmetic: how long a test has to be good for, and how fast each
 * free list is replenished. Pure: also built in user space.
 */

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/comet.h"

/* Free memory is swept twice in a lifetime: that is twice the paper's work. */
#define SWEEPS	2

unsigned int memdiag_comet_lifetime_s(const struct memdiag_comet_effort *effort, u64 pages,
				      u64 latency_ns)
{
	/* In steps that do not overflow: 2^64 ns are 584 years. */
	u64 ns = pages * latency_ns;
	u64 ms = div64_u64(ns, NSEC_PER_MSEC) * SWEEPS;

	ms = div_u64(ms * effort->mem_util_pct, 100);
	ms = div_u64(ms * effort->alpha_pct, effort->test_res_pct);
	return clamp_t(u64, DIV_ROUND_UP_ULL(ms, MSEC_PER_SEC), 1,
		       MEMDIAG_LIFETIME_MAX_S);
}

/* Figure 9. */
static enum memdiag_comet_state
comet_next_state(enum memdiag_comet_state state, u64 a, u64 u, u64 th)
{
	if (u)
		return MEMDIAG_COMET_DOUBLE;
	switch (state) {
	case MEMDIAG_COMET_MINIMUM:
	case MEMDIAG_COMET_STOP:
		/* The text has a <= th here, where only a >= th makes sense. */
		if (a >= th)
			return MEMDIAG_COMET_DOUBLE;
		return a ? state : MEMDIAG_COMET_STOP;
	case MEMDIAG_COMET_DOUBLE:
	case MEMDIAG_COMET_HOLD:
		if (a >= 4 * th)
			return MEMDIAG_COMET_DOUBLE;
		return a >= th ? MEMDIAG_COMET_HOLD : MEMDIAG_COMET_HALVE;
	case MEMDIAG_COMET_HALVE:
		if (!a)
			return MEMDIAG_COMET_MINIMUM;
		return a >= th ? MEMDIAG_COMET_HOLD : MEMDIAG_COMET_HALVE;
	}
	return MEMDIAG_COMET_MINIMUM;
}

void memdiag_comet_adjust(struct memdiag_comet_list *list, u64 allocated, u64 untested,
			  u64 threshold, u64 minimum, u64 maximum)
{
	list->state = comet_next_state(list->state, allocated, untested, threshold);
	switch (list->state) {
	case MEMDIAG_COMET_MINIMUM:
		list->rate = minimum;
		break;
	case MEMDIAG_COMET_DOUBLE:
		list->rate = clamp(list->rate * 2, minimum, maximum);
		break;
	case MEMDIAG_COMET_HOLD:
		break;
	case MEMDIAG_COMET_HALVE:
		list->rate = max(list->rate / 2, minimum);
		break;
	case MEMDIAG_COMET_STOP:
		list->rate = 0;
		break;
	}
}
