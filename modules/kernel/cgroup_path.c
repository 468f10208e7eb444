// SPDX-License-Identifier: GPL-2.0-only
/* Cgroups by their paths; cgroup_path.h. */

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/string.h>

#include <memsuite/cgroup_path.h>

/* In a namespace of its own it may not: what it calls a path is the end of one. */
static bool caller_sees_root(void)
{
	struct cgroup *root = cgroup_get_from_path("/");
	bool all;

	if (IS_ERR(root))
		return false;
	all = !cgroup_parent(root);
	cgroup_put(root);
	return all;
}

/* Whether the kernel would call a cgroup so that is made there. */
static bool may_become(const char *path)
{
	return path[strlen(path) - 1] != '/' && !strstr(path, "//") && caller_sees_root();
}

struct cgroup *memsuite_cgroup_open(char *path, size_t size, bool later)
{
	struct cgroup *cgroup = cgroup_get_from_path(path);
	int err = 0;

	if (cgroup == ERR_PTR(-ENOENT) && later && may_become(path))
		return NULL;
	if (IS_ERR(cgroup))
		return cgroup;
	if ((size_t)cgroup_path(cgroup, path, size) >= size)
		err = -ENAMETOOLONG;
	else if (strpbrk(path, " \t\n"))
		err = -EINVAL;
	if (!err)
		return cgroup;
	cgroup_put(cgroup);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(memsuite_cgroup_open);
