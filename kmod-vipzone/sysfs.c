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

static ssize_t move_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t count)
{
	u64 pid;
	int err;

	err = ms_parse_u64(buf, count, 1, PID_MAX_LIMIT, &pid);
	if (!err)
		err = process_move(pid);
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

static ssize_t moves_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	struct steering_stats sum;
	int what;

	/* The file is named for the outcome, and "_pages". */
	for (what = 0; what < NR_MOVES - 1; what++)
		if (str_has_prefix(attr->attr.name, move_name[what]))
			break;
	processes_sum(&sum);
	return sysfs_emit(buf, "%llu\n", sum.moves[what]);
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

#define move_attr(what)							\
static struct kobj_attribute what##_pages_attr =			\
	__ATTR(what##_pages, 0444, moves_show, NULL)

move_attr(moved);
move_attr(unmoved_busy);
move_attr(unmoved_pinned);
move_attr(unmoved_full);
move_attr(unmoved_gone);
move_attr(unmoved_shared);
move_attr(unmoved_policy);
move_attr(unmoved_cpuset);

static struct kobj_attribute enabled_attr = __ATTR_RW(enabled);
static struct kobj_attribute add_attr = __ATTR_WO(add);
static struct kobj_attribute remove_attr = __ATTR_WO(remove);
static struct kobj_attribute move_attr = __ATTR_WO(move);
static struct kobj_attribute steered_pages_attr = __ATTR_RO(steered_pages);
static struct kobj_attribute lost_children_attr = __ATTR_RO(lost_children);

static struct attribute *vipzone_attrs[] = {
	&enabled_attr.attr, &add_attr.attr, &remove_attr.attr,
	&move_attr.attr,
	&steered_pages_attr.attr, &lost_children_attr.attr,
	&fallback_empty_attr.attr, &fallback_policy_attr.attr,
	&fallback_cpuset_attr.attr, &fallback_context_attr.attr,
	&fallback_huge_attr.attr,
	&moved_pages_attr.attr, &unmoved_busy_pages_attr.attr,
	&unmoved_pinned_pages_attr.attr, &unmoved_full_pages_attr.attr,
	&unmoved_gone_pages_attr.attr, &unmoved_shared_pages_attr.attr,
	&unmoved_policy_pages_attr.attr, &unmoved_cpuset_pages_attr.attr, NULL
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
