/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU time for tracking, as it is earned. A ladder begins once enough time has passed
 * for the cost of those before it to be within the budget; or at once, if it is on
 * credit, which is paid back. A process that is a target by itself has a budget of its
 * own; those of a group queue for one. Besides, all of them queue for the module's.
 * Pure logic, like curve.h, but for a lock.
 */
#ifndef MRC_TARGET_CPU_BUDGET_H
#define MRC_TARGET_CPU_BUDGET_H

#include <linux/types.h>

/**
 * struct mrc_cpu_budget - what has been spent; all 0: nothing
 * @paid_us: when all of it is paid for, in us
 * @permille: of a CPU that it earns
 */
struct mrc_cpu_budget {
	u64 paid_us;
	u32 permille;
};

void mrc_cpu_budget_reset(struct mrc_cpu_budget *budget);
void mrc_cpu_budget_set_rate(struct mrc_cpu_budget *budget, u32 permille);
u64 mrc_cpu_budget_queue(struct mrc_cpu_budget *budget, u64 now, u64 us, bool credit);
void mrc_cpu_budget_settle(struct mrc_cpu_budget *budget, u64 taken, u64 us);

#endif
