// SPDX-License-Identifier: GPL-2.0-only
/* What is written to the files add, remove and accesses_per_s: of processes and of groups. */

#include <linux/errno.h>
#include <linux/mutex.h>
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

static bool is_group(const struct mrc_who *who)
{
	return who->scope != MRC_PROCESS || who->children;
}

/**
 * mrc_targets_add() - track a process, or several
 * @who: which; the PID as the caller sees it
 *
 * Context: may sleep.
 * Return: as mrc_target_track(), or mrc_groups_add().
 */
int mrc_targets_add(const struct mrc_who *who)
{
	bool group = is_group(who);
	int err = group ? mrc_groups_add(who) : mrc_target_add(who->pid);

	if (err)
		return err;
	if (group)
		mrc_watch_kick();
	mrc_sysfs_changed();
	return 0;
}

/**
 * mrc_targets_remove() - no longer track them
 * @who: which, as it is listed; "children" need not be said, unless the process
 *	is a target without them as well
 *
 * Context: may sleep.
 * Return: 0 or -ENOENT.
 */
int mrc_targets_remove(const struct mrc_who *who)
{
	int err = mrc_groups_remove(who);

	if (err && who->scope == MRC_PROCESS && !who->children)
		err = mrc_target_remove(who->pid);
	if (!err)
		mrc_sysfs_changed();
	return err;
}

/**
 * mrc_targets_list() - the targets, one a line, as they would be written
 * @buf: a page
 *
 * Return: length.
 */
int mrc_targets_list(char *buf)
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
 * mrc_targets_set_accesses() - what the owner of a target knows of its accesses
 * @who: the target, or a process that is tracked
 * @per_s: its accesses a second; 0: not known any more
 *
 * Context: may sleep.
 * Return: 0 or -ENOENT.
 */
int mrc_targets_set_accesses(const struct mrc_who *who, u64 per_s)
{
	struct mrc_group *group;
	struct mrc_target *t = NULL;

	mutex_lock(&mrc_targets_lock);
	group = mrc_group_find(who);
	if (group)
		WRITE_ONCE(group->accesses, per_s * MRC_RATE);
	else if (who->scope == MRC_PROCESS)
		t = mrc_target_find_nr(who->pid);
	if (t) {
		mutex_lock(&t->lock);
		t->curve.accesses = per_s * MRC_RATE;
		mutex_unlock(&t->lock);
	}
	mutex_unlock(&mrc_targets_lock);
	return group || t ? 0 : -ENOENT;
}
