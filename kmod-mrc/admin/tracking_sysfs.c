// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/memsuite/mrc; each file is documented in
 * Documentation/ABI/testing/sysfs-kernel-memsuite-mrc.
 */

#include <linux/err.h>
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "admin/commands.h"
#include "admin/division_sysfs.h"
#include "admin/tracking_sysfs.h"
#include "admin/watch.h"
#include "target/descendants.h"
#include "target/target_parse.h"
#include "target/tunables.h"
#include "track/pmu.h"
#include "track/protect.h"

static struct kobject *tracking_dir;

/* Of one line, whatever its length: what is not a target is no target. */
static char *line_copy(const char *buf, size_t count)
{
	char *line = kmalloc(count + 1, GFP_KERNEL);
	int err = line ? memsuite_parse_line(buf, count, line, count + 1) : -ENOMEM;

	if (!err)
		return line;
	kfree(line);
	return ERR_PTR(err);
}

static ssize_t command_obey(const char *buf, size_t count,
			    int (*act)(const struct mrc_target_spec *spec))
{
	char *line = line_copy(buf, count);
	struct mrc_target_spec spec;
	int err;

	if (IS_ERR(line))
		return PTR_ERR(line);
	err = mrc_target_parse_line(line, &spec);
	if (!err)
		err = act(&spec);
	kfree(line);
	return err ?: count;
}

static const char * const modes[] = {
	[MRC_MODE_LADDER] = "ladder",
	[MRC_MODE_PAPER] = "paper",
	[MRC_MODE_SAMPLES] = "samples",
};

static ssize_t mode_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%s\n", modes[READ_ONCE(mrc_tunables.mode)]);
}

static int mode_usable(enum mrc_mode mode)
{
	switch (mode) {
	case MRC_MODE_PAPER:
		return mrc_protect_usable();
	case MRC_MODE_SAMPLES:
		return mrc_pmu_usable();
	default:
		return 0;
	}
}

static ssize_t mode_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t count)
{
	int mode = sysfs_match_string(modes, buf);
	int err;

	if (mode < 0)
		return mode;
	err = mode_usable(mode);
	if (err)
		return err;
	WRITE_ONCE(mrc_tunables.mode, mode);
	wake_up_all(&mrc_changed);
	return count;
}

static ssize_t add_show(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf)
{
	return mrc_command_list(buf);
}

static ssize_t add_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count)
{
	return command_obey(buf, count, mrc_command_add);
}

static ssize_t remove_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	return command_obey(buf, count, mrc_command_remove);
}

static ssize_t accesses_per_s_store(struct kobject *kobj,
				    struct kobj_attribute *attr,
				    const char *buf, size_t count)
{
	char *line = line_copy(buf, count);
	struct mrc_target_spec spec;
	u64 per_s;
	int err;

	if (IS_ERR(line))
		return PTR_ERR(line);
	err = mrc_target_parse_rate(line, &spec, &per_s);
	if (!err)
		err = mrc_command_accesses(&spec, per_s);
	kfree(line);
	return err ?: count;
}

static ssize_t sample_event_show(struct kobject *kobj,
				 struct kobj_attribute *attr, char *buf)
{
	struct memsuite_perf_event event;

	mrc_pmu_get(&event);
	return memsuite_perf_event_show(&event, buf);
}

static ssize_t sample_event_store(struct kobject *kobj,
				  struct kobj_attribute *attr,
				  const char *buf, size_t count)
{
	struct memsuite_perf_event event;
	int err = memsuite_perf_event_store(buf, count, &event);

	if (!err)
		err = mrc_pmu_set(&event);
	return err ?: count;
}

static ssize_t contention_source_show(struct kobject *kobj,
				      struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", mrc_watch_source());
}

MEMSUITE_ATTR_SWITCH(enabled, mrc_watch_enabled(), mrc_watch_enable);
static struct kobj_attribute add_attr = __ATTR_RW_MODE(add, 0600);
static struct kobj_attribute remove_attr = __ATTR_WO(remove);
static struct kobj_attribute accesses_per_s_attr = __ATTR_WO(accesses_per_s);
static struct kobj_attribute mode_attr = __ATTR_RW(mode);
MEMSUITE_ATTR_NUMBER(epoch_ms, mrc_tunables.epoch_ms, 1, MRC_EPOCH_MS_MAX);
MEMSUITE_ATTR_NUMBER(group_pages, mrc_tunables.group_pages, 1, MRC_GROUP_PAGES_MAX);
static struct kobj_attribute sample_event_attr = __ATTR_RW(sample_event);
MEMSUITE_ATTR_NUMBER(sample_period, mrc_sample_period, 1, MRC_SAMPLE_PERIOD_MAX);
MEMSUITE_ATTR_NUMBER(samples, mrc_tunables.samples, MRC_SAMPLES_MIN, MRC_SAMPLES_MAX);
MEMSUITE_ATTR_NUMBER(ladder_ms, mrc_tunables.ladder_ms, MRC_LADDER_MS_MIN,
		     MRC_LADDER_MS_MAX);
MEMSUITE_ATTR_NUMBER(max_cpu_permille, mrc_tunables.max_cpu_permille, 1, 1000);
MEMSUITE_ATTR_NUMBER(total_cpu_permille, mrc_tunables.total_cpu_permille, 1, 1000);
MEMSUITE_ATTR_NUMBER(change_pct, mrc_tunables.change_pct, 0, 100);
MEMSUITE_ATTR_NUMBER_RO(changes, mrc_changes_count());
MEMSUITE_ATTR_NUMBER_RO(lost_children, mrc_descendants_lost());
MEMSUITE_ATTR_SWITCH(contended_only, READ_ONCE(mrc_contention.only),
		     mrc_watch_contended_only);
MEMSUITE_ATTR_NUMBER_RO(contended, READ_ONCE(mrc_contention.now));
static struct kobj_attribute contention_source_attr = __ATTR_RO(contention_source);
MEMSUITE_ATTR_NUMBER(contention_pressure_pct, mrc_contention.pressure_pct, 0, 100);
MEMSUITE_ATTR_NUMBER(contention_available_pct, mrc_contention.available_pct, 0, 100);

static struct attribute *tracking_attrs[] = {
	&enabled_attr.attr,
	&add_attr.attr,
	&remove_attr.attr,
	&mode_attr.attr,
	&epoch_ms_attr.attr,
	&group_pages_attr.attr,
	&samples_attr.attr,
	&sample_event_attr.attr,
	&sample_period_attr.attr,
	&ladder_ms_attr.attr,
	&max_cpu_permille_attr.attr,
	&total_cpu_permille_attr.attr,
	&accesses_per_s_attr.attr,
	&change_pct_attr.attr,
	&changes_attr.attr,
	&lost_children_attr.attr,
	&contended_only_attr.attr,
	&contended_attr.attr,
	&contention_source_attr.attr,
	&contention_pressure_pct_attr.attr,
	&contention_available_pct_attr.attr,
	NULL
};

static const struct attribute_group tracking_group = {
	.attrs = tracking_attrs,
};

static const struct attribute_group *tracking_groups[] = {
	&tracking_group,
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
	tracking_dir = memsuite_control_add("mrc", tracking_groups);
	if (IS_ERR(tracking_dir))
		return PTR_ERR(tracking_dir);
	mrc_changes_set_dir(tracking_dir);
	return 0;
}

/**
 * mrc_sysfs_exit() - remove the files, and wait for those who are inside
 */
void mrc_sysfs_exit(void)
{
	mrc_changes_set_dir(NULL);
	memsuite_control_del(tracking_dir);
}
