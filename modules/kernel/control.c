// SPDX-License-Identifier: GPL-2.0-only
/* The control plane: sysfs and debugfs roots, and the parsing of writes. */

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "core.h"

static struct kobject *root;
static struct dentry *debugfs_root;

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%s\n", MEMSUITE_VERSION);
}

static struct kobj_attribute version_attr = __ATTR_RO(version);

int memsuite_control_init(void)
{
	int err;

	root = kobject_create_and_add("memsuite", kernel_kobj);
	if (!root)
		return -ENOMEM;
	err = sysfs_create_file(root, &version_attr.attr);
	if (err) {
		kobject_put(root);
		return err;
	}
	debugfs_root = debugfs_create_dir("memsuite", NULL);
	return 0;
}

void memsuite_control_exit(void)
{
	debugfs_remove_recursive(debugfs_root);
	kobject_put(root);
}

struct kobject *memsuite_control_add(const char *name,
				     const struct attribute_group **groups)
{
	struct kobject *dir = kobject_create_and_add(name, root);
	int err;

	if (!dir)
		return ERR_PTR(-ENOMEM);
	err = groups ? sysfs_create_groups(dir, groups) : 0;
	if (err) {
		kobject_put(dir);
		return ERR_PTR(err);
	}
	return dir;
}
EXPORT_SYMBOL_GPL(memsuite_control_add);

void memsuite_control_del(struct kobject *dir)
{
	if (!dir)
		return;
	/* Removing the directory waits for whoever is inside a file of it. */
	kobject_del(dir);
	kobject_put(dir);
}
EXPORT_SYMBOL_GPL(memsuite_control_del);

struct dentry *memsuite_debugfs_add(const char *name)
{
	return debugfs_create_dir(name, debugfs_root);
}
EXPORT_SYMBOL_GPL(memsuite_debugfs_add);

int memsuite_parse_u64(const char *buf, size_t count, u64 min, u64 max, u64 *value)
{
	u64 v;
	int err;

	if (strnlen(buf, count) != count)
		return -EINVAL;
	err = kstrtou64(buf, 0, &v);
	if (err)
		return err;
	if (v < min || v > max)
		return -ERANGE;
	*value = v;
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_parse_u64);

int memsuite_parse_bool(const char *buf, size_t count, bool *value)
{
	u64 v;

	if (memsuite_parse_u64(buf, count, 0, 1, &v))
		return -EINVAL;
	*value = v;
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_parse_bool);

int memsuite_parse_line(const char *buf, size_t count, char *line, size_t size)
{
	size_t i;

	while (count && isspace(buf[count - 1]))
		count--;
	while (count && isspace(*buf)) {
		buf++;
		count--;
	}
	if (!count)
		return -EINVAL;
	if (count >= size)
		return -E2BIG;
	for (i = 0; i < count; i++)
		if (!isprint(buf[i]))
			return -EINVAL;
	memcpy(line, buf, count);
	line[count] = '\0';
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_parse_line);
