// SPDX-License-Identifier: GPL-2.0-only
/* The files of a policy, /sys/kernel/memsuite/vipzone/policies/NUMBER. */

#include <linux/kobject.h>
#include <linux/percpu.h>
#include <linux/sysfs.h>

#include <memsuite/control.h>

#include "policy/policy_sysfs.h"

static struct vipzone_policy *to_policy(struct kobject *kobj)
{
	return container_of(kobj, struct vipzone_policy, kobj);
}

void vipzone_policy_stats_add(struct vipzone_policy_stats *sum,
			      const struct vipzone_policy *policy)
{
	const size_t nr = sizeof(*sum) / sizeof(u64);
	u64 *to = (u64 *)sum;
	size_t i;
	int cpu;

	for_each_possible_cpu(cpu) {
		const u64 *from = (u64 *)per_cpu_ptr(policy->stats, cpu);

		for (i = 0; i < nr; i++)
			to[i] += READ_ONCE(from[i]);
	}
}

static ssize_t who_show(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf)
{
	const struct vipzone_command *command = &to_policy(kobj)->command;

	switch (command->scope) {
	case VIPZONE_SCOPE_MACHINE:
		return sysfs_emit(buf, "machine\n");
	case VIPZONE_SCOPE_CGROUP:
		return sysfs_emit(buf, "cgroup:%s\n", command->path);
	case VIPZONE_SCOPE_FILE:
		return sysfs_emit(buf, "file:%s\n", command->path);
	default:
		return sysfs_emit(buf, "%d\n", command->pid);
	}
}

static ssize_t file_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	const struct vipzone_policy *policy = to_policy(kobj);
	const struct vipzone_file *file = &policy->file;

	if (policy->command.scope != VIPZONE_SCOPE_FILE)
		return sysfs_emit(buf, "-\n");
	return sysfs_emit(buf, "%u:%u %llu%s\n", MAJOR(file->dev), MINOR(file->dev), file->ino,
			  file->all ? " all" : "");
}

static ssize_t policy_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n", to_policy(kobj)->command.policy);
}

/* An option of the policy. */
#define option_attr(name)						\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%d\n", to_policy(kobj)->command.name);	\
}									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

option_attr(children);
option_attr(heat);
option_attr(move);
option_attr(wear);
option_attr(programs);

/* What it is for is a user too, unless it is a process. */
static ssize_t processes_show(struct kobject *kobj, struct kobj_attribute *attr,
			      char *buf)
{
	const struct vipzone_policy *policy = to_policy(kobj);
	unsigned int users = refcount_read(&policy->users);

	if (policy->command.scope != VIPZONE_SCOPE_PROCESS && users)
		users--;
	return sysfs_emit(buf, "%u\n", users);
}

/**
 * struct stats_file - a file with a count of pages or faults
 * @attr: the file
 * @show: which count
 */
struct stats_file {
	struct kobj_attribute attr;
	u64 (*show)(const struct vipzone_policy_stats *sum);
};

static ssize_t count_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	struct stats_file *count = container_of(attr, struct stats_file, attr);
	struct vipzone_policy_stats sum = {};

	vipzone_policy_stats_add(&sum, to_policy(kobj));
	return sysfs_emit(buf, "%llu\n", count->show(&sum));
}

#define COUNT(name, value)						\
static u64 name##_of(const struct vipzone_policy_stats *sum)		\
{									\
	return value;							\
}									\
static struct stats_file name##_count = {				\
	.attr = __ATTR(name, 0444, count_show, NULL),			\
	.show = name##_of,						\
}

#define PLACED(segment)	(sum->placed[segment] + sum->by_node[segment])
#define COUNTED(kind)	(sum->accesses.counted[kind] + sum->elsewhere[kind])
#define ELSEWHERE	(sum->elsewhere[VIPZONE_ACCESS_READ] + sum->elsewhere[VIPZONE_ACCESS_WRITE])

