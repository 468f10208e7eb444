/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes what the processors have counted from the policies to the regions. */
#ifndef VIPZONE_POLICY_COUNTER_SETTLE_H
#define VIPZONE_POLICY_COUNTER_SETTLE_H

#include <linux/types.h>

struct vipzone_policy;

/* Takes over what was counted under a policy since the last call. One caller at a time. */
void vipzone_counter_settle(struct vipzone_policy *policy);

/*
 * Divides it among the regions of the policy, by what was touched since the last
 * call; nobody may add touches meanwhile. Returns how many accesses are left, since
 * nothing was touched that they can have gone to.
 */
u64 vipzone_counter_divide(struct vipzone_policy *policy);

#endif
