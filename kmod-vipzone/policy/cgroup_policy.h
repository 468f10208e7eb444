/* SPDX-License-Identifier: GPL-2.0-only */
/* The policies of cgroups and of the machine. */
#ifndef VIPZONE_POLICY_CGROUP_POLICY_H
#define VIPZONE_POLICY_CGROUP_POLICY_H

#include "policy/policy.h"

/*
 * From here on, cgroups that are made come under the policies of their paths.
 * May sleep. 0 or an error.
 */
int vipzone_cgroup_policy_watch(void);

/* Takes over a policy, in place of the one that was there. May sleep. */
void vipzone_cgroup_policy_set(struct vipzone_policy *policy);

/**
 * vipzone_cgroup_policy_remove() - take the policy of a cgroup or of the machine away
 * @command: whose
 *
 * Context: may sleep.
 * Return: 0 or -ENOENT.
 */
int vipzone_cgroup_policy_remove(const struct vipzone_command *command);

/* Hooks are off by now. May sleep. */
void vipzone_cgroup_policy_exit(void);

#endif
