// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/memsuite/vipzone */

#include <linux/err.h>

#include <memsuite/control.h>

#include "vipzone.h"

static struct kobject *dir;

static int enable(bool on)
{
	if (on)
		return steering_start();
	steering_stop();
	return 0;
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

static u64 steered(void)
{
	struct steering_stats sum;

	processes_sum(&sum);
	return sum.steered + sum.steered_by_node;
}

static u64 fallbacks(enum fallback why)
{
	struct steering_stats sum;

	processes_sum(&sum);
	return sum.fallbacks[why];
}

static u64 moves(int outcome)
{
	struct steering_stats sum;

	processes_sum(&sum);
	return sum.moves[outcome];
}

MS_ATTR_SWITCH(enabled, steering_running(), enable);
static struct kobj_attribute add_attr = __ATTR_WO(add);
MS_ATTR_COMMAND(remove, process_remove, 1, PID_MAX_LIMIT);
MS_ATTR_COMMAND(move, process_move, 1, PID_MAX_LIMIT);
MS_ATTR_NUMBER_RO(steered_pages, steered());
MS_ATTR_NUMBER_RO(lost_children, processes_lost());
MS_ATTR_NUMBER_RO(fallback_empty, fallbacks(FALLBACK_EMPTY));
MS_ATTR_NUMBER_RO(fallback_policy, fallbacks(FALLBACK_POLICY));
MS_ATTR_NUMBER_RO(fallback_cpuset, fallbacks(FALLBACK_CPUSET));
MS_ATTR_NUMBER_RO(fallback_context, fallbacks(FALLBACK_CONTEXT));
MS_ATTR_NUMBER_RO(fallback_huge, fallbacks(FALLBACK_HUGE));
MS_ATTR_NUMBER_RO(moved_pages, moves(MS_MOVED));
MS_ATTR_NUMBER_RO(unmoved_busy_pages, moves(MS_MOVE_BUSY));
MS_ATTR_NUMBER_RO(unmoved_pinned_pages, moves(MS_MOVE_PINNED));
MS_ATTR_NUMBER_RO(unmoved_full_pages, moves(MS_MOVE_FULL));
MS_ATTR_NUMBER_RO(unmoved_gone_pages, moves(MS_MOVE_GONE));
MS_ATTR_NUMBER_RO(unmoved_shared_pages, moves(MOVE_SHARED));
MS_ATTR_NUMBER_RO(unmoved_policy_pages, moves(MOVE_POLICY));
MS_ATTR_NUMBER_RO(unmoved_cpuset_pages, moves(MOVE_CPUSET));

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
