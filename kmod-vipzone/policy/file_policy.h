/* SPDX-License-Identifier: GPL-2.0-only */
/* The policies of files and of file systems: whoever uses them, and when. */
#ifndef VIPZONE_POLICY_FILE_POLICY_H
#define VIPZONE_POLICY_FILE_POLICY_H

#include "policy/policy.h"

/* Takes over a policy, in place of those of the same file or of the same name. May sleep. */
void vipzone_file_policy_set(struct vipzone_policy *policy);

/**
 * vipzone_file_policy_remove() - take the policy of a file away
 * @name: as it was given, or another of the file; the former need not lead there any more
 *
 * Context: may sleep.
 * Return: 0 or -ENOENT.
 */
int vipzone_file_policy_remove(const char *name);

/* The policy of a file, or of its file system, to be put; or NULL. The inode stays. */
struct vipzone_policy *vipzone_file_policy_hold(const struct inode *inode);

/* Hooks are off by now. May sleep. */
void vipzone_file_policy_exit(void);

#endif
