/* SPDX-License-Identifier: GPL-2.0-only */
/* The policies of cgroups and of the machine. */
#ifndef VIPZONE_POLICY_CGROUP_POLICY_H
#define VIPZONE_POLICY_CGROUP_POLICY_H

#include "policy/policy.h"

/*
 * From here on, cgroups that are made come under the policies of their paths.
 * May sleep. 0 or an error.
 */
int scopes_watch(void);

/* Takes over a policy, in place of the one that was there. May sleep. */
void scope_set(struct policy *policy);

/**
 * scope_remove() - take the policy of a cgroup or of the machine away
 * @command: whose
 *
 * Context: may sleep. Return: 0 or -ENOENT.
 */
int scope_remove(const struct vipzone_command *command);

/* Hooks are off by now. May sleep. */
void scopes_exit(void);

#endif
