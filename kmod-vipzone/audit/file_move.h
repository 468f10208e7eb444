/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving what a file has in memory into the regions of its policy. */
#ifndef VIPZONE_AUDIT_FILE_MOVE_H
#define VIPZONE_AUDIT_FILE_MOVE_H

#include <linux/path.h>

#include "policy/policy.h"

/**
 * vipzone_file_move() - move the misplaced pages of a file, or of all files of a file system that
 * have no policy of their own
 * @path: that leads there
 * @all: to the latter
 * @policy: whose regions they go to, and with which they are counted: that of the file or of its
 *	file system
 *
 * Shared memory and page cache, whoever maps it; huge pages of hugetlbfs stay. What is in swap
 * goes to its place when it comes back. A file with a NUMA policy of its own is left alone.
 *
 * Context: may sleep; ends early if the calling task is killed.
 * Return: 0, -EINTR or -ENOMEM.
 */
int vipzone_file_move(const struct path *path, bool all, struct vipzone_policy *policy);

#endif
