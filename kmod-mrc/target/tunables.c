// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the administrator sets of tracking, whether targets are tracked at all, and
 * who is told when that changes: trackers wait for mrc_changed, programs poll the
 * file changes.
 */

#include <linux/atomic.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>
#include <linux/wait.h>

#include "target/tunables.h"

struct mrc_tunables mrc_tunables = {
	.mode = MRC_MODE_LADDER,
	.epoch_ms = 10,
	.group_pages = 64,
	.samples = 4096,
	.ladder_ms = 2000,
	.max_cpu_permille = 5,
	.total_cpu_permille = 10,
	.change_pct = 10,
};

bool mrc_enabled;
DECLARE_WAIT_QUEUE_HEAD(mrc_changed);

static atomic64_t changes;
/* A tracker may say that its curve has changed while the directory is removed. */
static DEFINE_MUTEX(notify_lock);
static struct kobject *notified;

/**
 * mrc_changes_notify() - a curve, or who is tracked, has changed
 *
 * It wakes the programs that poll the file changes. Context: may sleep.
 */
void mrc_changes_notify(void)
{
	atomic64_inc(&changes);
	mutex_lock(&notify_lock);
	if (notified)
		sysfs_notify(notified, NULL, "changes");
	mutex_unlock(&notify_lock);
}

/**
 * mrc_changes_set_dir() - the directory with the file changes
 * @kobj: the directory; NULL: it is about to be removed
 *
 * Context: may sleep.
 */
void mrc_changes_set_dir(struct kobject *kobj)
{
	mutex_lock(&notify_lock);
	notified = kobj;
	mutex_unlock(&notify_lock);
}

/**
 * mrc_changes_count() - changes so far
 *
 * Return: how often mrc_changes_notify() was called.
 */
u64 mrc_changes_count(void)
{
	return atomic64_read(&changes);
}
