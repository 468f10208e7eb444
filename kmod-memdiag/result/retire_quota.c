// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many pages may be bad, and the alarm when one more is. Pure logic: also built in user space.
 */

#include <linux/kernel.h>

#include "result/retire_quota.h"

static bool quota_is_full(const struct memdiag_quota *quota)
{
	return quota->most && quota->bad >= quota->most;
}

static void quota_settle(struct memdiag_quota *quota)
{
	if (!quota_is_full(quota))
		memdiag_quota_take_back(quota);
}

bool memdiag_quota_refuses(struct memdiag_quota *quota, time64_t now)
{
	if (!quota_is_full(quota))
		return false;
	if (!quota->alarm) {
		quota->alarm = true;
		quota->untold = true;
		quota->since = now;
	}
	return true;
}

void memdiag_quota_add(struct memdiag_quota *quota)
{
	quota->bad++;
}

void memdiag_quota_del(struct memdiag_quota *quota)
{
	quota->bad--;
	quota_settle(quota);
}

void memdiag_quota_set_most(struct memdiag_quota *quota, u64 most)
{
	quota->most = most;
	quota_settle(quota);
}

void memdiag_quota_take_back(struct memdiag_quota *quota)
{
	quota->alarm = false;
	quota->untold = false;
}

bool memdiag_quota_tell(struct memdiag_quota *quota)
{
	bool untold = quota->untold;

	quota->untold = false;
	return untold;
}
