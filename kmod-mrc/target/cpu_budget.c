// SPDX-License-Identifier: GPL-2.0-only
/* What tracking may cost, and when; see cpu_budget.h. */

#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "target/cpu_budget.h"

/* Nobody waits for longer than this, whatever ladders cost. */
#define WAIT_MAX_US	(60 * USEC_PER_SEC)

/* Of all of them: each is taken from once a ladder. */
static DEFINE_SPINLOCK(budgets_lock);

/**
 * mrc_cpu_budget_reset() - nothing is owed, and nothing saved
 * @budget: the budget
 */
void mrc_cpu_budget_reset(struct mrc_cpu_budget *budget)
{
	spin_lock(&budgets_lock);
	budget->paid_us = 0;
	spin_unlock(&budgets_lock);
}

/**
 * mrc_cpu_budget_set_rate() - nothing is owed any more if it was at another rate
 * @budget: the budget
 * @permille: of a CPU that it earns from now on
 */
void mrc_cpu_budget_set_rate(struct mrc_cpu_budget *budget, u32 permille)
{
	spin_lock(&budgets_lock);
	if (budget->permille != permille)
		budget->paid_us = 0;
	budget->permille = permille;
	spin_unlock(&budgets_lock);
}

/**
 * mrc_cpu_budget_queue() - take what a ladder will cost
 * @budget: the budget
 * @now: us
 * @us: how long it takes to earn that
 * @credit: not to wait until what was taken before has been earned
 *
 * Who comes first is served first: otherwise, of some that share it, those whose ladders
 * cost more, or one that has bad luck, would find it spent again and again.
 *
 * Return: when the ladder may begin, in us.
 */
u64 mrc_cpu_budget_queue(struct mrc_cpu_budget *budget, u64 now, u64 us, bool credit)
{
	u64 turn, paid;

	us = min_t(u64, us, WAIT_MAX_US);
	spin_lock(&budgets_lock);
	turn = max(budget->paid_us, now);
	paid = turn + us;
	/* Nor does anybody for what was had on credit. */
	if (credit)
		paid = max(turn, min_t(u64, paid, now + WAIT_MAX_US));
	budget->paid_us = paid;
	spin_unlock(&budgets_lock);
	return credit ? now : turn;
}

/**
 * mrc_cpu_budget_settle() - say what the ladder did cost
 * @budget: the budget
 * @taken: what was taken for it
 * @us: how long it takes to earn what it did cost
 */
void mrc_cpu_budget_settle(struct mrc_cpu_budget *budget, u64 taken, u64 us)
{
	taken = min_t(u64, taken, WAIT_MAX_US);
	us = min_t(u64, us, WAIT_MAX_US);
	spin_lock(&budgets_lock);
	budget->paid_us += us - min(taken, budget->paid_us);
	spin_unlock(&budgets_lock);
}
