/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of the administrator and of programs: which policy applies to whom. */
#ifndef VIPZONE_ADMIN_POLICY_SET_H
#define VIPZONE_ADMIN_POLICY_SET_H

#include <linux/types.h>

#include "parse/command.h"

/**
 * vipzone_policy_set() - put a process, a cgroup, a file or the machine under a policy
 * @command: whom, and the policy
 *
 * Context: may sleep.
 * Return: 0, -ESRCH or -EINVAL (no such process, or one of the kernel's), or an
 * error of vipzone_policy_create().
 */
int vipzone_policy_set(const struct vipzone_command *command);

/**
 * vipzone_policy_unset() - take the policy away
 * @command: whose
 *
 * Context: may sleep.
 * Return: 0 or -ENOENT.
 */
int vipzone_policy_unset(const struct vipzone_command *command);

/**
 * vipzone_policy_move() - move what a process or a file has into the regions of its policy
 * @command: which: the process, or a thread of it; or the file
 *
 * Context: may sleep.
 * Return: 0, -ESRCH, -ENOENT (it is under no policy, or no such file), -EINVAL (neither of both),
 * -EINTR or -ENOMEM.
 */
int vipzone_policy_move(const struct vipzone_command *command);

/**
 * vipzone_policy_choose() - the calling process chooses among its regions
 * @list: as for vipzone_command_choose(), is cut up; NULL: the administrator's again
 *
 * Context: may sleep.
 * Return: 0, -EPERM (its policy lets no program choose) or another error.
 */
int vipzone_policy_choose(char *list);

#endif
