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
static DEFINE_SPINLOCK(purses_lock);

/**
 * mrc_purse_reset() - nothing is owed, and nothing saved
 * @purse: the purse
 * @now: us
 */
void mrc_purse_reset(struct mrc_purse *purse, u64 now)
{
	spin_lock(&purses_lock);
	purse->paid_us = now;
	spin_unlock(&purses_lock);
}

/**
 * mrc_purse_take() - take what a ladder will cost, if it has been earned
 * @purse: the purse
 * @now: us
 * @us: how long it takes to earn that
 * @credit: whether or not it has been
 *
 * Of several that share a purse, one at a time gets something out of it. No more
 * than that is saved.
 *
 * Return: 0 if it was taken, or when to try again, in us.
 */
u64 mrc_purse_take(struct mrc_purse *purse, u64 now, u64 us, bool credit)
{
	u64 due;

	us = min_t(u64, us, WAIT_MAX_US);
	spin_lock(&purses_lock);
	due = max(purse->paid_us + us, now);
	if (credit || due == now) {
		purse->paid_us = due;
		due = 0;
	}
	spin_unlock(&purses_lock);
	return due;
}

/**
 * mrc_purse_settle() - say what the ladder did cost
 * @purse: the purse
 * @now: us
 * @taken: what was taken for it
 * @us: how long it takes to earn what it did cost
 */
void mrc_purse_settle(struct mrc_purse *purse, u64 now, u64 taken, u64 us)
{
	taken = min_t(u64, taken, WAIT_MAX_US);
	us = min_t(u64, us, WAIT_MAX_US);
	spin_lock(&purses_lock);
	purse->paid_us = min(purse->paid_us + us - min(taken, purse->paid_us),
			     now + WAIT_MAX_US - us);
	spin_unlock(&purses_lock);
}