COUNT(text_pages, PLACED(VIPZONE_SEGMENT_TEXT));
COUNT(data_pages, PLACED(VIPZONE_SEGMENT_DATA));
COUNT(bss_pages, PLACED(VIPZONE_SEGMENT_BSS));
COUNT(brk_pages, PLACED(VIPZONE_SEGMENT_BRK));
COUNT(stack_pages, PLACED(VIPZONE_SEGMENT_STACK));
COUNT(mmap_pages, PLACED(VIPZONE_SEGMENT_MMAP));
COUNT(shared_pages, PLACED(VIPZONE_SEGMENT_SHARED));
COUNT(file_pages, PLACED(VIPZONE_SEGMENT_FILE));
COUNT(cache_pages, PLACED(VIPZONE_SEGMENT_CACHE));
COUNT(kernel_pages, sum->kernel);
COUNT(swapped_in_pages, sum->swapped_in);
COUNT(collapsed_pages, sum->collapsed);
COUNT(yielded_pages, sum->yielded);
COUNT(next_pages, sum->next);
COUNT(fallback_empty, sum->fallbacks[VIPZONE_FALLBACK_EMPTY]);
COUNT(fallback_policy, sum->fallbacks[VIPZONE_FALLBACK_POLICY]);
COUNT(fallback_cpuset, sum->fallbacks[VIPZONE_FALLBACK_CPUSET]);
COUNT(fallback_context, sum->fallbacks[VIPZONE_FALLBACK_CONTEXT]);
COUNT(fallback_huge, sum->fallbacks[VIPZONE_FALLBACK_HUGE]);
COUNT(fallback_wear, sum->fallbacks[VIPZONE_FALLBACK_WEAR]);
COUNT(looked_pages, sum->looked);
COUNT(astray_shared_pages, sum->astray[VIPZONE_ASTRAY_SHARED]);
COUNT(astray_huge_pages, sum->astray[VIPZONE_ASTRAY_HUGE]);
COUNT(astray_node_pages, sum->astray[VIPZONE_ASTRAY_NODE]);
COUNT(astray_near_pages, sum->astray[VIPZONE_ASTRAY_NEAR]);
COUNT(repaired_pages, sum->whys[VIPZONE_MOVE_REPAIR]);
COUNT(entered_moved_pages, sum->whys[VIPZONE_MOVE_ENTERED]);
COUNT(hot_moved_pages, sum->whys[VIPZONE_MOVE_HOT]);
COUNT(idle_moved_pages, sum->whys[VIPZONE_MOVE_IDLE]);
COUNT(outranked_moved_pages, sum->whys[VIPZONE_MOVE_OUTRANKED]);
COUNT(worn_moved_pages, sum->whys[VIPZONE_MOVE_WORN]);
COUNT(sampled_reads, sum->accesses.touched[VIPZONE_ACCESS_READ]);
COUNT(sampled_writes, sum->accesses.touched[VIPZONE_ACCESS_WRITE]);
COUNT(counted_reads, COUNTED(VIPZONE_ACCESS_READ));
COUNT(counted_writes, COUNTED(VIPZONE_ACCESS_WRITE));
COUNT(counted_elsewhere, ELSEWHERE);
COUNT(access_error_nj, sum->accesses.error_nj);
COUNT(access_energy_nj, sum->accesses.energy_nj);
COUNT(access_latency_ns, sum->accesses.latency_ns);
COUNT(moved_pages, sum->moves[MEMSUITE_MIGRATED]);
COUNT(unmoved_busy_pages, sum->moves[MEMSUITE_MIGRATE_BUSY]);
COUNT(unmoved_pinned_pages, sum->moves[MEMSUITE_MIGRATE_PINNED]);
COUNT(unmoved_full_pages, sum->moves[MEMSUITE_MIGRATE_FULL]);
COUNT(unmoved_gone_pages, sum->moves[MEMSUITE_MIGRATE_GONE]);
COUNT(unmoved_shared_pages, sum->moves[VIPZONE_MOVE_SHARED]);
COUNT(unmoved_policy_pages, sum->moves[VIPZONE_MOVE_POLICY]);
COUNT(unmoved_cpuset_pages, sum->moves[VIPZONE_MOVE_CPUSET]);

static struct kobj_attribute who_attr = __ATTR_RO(who);
static struct kobj_attribute file_attr = __ATTR_RO(file);
static struct kobj_attribute policy_attr = __ATTR_RO(policy);
static struct kobj_attribute processes_attr = __ATTR_RO(processes);

static struct attribute *policy_attrs[] = {
	&who_attr.attr, &file_attr.attr, &policy_attr.attr, &children_attr.attr,
	&heat_attr.attr, &move_attr.attr, &wear_attr.attr, &programs_attr.attr,
	&processes_attr.attr,
	&text_pages_count.attr.attr, &data_pages_count.attr.attr,
	&bss_pages_count.attr.attr, &brk_pages_count.attr.attr,
	&stack_pages_count.attr.attr, &mmap_pages_count.attr.attr,
	&shared_pages_count.attr.attr,
	&file_pages_count.attr.attr, &cache_pages_count.attr.attr,
	&kernel_pages_count.attr.attr, &yielded_pages_count.attr.attr,
	&next_pages_count.attr.attr,
	&swapped_in_pages_count.attr.attr, &collapsed_pages_count.attr.attr,
	&fallback_empty_count.attr.attr, &fallback_policy_count.attr.attr,
	&fallback_cpuset_count.attr.attr, &fallback_context_count.attr.attr,
	&fallback_huge_count.attr.attr, &fallback_wear_count.attr.attr,
	&looked_pages_count.attr.attr,
	&astray_shared_pages_count.attr.attr,
	&astray_huge_pages_count.attr.attr,
	&astray_node_pages_count.attr.attr,
	&astray_near_pages_count.attr.attr, &repaired_pages_count.attr.attr,
	&entered_moved_pages_count.attr.attr,
	&hot_moved_pages_count.attr.attr, &idle_moved_pages_count.attr.attr,
	&outranked_moved_pages_count.attr.attr,
	&worn_moved_pages_count.attr.attr,
	&sampled_reads_count.attr.attr, &sampled_writes_count.attr.attr,
	&counted_reads_count.attr.attr, &counted_writes_count.attr.attr,
	&counted_elsewhere_count.attr.attr,
	&access_energy_nj_count.attr.attr, &access_error_nj_count.attr.attr,
	&access_latency_ns_count.attr.attr,
	&moved_pages_count.attr.attr, &unmoved_busy_pages_count.attr.attr,
	&unmoved_pinned_pages_count.attr.attr,
	&unmoved_full_pages_count.attr.attr,
	&unmoved_gone_pages_count.attr.attr,
	&unmoved_shared_pages_count.attr.attr,
	&unmoved_policy_pages_count.attr.attr,
	&unmoved_cpuset_pages_count.attr.attr, NULL
};

static const struct attribute_group policy_group = {
	.attrs = policy_attrs,
	.is_visible = memsuite_attr_admin,
};

const struct attribute_group *vipzone_policy_groups[] = { &policy_group, NULL };
