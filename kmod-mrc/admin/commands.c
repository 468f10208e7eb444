// SPDX-License-Identifier: GPL-2.0-only
/* What is written to the files add, remove and accesses_per_s: of processes and of groups. */

#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "admin/commands.h"
#include "admin/groups.h"
#include "admin/targets.h"
#include "admin/watch.h"
#include "curve/curve.h"
#include "target/group.h"
#include "target/target.h"
#include "target/target_parse.h"
#include "target/tunables.h"

static bool target_is_group(const struct mrc_target_spec *spec)
{
	return spec->type != MRC_TARGET_PROCESS || spec->children;
}

/* What mrc_groups_list_shares() adds to a name. */
#define SHARE_TEXT	sizeof("1000 4398046511104 ")

/*
 * The list of targets has to be told whole, also with what is set for each. Two that come at
 * once may miss it.
 */
static bool list_has_room(const struct mrc_target_spec *spec)
{
	char *page = (char *)__get_free_page(GFP_KERNEL);
	char text[MRC_TARGET_TEXT];
	size_t length = PAGE_SIZE;

	if (page)
		length = mrc_command_list(page);
	free_page((unsigned long)page);
	mrc_target_format(spec, text);
	return length + strlen(text) + 1 + MRC_GROUPS * SHARE_TEXT < PAGE_SIZE;
}

/**
 * mrc_command_add() - track a process, or several
 * @spec: which; the PID as the caller sees it
 *
 * Context: may sleep.
 * Return: as mrc_target_track(), or mrc_groups_add(); -ENOSPC: they have a page of names together.
 */
int mrc_command_add(const struct mrc_target_spec *spec)
{
	bool group = target_is_group(spec);
	int err = -ENOSPC;

	if (list_has_room(spec))
		err = group ? mrc_groups_add(spec) : mrc_target_add(spec->pid);
	if (err)
		return err;
	if (group)
		mrc_watch_kick();
	mrc_changes_notify();
	return 0;
}

/**
 * mrc_command_remove() - no longer track them
 * @spec: which, as it is listed; "children" need not be said, unless the process
 *	is a target without them as well
 *
 * Context: may sleep.
 * Return: 0 or -ENOENT.
 */
int mrc_command_remove(const struct mrc_target_spec *spec)
{
	int err = mrc_groups_remove(spec);

	if (err && spec->type == MRC_TARGET_PROCESS && !spec->children)
		err = mrc_target_remove(spec->pid);
	if (!err)
		mrc_changes_notify();
	return err;
}

/**
 * mrc_command_list() - the targets, one a line, as they would be written
 * @buf: a page
 *
 * Return: length.
 */
int mrc_command_list(char *buf)
{
	struct mrc_target *t;
	int n = 0;

	mutex_lock(&mrc_targets_lock);
	list_for_each_entry(t, &mrc_targets, link)
		if (t->own)
			n += sysfs_emit_at(buf, n, "%d\n", t->nr);
	n = mrc_groups_list(buf, n);
	mutex_unlock(&mrc_targets_lock);
	return n;
}

/**
 * mrc_command_accesses() - what the owner of a target knows of its accesses
 * @spec: the target, or a process that is tracked
 * @per_s: its accesses a second; 0: not known any more
 *
 * Context: may sleep.
 * Return: 0 or -ENOENT.
 */
int mrc_command_accesses(const struct mrc_target_spec *spec, u64 per_s)
{
	struct mrc_group *group;
	struct mrc_target *t = NULL;

	mutex_lock(&mrc_targets_lock);
	group = mrc_group_find(spec);
	if (group)
		WRITE_ONCE(group->accesses, per_s * MRC_RATE);
	else if (spec->type == MRC_TARGET_PROCESS)
		t = mrc_target_find_nr(spec->pid);
	if (t) {
		mutex_lock(&t->lock);
		t->curve.accesses = per_s * MRC_RATE;
		mutex_unlock(&t->lock);
	}
	mutex_unlock(&mrc_targets_lock);
	return group || t ? 0 : -ENOENT;
}
