/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a policy, and what they show. */
#ifndef VIPZONE_POLICY_POLICY_SYSFS_H
#define VIPZONE_POLICY_POLICY_SYSFS_H

#include <linux/sysfs.h>

#include "policy/policy.h"

extern const struct attribute_group *vipzone_policy_groups[];

/* Adds to @sum what became of the pages of a policy, on all CPUs. */
void vipzone_policy_stats_add(struct vipzone_policy_stats *sum,
			      const struct vipzone_policy *policy);

#endif
