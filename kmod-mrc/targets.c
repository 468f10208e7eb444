// SPDX-License-Identifier: GPL-2.0-only
/* The tracked processes: added and removed by PID, dropped when they end. */

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>

#include <compat/compat.h>

#include "mrc.h"

static LIST_HEAD(targets);
static DEFINE_MUTEX(targets_lock);
static unsigned int targets_count;

/* Called with the target off the list: nobody else can find it. */
static void destroy(struct mrc_target *t)
{
	kthread_stop(t->thread);
	mrc_enforce_forget(t);
	mrc_debugfs_remove(t);
	mrc_ladder_free(t);
	put_pid(t->pid);
	kvfree(t);
}

static void unlink_target(struct mrc_target *t)
{
	lockdep_assert_held(&targets_lock);
	list_del(&t->link);
	targets_count--;
}

/* A tracker cannot stop itself. */
static void reap(struct work_struct *work)
{
	struct mrc_target *t, *next;

	mutex_lock(&targets_lock);
	list_for_each_entry_safe(t, next, &targets, link)
		if (READ_ONCE(t->gone)) {
			unlink_target(t);
			destroy(t);
		}
	mutex_unlock(&targets_lock);
}

static DECLARE_WORK(reap_work, reap);

/**
 * mrc_target_gone() - a tracker says that its process has ended
 * @t: the target, to be dropped soon
 */
void mrc_target_gone(struct mrc_target *t)
{
	WRITE_ONCE(t->gone, true);
	schedule_work(&reap_work);
}

/**
 * mrc_targets_lock() - keep the targets as they are
 *
 * Context: may sleep; until mrc_targets_unlock().
 * Return: the list of them, by @link.
 */
struct list_head *mrc_targets_lock(void)
{
	mutex_lock(&targets_lock);
	return &targets;
}

/**
 * mrc_targets_unlock() - undo mrc_targets_lock()
 */
void mrc_targets_unlock(void)
{
	mutex_unlock(&targets_lock);
}

static struct mm_struct *mm_of(struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm;

	if (!task)
		return ERR_PTR(-ESRCH);
	mm = get_task_mm(task);
	if (mm) {
		mmgrab(mm);
		mmput(mm);
	} else {
		mm = ERR_PTR(task->flags & PF_KTHREAD ? -EINVAL : -ESRCH);
	}
	put_task_struct(task);
	return mm;
}

static int add(struct pid *pid, struct mm_struct *mm)
{
	struct mrc_target *t;

	list_for_each_entry(t, &targets, link)
		if (t->pid == pid)
			return -EEXIST;
	if (targets_count >= MRC_TARGETS_MAX)
		return -ENOSPC;
	t = kvzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	mutex_init(&t->lock);
	t->pid = pid;
	t->nr = pid_nr(pid);
	t->mm = mm;
	t->thread = kthread_create(mrc_ladder_thread, t, "mrc/%d", t->nr);
	if (IS_ERR(t->thread)) {
		int err = PTR_ERR(t->thread);

		kvfree(t);
		return err;
	}
	list_add_tail(&t->link, &targets);
	targets_count++;
	mrc_enforce_add(t);
	mrc_debugfs_add(t);
	wake_up_process(t->thread);
	return 0;
}

/**
 * mrc_targets_add() - track a process
 * @nr: its PID as the caller sees it
 *
 * Context: may sleep.
 * Return: 0, -ESRCH (no such process), -EINVAL (a kernel thread), -EEXIST,
 * -ENOSPC (too many) or -ENOMEM.
 */
int mrc_targets_add(int nr)
{
	struct pid *pid = find_get_pid(nr);
	struct mm_struct *mm;
	int err;

	if (!pid)
		return -ESRCH;
	mm = mm_of(pid);
	if (IS_ERR(mm)) {
		put_pid(pid);
		return PTR_ERR(mm);
	}
	/* One that has just ended may have had the same number. */
	flush_work(&reap_work);
	mutex_lock(&targets_lock);
	err = add(pid, mm);
	mutex_unlock(&targets_lock);
	if (err) {
		mmdrop(mm);
		put_pid(pid);
	}
	return err;
}

/**
 * mrc_targets_remove() - no longer track a process
 * @nr: its PID in the initial namespace, as it is listed
 *
 * Context: may sleep.
 * Return: 0 or -ENOENT.
 */
int mrc_targets_remove(int nr)
{
	struct mrc_target *t;
	int err = -ENOENT;

	mutex_lock(&targets_lock);
	list_for_each_entry(t, &targets, link)
		if (t->nr == nr) {
			unlink_target(t);
			destroy(t);
			err = 0;
			break;
		}
	mutex_unlock(&targets_lock);
	return err;
}

/**
 * mrc_targets_remove_all() - track nothing any more
 *
 * Call it when none can be added. Context: may sleep.
 */
void mrc_targets_remove_all(void)
{
	struct mrc_target *t, *next;

	mutex_lock(&targets_lock);
	list_for_each_entry_safe(t, next, &targets, link) {
		unlink_target(t);
		destroy(t);
	}
	mutex_unlock(&targets_lock);
	cancel_work_sync(&reap_work);
}

/**
 * mrc_targets_list() - the targets' PIDs, one a line
 * @buf: a page
 *
 * Return: length.
 */
int mrc_targets_list(char *buf)
{
	struct mrc_target *t;
	int n = 0;

	mutex_lock(&targets_lock);
	list_for_each_entry(t, &targets, link)
		n += sysfs_emit_at(buf, n, "%d\n", t->nr);
	mutex_unlock(&targets_lock);
	return n;
}
