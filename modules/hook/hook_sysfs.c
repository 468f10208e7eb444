// SPDX-License-Identifier: GPL-2.0-only
/* The files of hook points, /sys/kernel/memsuite/hooks. */

#include <linux/err.h>
#include <linux/kobject.h>
#include <linux/percpu.h>
#include <linux/sysfs.h>

#include <memsuite/control.h>

#include "hook/hook_points.h"
#include "hook/hook_private.h"
#include "hook/hook_sysfs.h"

static struct kobject *hooks_dir;

static struct memsuite_hook_state *hook_of(struct kobject *dir)
{
	int i;

	for (i = 0; i < MEMSUITE_NR_HOOK_POINTS - 1; i++)
		if (memsuite_hook_states[i].dir == dir)
			break;
	return &memsuite_hook_states[i];
}

MEMSUITE_ATTR_RO(state, "%s", hook_of(kobj)->state);
MEMSUITE_ATTR_RO(symbol, "%s", hook_of(kobj)->symbol ?: "none");
MEMSUITE_ATTR_NUMBER_RO(hits, memsuite_stat_sum(hook_of(kobj)->stats, hits));
MEMSUITE_ATTR_NUMBER_RO(missed, memsuite_stat_sum(hook_of(kobj)->stats, missed));

static struct attribute *point_attrs[] = {
	&state_attr.attr, &symbol_attr.attr, &hits_attr.attr,
	&missed_attr.attr, NULL
};
ATTRIBUTE_GROUPS(point);

static int hook_point_init(enum memsuite_hook_point_id id)
{
	struct memsuite_hook_state *point = &memsuite_hook_states[id];
	int err;

	point->stats = alloc_percpu(struct memsuite_hook_stats);
	if (!point->stats)
		return -ENOMEM;
	point->state = memsuite_hook_find(id) ? "unsupported" : "off";
	point->dir = kobject_create_and_add(memsuite_hook_points[id].name, hooks_dir);
	if (!point->dir)
		return -ENOMEM;
	err = sysfs_create_groups(point->dir, point_groups);
	return err;
}

void memsuite_hooks_exit(void)
{
	int i;

	for (i = 0; i < MEMSUITE_NR_HOOK_POINTS; i++) {
		memsuite_control_del(memsuite_hook_states[i].dir);
		free_percpu(memsuite_hook_states[i].stats);
	}
	memsuite_control_del(hooks_dir);
}

int memsuite_hooks_init(void)
{
	int i, err;

	hooks_dir = memsuite_control_add("hooks", NULL);
	if (IS_ERR(hooks_dir))
		return PTR_ERR(hooks_dir);
	for (i = 0; i < MEMSUITE_NR_HOOK_POINTS; i++) {
		err = hook_point_init(i);
		if (err) {
			memsuite_hooks_exit();
			return err;
		}
	}
	return 0;
}
