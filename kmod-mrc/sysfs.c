// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/memsuite/mrc; each file is documented in
 * Documentation/ABI/testing/sysfs-kernel-memsuite-mrc.
 */

#include <linux/err.h>
#include <linux/kobject.h>
#include <linux/sysfs.h>
#include <linux/threads.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "mrc.h"

struct mrc_tunables mrc_tunables = {
	.samples = 4096,
	.ladder_ms = 2000,
	.max_cpu_permille = 5,
};

bool mrc_enabled;
DECLARE_WAIT_QUEUE_HEAD(mrc_changed);

static struct kobject *dir;

static ssize_t enabled_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(mrc_enabled));
}

static ssize_t enabled_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *buf, size_t count)
{
	bool on;
	int err = ms_parse_bool(buf, count, &on);

	if (err)
		return err;
	WRITE_ONCE(mrc_enabled, on);
	wake_up_all(&mrc_changed);
	return count;
}

static ssize_t add_show(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf)
{
	return mrc_targets_list(buf);
}

static ssize_t add_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count)
{
	u64 nr;
	int err = ms_parse_u64(buf, count, 1, PID_MAX_LIMIT, &nr);

	if (!err)
		err = mrc_targets_add(nr);
	return err ?: count;
}

static ssize_t remove_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	u64 nr;
	int err = ms_parse_u64(buf, count, 1, PID_MAX_LIMIT, &nr);

	if (!err)
		err = mrc_targets_remove(nr);
	return err ?: count;
}

struct tunable {
	struct kobj_attribute attr;
	u32 *value;
	u32 min;
	u32 max;
};

static ssize_t tunable_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	struct tunable *tunable = container_of(attr, struct tunable, attr);

	return sysfs_emit(buf, "%u\n", READ_ONCE(*tunable->value));
}

static ssize_t tunable_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *buf, size_t count)
{
	struct tunable *tunable = container_of(attr, struct tunable, attr);
	u64 v;
	int err = ms_parse_u64(buf, count, tunable->min, tunable->max, &v);

	if (err)
		return err;
	WRITE_ONCE(*tunable->value, v);
	return count;
}

static struct tunable samples = {
	__ATTR(samples, 0644, tunable_show, tunable_store),
	&mrc_tunables.samples, MRC_SAMPLES_MIN, MRC_SAMPLES_MAX
};

static struct tunable ladder_ms = {
	__ATTR(ladder_ms, 0644, tunable_show, tunable_store),
	&mrc_tunables.ladder_ms, MRC_LADDER_MS_MIN, MRC_LADDER_MS_MAX
};

static struct tunable max_cpu_permille = {
	__ATTR(max_cpu_permille, 0644, tunable_show, tunable_store),
	&mrc_tunables.max_cpu_permille, 1, 1000
};

static struct kobj_attribute enabled_attr = __ATTR_RW(enabled);
static struct kobj_attribute add_attr = __ATTR_RW_MODE(add, 0600);
static struct kobj_attribute remove_attr = __ATTR(remove, 0200, NULL,
						  remove_store);

static struct attribute *mrc_attrs[] = {
	&enabled_attr.attr,
	&add_attr.attr,
	&remove_attr.attr,
	&samples.attr.attr,
	&ladder_ms.attr.attr,
	&max_cpu_permille.attr.attr,
	NULL
};
ATTRIBUTE_GROUPS(mrc);

/**
 * mrc_sysfs_init() - make the files
 *
 * Return: 0 or an error.
 */
int mrc_sysfs_init(void)
{
	dir = ms_control_add("mrc", mrc_groups);
	return PTR_ERR_OR_ZERO(dir);
}

/**
 * mrc_sysfs_exit() - remove the files, and wait for those who are inside
 */
void mrc_sysfs_exit(void)
{
	ms_control_del(dir);
}
