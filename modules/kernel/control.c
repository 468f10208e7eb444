// SPDX-License-Identifier: GPL-2.0-only
/* The control plane: the roots in sysfs and debugfs. */

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "kernel/control_private.h"

static struct kobject *root;
static struct dentry *debugfs_root;

MEMSUITE_ATTR_RO(version, "%s", MEMSUITE_VERSION);

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

static ssize_t file_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	return kobj_sysfs_ops.show(kobj, attr, buf);
}

static ssize_t file_store(struct kobject *kobj, struct attribute *attr,
			  const char *buf, size_t count)
{
	return capable(CAP_SYS_ADMIN) ? kobj_sysfs_ops.store(kobj, attr, buf, count) : -EPERM;
}

const struct sysfs_ops memsuite_sysfs_ops = {
	.show = file_show,
	.store = file_store,
};
EXPORT_SYMBOL_GPL(memsuite_sysfs_ops);

static void control_release(struct kobject *kobj)
{
	kfree(kobj);
}

static struct kobj_type control_type = {
	.sysfs_ops = &memsuite_sysfs_ops,
	.release = control_release,
};

struct kobject *memsuite_control_add(const char *name,
				     const struct attribute_group **groups)
{
	struct kobject *dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	int err;

	if (!dir)
		return ERR_PTR(-ENOMEM);
	err = kobject_init_and_add(dir, &control_type, root, "%s", name);
	if (!err && groups)
		err = sysfs_create_groups(dir, groups);
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

umode_t memsuite_attr_admin(struct kobject *kobj, struct attribute *attr, int index)
{
	return attr->mode & 0700;
}
EXPORT_SYMBOL_GPL(memsuite_attr_admin);

struct dentry *memsuite_debugfs_add(const char *name)
{
	return debugfs_create_dir(name, debugfs_root);
}
EXPORT_SYMBOL_GPL(memsuite_debugfs_add);
