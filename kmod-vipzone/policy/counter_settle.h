/* SPDX-License-Identifier: GPL-2.0-only */
/* What the processors have counted, from policies to the accounts of regions. */
#ifndef VIPZONE_SETTLEMENT_H
#define VIPZONE_SETTLEMENT_H

#include <linux/types.h>

struct policy;

/* Takes over what was counted under a policy since. Nobody else does. */
void settle_counted(struct policy *policy);

/*
 * Divides it among the regions of the policy, by what was touched since; nobody
 * notes touches meanwhile. Returns what nothing is known of.
 */
u64 settle_divided(struct policy *policy);

#endif
