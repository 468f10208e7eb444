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

static int enable(bool on)
{
	WRITE_ONCE(mrc_enabled, on);
	wake_up_all(&mrc_changed);
	return 0;
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

MS_ATTR_SWITCH(enabled, READ_ONCE(mrc_enabled), enable);
static struct kobj_attribute add_attr = __ATTR_RW_MODE(add, 0600);
MS_ATTR_COMMAND(remove, mrc_targets_remove, 1, PID_MAX_LIMIT);
MS_ATTR_NUMBER(samples, mrc_tunables.samples, MRC_SAMPLES_MIN, MRC_SAMPLES_MAX);
MS_ATTR_NUMBER(ladder_ms, mrc_tunables.ladder_ms, MRC_LADDER_MS_MIN,
	       MRC_LADDER_MS_MAX);
MS_ATTR_NUMBER(max_cpu_permille, mrc_tunables.max_cpu_permille, 1, 1000);

static struct attribute *mrc_attrs[] = {
	&enabled_attr.attr,
	&add_attr.attr,
	&remove_attr.attr,
	&samples_attr.attr,
	&ladder_ms_attr.attr,
	&max_cpu_permille_attr.attr,
	NULL
};

static const struct attribute_group mrc_group = {
	.attrs = mrc_attrs,
};

static const struct attribute_group *mrc_groups[] = {
	&mrc_group,
	&mrc_division_group,
	NULL
};

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
