/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving what a file has in memory into the regions of its policy. */
#ifndef VIPZONE_AUDIT_FILE_MOVE_H
#define VIPZONE_AUDIT_FILE_MOVE_H

#include <linux/path.h>

#include "policy/policy.h"

/**
 * vipzone_file_move() - move the misplaced pages of a file, or of all files of a file system
 * @path: that leads there
 * @policy: whose regions they go to, and with which they are counted; its file is this one
 *
 * Shared memory and page cache, whoever maps it; huge pages of hugetlbfs stay. What is in swap
 * goes to its place when it comes back. A file with a NUMA policy of its own is left alone.
 *
 * Context: may sleep; ends early if the calling task is killed.
 * Return: 0, -EINTR or -ENOMEM.
 */
int vipzone_file_move(const struct path *path, struct vipzone_policy *policy);

#endif
