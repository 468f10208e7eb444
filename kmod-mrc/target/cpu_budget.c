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
 * @now: us
 */
void mrc_cpu_budget_reset(struct mrc_cpu_budget *budget, u64 now)
{
	spin_lock(&budgets_lock);
	budget->paid_us = now;
	spin_unlock(&budgets_lock);
}

/**
 * mrc_cpu_budget_take() - take what a ladder will cost, if it has been earned
 * @budget: the budget
 * @now: us
 * @us: how long it takes to earn that
 * @credit: whether or not it has been
 *
 * Of several that share a budget, one at a time gets something out of it. No more
 * than that is saved.
 *
 * Return: 0 if it was taken, or when to try again, in us.
 */
u64 mrc_cpu_budget_take(struct mrc_cpu_budget *budget, u64 now, u64 us, bool credit)
{
	u64 due;

	us = min_t(u64, us, WAIT_MAX_US);
	spin_lock(&budgets_lock);
	due = max(budget->paid_us + us, now);
	if (credit || due == now) {
		budget->paid_us = due;
		due = 0;
	}
	spin_unlock(&budgets_lock);
	return due;
}

/**
 * mrc_cpu_budget_queue() - take what a ladder will cost out of a budget of many
 * @budget: the budget
 * @now: us
 * @us: how long it takes to earn that
 * @credit: not to wait until it has been
 *
 * Who comes first is served first: otherwise, of very many, some would always find it spent.
 *
 * Return: when the ladder may begin, in us.
 */
u64 mrc_cpu_budget_queue(struct mrc_cpu_budget *budget, u64 now, u64 us, bool credit)
{
	u64 turn;

	us = min_t(u64, us, WAIT_MAX_US);
	spin_lock(&budgets_lock);
	turn = max(budget->paid_us, now);
	budget->paid_us = turn + us;
	spin_unlock(&budgets_lock);
	return credit ? now : turn;
}

/**
 * mrc_cpu_budget_settle() - say what the ladder did cost
 * @budget: the budget
 * @now: us
 * @taken: what was taken for it
 * @us: how long it takes to earn what it did cost
 */
void mrc_cpu_budget_settle(struct mrc_cpu_budget *budget, u64 now, u64 taken, u64 us)
{
	taken = min_t(u64, taken, WAIT_MAX_US);
	us = min_t(u64, us, WAIT_MAX_US);
	spin_lock(&budgets_lock);
	budget->paid_us = min(budget->paid_us + us - min(taken, budget->paid_us),
			      now + WAIT_MAX_US - us);
	spin_unlock(&budgets_lock);
}

/**
 * mrc_cpu_budget_settle_queued() - the same, of a budget that many queue for
 * @budget: the budget
 * @taken: what was taken for it
 * @us: how long it takes to earn what it did cost
 */
void mrc_cpu_budget_settle_queued(struct mrc_cpu_budget *budget, u64 taken, u64 us)
{
	taken = min_t(u64, taken, WAIT_MAX_US);
	us = min_t(u64, us, WAIT_MAX_US);
	spin_lock(&budgets_lock);
	budget->paid_us += us - min(taken, budget->paid_us);
	spin_unlock(&budgets_lock);
}
