// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/memsuite/vipzone */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <memsuite/control.h>

#include "admin/access_sysfs.h"
#include "admin/policy_set.h"
#include "admin/vipzone_sysfs.h"
#include "audit/audit.h"
#include "audit/entrants.h"
#include "audit/file_arrivals.h"
#include "energy/region_energy.h"
#include "parse/command.h"
#include "policy/arming.h"
#include "policy/policy.h"
#include "policy/process_table.h"
#include "steer/steering.h"
#include "tags/tags.h"

/* The longest line that may be written. */
#define LINE_MAX	640

static struct kobject *dir;

static int steering_enable(bool on)
{
	if (on)
		return vipzone_steering_start();
	vipzone_steering_stop();
	return 0;
}

/* What a policy by technology is about: which regions there are now. */
struct filling {
	struct vipzone_command *command;
	unsigned int kinds;
	int err;
};

/* Persistent memory that is not used as memory has none. */
static bool has_pages(const struct memsuite_region_spec *spec)
{
	unsigned long pfn = PHYS_PFN(spec->start), end = PHYS_PFN(spec->end);

	for (; pfn < end; pfn = ALIGN(pfn + 1, PAGES_PER_SECTION))
		if (pfn_to_online_page(pfn))
			return true;
	return false;
}

static void fill_region(const struct memsuite_region_spec *spec, void *context)
{
	struct filling *filling = context;
	enum memsuite_technology kind = memsuite_technology_of(spec->technology);

	if (filling->err || kind == MEMSUITE_TECHNOLOGY_UNKNOWN || !has_pages(spec))
		return;
	filling->err = vipzone_command_fill(spec->name, kind, filling->command);
	filling->kinds |= BIT(kind);
}

static int command_parse(char *line, struct vipzone_command *command)
{
	const unsigned int both = BIT(MEMSUITE_TECHNOLOGY_DRAM) |
				  BIT(MEMSUITE_TECHNOLOGY_PRAM);
	struct filling filling = { .command = command };
	int err = vipzone_command_parse(line, command);

	if (err || !command->by_technology)
		return err;
	memsuite_regions_each(fill_region, &filling);
	if (filling.err)
		return filling.err;
	if ((filling.kinds & both) == both)
		return 0;
	pr_info_ratelimited("segment: the technology of no region is %s: see regions/*/technology\n",
			    filling.kinds & BIT(MEMSUITE_TECHNOLOGY_DRAM) ? "pram" :
								      "dram");
	return -ENOENT;
}

/* The command is too large for the stack. */
static ssize_t command_run(const char *buf, size_t count,
			   int (*command_parse)(char *line, struct vipzone_command *command),
			   int (*act)(const struct vipzone_command *command))
{
	struct vipzone_command *command = kzalloc(sizeof(*command), GFP_KERNEL);
	char *line = kmalloc(LINE_MAX, GFP_KERNEL);
	int err = -ENOMEM;

	if (command && line)
		err = memsuite_parse_line(buf, count, line, LINE_MAX);
	if (!err)
		err = command_parse(line, command);
	if (!err)
		err = act(command);
	kfree(line);
	kfree(command);
	return err ?: count;
}

static ssize_t add_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count)
{
	return command_run(buf, count, command_parse, vipzone_policy_set);
}

static ssize_t remove_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	return command_run(buf, count, vipzone_command_parse_scope, vipzone_policy_unset);
}

static ssize_t move_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t count)
{
	return command_run(buf, count, vipzone_command_parse_scope, vipzone_policy_move);
}

/* A count, or an array of them, of all policies. */
#define SUM(field)	\
	vipzone_policies_sum(offsetof(struct vipzone_policy_stats, field),	\
			     sizeof_field(struct vipzone_policy_stats, field) / sizeof(u64))

