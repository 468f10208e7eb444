/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups of the unified hierarchy, by the paths that administrators write. */
#ifndef MEMSUITE_CGROUP_PATH_H
#define MEMSUITE_CGROUP_PATH_H

#include <linux/types.h>

struct cgroup;

/**
 * memsuite_cgroup_open() - look up a cgroup by its path
 * @path: as the caller's cgroup namespace has it (5.10: the initial one's, always); becomes what
 *	the initial namespace has, by which cgroups that are made later can be known
 * @size: of the memory of @path
 * @later: it need not be there yet
 *
 * Context: may sleep.
 * Return: the cgroup, for cgroup_put(); NULL: it is not there yet; ERR_PTR(-ENOENT): nor is that
 * allowed, or @path will never be one as the initial namespace has it; -ENAMETOOLONG: its path
 * does not fit; -EINVAL: it has a blank in it, so that nobody could write it.
 */
struct cgroup *memsuite_cgroup_open(char *path, size_t size, bool later);

#endif
