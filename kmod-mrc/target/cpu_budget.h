/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU time for tracking, as it is earned. A ladder begins once so much time has
 * passed that what it will cost, and what those before it did, is within the
 * budget, or at once if it is on credit, which is paid back. A process that is a
 * target by itself has a purse of its own, those of a target of several have one
 * together. Pure logic, like curve.h, but for a lock.
 */
#ifndef MRC_TARGET_CPU_BUDGET_H
#define MRC_TARGET_CPU_BUDGET_H

#include <linux/types.h>

/**
 * struct mrc_purse - what has been spent
 * @paid_us: when all of it is paid for, in us
 */
struct mrc_purse {
	u64 paid_us;
};

void mrc_purse_reset(struct mrc_purse *purse, u64 now);
u64 mrc_purse_take(struct mrc_purse *purse, u64 now, u64 us, bool credit);
void mrc_purse_settle(struct mrc_purse *purse, u64 now, u64 taken, u64 us);

#endif