MEMSUITE_ATTR_SWITCH(enabled, vipzone_arming_is_on(), steering_enable);
static struct kobj_attribute add_attr = __ATTR_WO(add);
static struct kobj_attribute remove_attr = __ATTR_WO(remove);
static struct kobj_attribute move_attr = __ATTR_WO(move);
MEMSUITE_ATTR_NUMBER_RO(steered_pages, SUM(placed) + SUM(by_node));
MEMSUITE_ATTR_NUMBER_RO(kernel_pages, SUM(kernel));
MEMSUITE_ATTR_NUMBER_RO(swapped_in_pages, SUM(swapped_in));
MEMSUITE_ATTR_NUMBER_RO(collapsed_pages, SUM(collapsed));
MEMSUITE_ATTR_NUMBER_RO(yielded_pages, SUM(yielded));
MEMSUITE_ATTR_NUMBER_RO(next_pages, SUM(next));
MEMSUITE_ATTR_NUMBER_RO(lost_children, vipzone_processes_lost());
MEMSUITE_ATTR_NUMBER_RO(waiting_entrants, vipzone_entrants_waiting());
MEMSUITE_ATTR_NUMBER_RO(moved_entrants, vipzone_entrants_moved());
MEMSUITE_ATTR_NUMBER_RO(retried_entrants, vipzone_entrants_retried());
MEMSUITE_ATTR_NUMBER_RO(lost_entrants, vipzone_entrants_lost());
MEMSUITE_ATTR_NUMBER_RO(lost_arrival_pages, vipzone_file_arrivals_lost());
MEMSUITE_ATTR_NUMBER_RO(tagged_processes, vipzone_tags_processes());
MEMSUITE_ATTR_NUMBER_RO(lost_tags, vipzone_tags_lost());
MEMSUITE_ATTR_NUMBER_RO(fallback_empty, SUM(fallbacks[VIPZONE_FALLBACK_EMPTY]));
MEMSUITE_ATTR_NUMBER_RO(fallback_policy, SUM(fallbacks[VIPZONE_FALLBACK_POLICY]));
MEMSUITE_ATTR_NUMBER_RO(fallback_cpuset, SUM(fallbacks[VIPZONE_FALLBACK_CPUSET]));
MEMSUITE_ATTR_NUMBER_RO(fallback_context, SUM(fallbacks[VIPZONE_FALLBACK_CONTEXT]));
MEMSUITE_ATTR_NUMBER_RO(fallback_huge, SUM(fallbacks[VIPZONE_FALLBACK_HUGE]));
MEMSUITE_ATTR_NUMBER_RO(fallback_wear, SUM(fallbacks[VIPZONE_FALLBACK_WEAR]));
MEMSUITE_ATTR_NUMBER_RO(moved_pages, SUM(moves[MEMSUITE_MIGRATED]));
MEMSUITE_ATTR_NUMBER_RO(unmoved_busy_pages, SUM(moves[MEMSUITE_MIGRATE_BUSY]));
MEMSUITE_ATTR_NUMBER_RO(unmoved_pinned_pages, SUM(moves[MEMSUITE_MIGRATE_PINNED]));
MEMSUITE_ATTR_NUMBER_RO(unmoved_full_pages, SUM(moves[MEMSUITE_MIGRATE_FULL]));
MEMSUITE_ATTR_NUMBER_RO(unmoved_gone_pages, SUM(moves[MEMSUITE_MIGRATE_GONE]));
MEMSUITE_ATTR_NUMBER_RO(unmoved_shared_pages, SUM(moves[VIPZONE_MOVE_SHARED]));
MEMSUITE_ATTR_NUMBER_RO(unmoved_policy_pages, SUM(moves[VIPZONE_MOVE_POLICY]));
MEMSUITE_ATTR_NUMBER_RO(unmoved_cpuset_pages, SUM(moves[VIPZONE_MOVE_CPUSET]));

static struct attribute *vipzone_attrs[] = {
	&enabled_attr.attr, &add_attr.attr, &remove_attr.attr,
	&move_attr.attr,
	&steered_pages_attr.attr, &kernel_pages_attr.attr,
	&swapped_in_pages_attr.attr, &collapsed_pages_attr.attr,
	&yielded_pages_attr.attr, &next_pages_attr.attr, &lost_children_attr.attr,
	&waiting_entrants_attr.attr, &moved_entrants_attr.attr,
	&retried_entrants_attr.attr, &lost_entrants_attr.attr,
	&lost_arrival_pages_attr.attr,
	&tagged_processes_attr.attr, &lost_tags_attr.attr,
	&fallback_empty_attr.attr, &fallback_policy_attr.attr,
	&fallback_cpuset_attr.attr, &fallback_context_attr.attr,
	&fallback_huge_attr.attr, &fallback_wear_attr.attr,
	&moved_pages_attr.attr, &unmoved_busy_pages_attr.attr,
	&unmoved_pinned_pages_attr.attr, &unmoved_full_pages_attr.attr,
	&unmoved_gone_pages_attr.attr, &unmoved_shared_pages_attr.attr,
	&unmoved_policy_pages_attr.attr, &unmoved_cpuset_pages_attr.attr, NULL
};

static const struct attribute_group vipzone_group = { .attrs = vipzone_attrs };

static const struct attribute_group *vipzone_groups[] = {
	&vipzone_group, &vipzone_audit_group, &vipzone_access_group, NULL
};

int vipzone_sysfs_init(void)
{
	int err;

	dir = memsuite_control_add("vipzone", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	err = vipzone_region_energy_init(dir);
	if (!err)
		err = vipzone_policies_init(dir);
	if (!err)
		err = sysfs_create_groups(dir, vipzone_groups);
	if (!err)
		return 0;
	vipzone_policies_exit();
	vipzone_region_energy_exit();
	memsuite_control_del(dir);
	return err;
}

void vipzone_sysfs_close(void)
{
	sysfs_remove_groups(dir, vipzone_groups);
}

void vipzone_sysfs_exit(void)
{
	vipzone_policies_exit();
	vipzone_region_energy_exit();
	memsuite_control_del(dir);
}
