// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/memsuite/vipzone */

#include <linux/err.h>
#include <linux/string.h>

#include <memsuite/control.h>

#include "vipzone.h"

static struct kobject *dir;

static ssize_t enabled_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%d\n", steering_running());
}

static ssize_t enabled_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *buf, size_t count)
{
	bool enable;
	int err;

	err = ms_parse_bool(buf, count, &enable);
	if (err)
		return err;
	if (enable)
		err = steering_start();
	else
		steering_stop();
	return err ?: count;
}

static ssize_t add_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count)
{
	struct vipzone_command command;
	char line[384];
	int err;

	err = ms_parse_line(buf, count, line, sizeof(line));
	if (!err)
		err = vipzone_parse(line, &command);
	if (!err)
		err = process_add(&command);
	return err ?: count;
}

static ssize_t remove_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	u64 pid;
	int err;

	err = ms_parse_u64(buf, count, 1, PID_MAX_LIMIT, &pid);
	if (!err)
		err = process_remove(pid);
	return err ?: count;
}

static ssize_t steered_pages_show(struct kobject *kobj,
				  struct kobj_attribute *attr, char *buf)
{
	struct steering_stats sum;

	processes_sum(&sum);
	return sysfs_emit(buf, "%llu\n", sum.steered + sum.steered_by_node);
}

static ssize_t fallbacks_show(struct kobject *kobj,
			      struct kobj_attribute *attr, char *buf)
{
	static const char prefix[] = "fallback_";
	struct steering_stats sum;
	int why;

	/* The file is named for the reason. */
	for (why = 0; why < NR_FALLBACKS - 1; why++)
		if (!strcmp(attr->attr.name + sizeof(prefix) - 1,
			    fallback_name[why]))
			break;
	processes_sum(&sum);
	return sysfs_emit(buf, "%llu\n", sum.fallbacks[why]);
}

static ssize_t lost_children_show(struct kobject *kobj,
				  struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", processes_lost());
}

#define fallback_attr(why)						\
static struct kobj_attribute fallback_##why##_attr =			\
	__ATTR(fallback_##why, 0444, fallbacks_show, NULL)

fallback_attr(empty);
fallback_attr(policy);
fallback_attr(cpuset);
fallback_attr(context);
fallback_attr(huge);

static struct kobj_attribute enabled_attr = __ATTR_RW(enabled);
static struct kobj_attribute add_attr = __ATTR_WO(add);
static struct kobj_attribute remove_attr = __ATTR_WO(remove);
static struct kobj_attribute steered_pages_attr = __ATTR_RO(steered_pages);
static struct kobj_attribute lost_children_attr = __ATTR_RO(lost_children);

static struct attribute *vipzone_attrs[] = {
	&enabled_attr.attr, &add_attr.attr, &remove_attr.attr,
	&steered_pages_attr.attr, &lost_children_attr.attr,
	&fallback_empty_attr.attr, &fallback_policy_attr.attr,
	&fallback_cpuset_attr.attr, &fallback_context_attr.attr,
	&fallback_huge_attr.attr, NULL
};
ATTRIBUTE_GROUPS(vipzone);

int vipzone_sysfs_init(void)
{
	dir = ms_control_add("vipzone", vipzone_groups);
	return PTR_ERR_OR_ZERO(dir);
}

void vipzone_sysfs_exit(void)
{
	ms_control_del(dir);
}
