// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes become targets, and are dropped. A process is tracked once, be it a target
 * by itself, in some groups, or both; it is dropped when neither holds or it ends.
 */

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <compat/compat.h>
#include <memsuite/process.h>

#include "admin/target_debugfs.h"
#include "admin/targets.h"
#include "divide/enforce.h"
#include "target/group.h"
#include "target/target.h"
#include "target/tunables.h"
#include "track/tracker.h"

static unsigned int targets_count;	/* under mrc_targets_lock */

/**
 * mrc_target_hide() - no longer track a process
 * @t: its target
 * @hidden: where it is put, for mrc_targets_free()
 *
 * Context: mrc_targets_lock is held, until the targets are freed.
 */
void mrc_target_hide(struct mrc_target *t, struct list_head *hidden)
{
	lockdep_assert_held(&mrc_targets_lock);
	mrc_target_unlink(t);
	mrc_enforce_hide(t);
	list_add_tail(&t->link, hidden);
	targets_count--;
}

/* No page fault comes to it any more. */
static void target_free(struct mrc_target *t)
{
	struct pid *pid = t->pid;

	kthread_stop(t->thread);
	mrc_debugfs_remove(t->dir);
	mrc_tracker_free(t);
	mrc_enforce_forget(t);
	kvfree(t);
	put_pid(pid);
}

/**
 * mrc_targets_free() - free targets
 * @hidden: those of mrc_target_hide()
 *
 * Waits once for all of them that page faults have gone on.
 *
 * Context: may sleep; mrc_targets_lock is held.
 */
void mrc_targets_free(struct list_head *hidden)
{
	struct mrc_target *t, *next;

	if (list_empty(hidden))
		return;
	synchronize_rcu();
	list_for_each_entry_safe(t, next, hidden, link)
		target_free(t);
}

/* A tracker cannot stop itself. */
static void targets_reap(struct work_struct *work)
{
	struct mrc_target *t, *next;
	LIST_HEAD(hidden);

	mutex_lock(&mrc_targets_lock);
	list_for_each_entry_safe(t, next, &mrc_targets, link)
		if (READ_ONCE(t->gone))
			mrc_target_hide(t, &hidden);
	mrc_targets_free(&hidden);
	mutex_unlock(&mrc_targets_lock);
	mrc_changes_notify();
}

static DECLARE_WORK(reap_work, targets_reap);

/* The tracker of one target. It returns once kthread_stop() is called. */
static int target_thread(void *target)
{
	struct mrc_target *t = target;

	if (mrc_tracker_run(t) == -ESRCH) {
		WRITE_ONCE(t->gone, true);
		schedule_work(&reap_work);
		wait_event_idle(mrc_changed, kthread_should_stop());
	}
	return 0;
}

static struct mm_struct *process_mm(struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm;

	if (!task)
		return ERR_PTR(-ESRCH);
	mm = memsuite_process_mm_grab(task);
	if (!mm)
		mm = ERR_PTR(task->flags & PF_KTHREAD ? -EINVAL : -ESRCH);
	put_task_struct(task);
	return mm;
}

static struct mrc_target *target_create(struct pid *pid, struct mm_struct *mm)
{
	struct mrc_target *t = kvzalloc(sizeof(*t), GFP_KERNEL);
	struct task_struct *thread;

	if (!t)
		return ERR_PTR(-ENOMEM);
	mutex_init(&t->lock);
	t->pid = pid;
	t->nr = pid_nr(pid);
	t->mm = mm;
	t->sharers = 1;
	thread = kthread_create(target_thread, t, "mrc/%d", t->nr);
	if (IS_ERR(thread)) {
		kvfree(t);
		return ERR_CAST(thread);
	}
	if (mrc_enforce_add(t)) {
		kthread_stop(thread);
		kvfree(t);
		return ERR_PTR(-ENOMEM);
	}
	t->thread = thread;
	return t;
}

/**
 * mrc_target_track() - track a process
 * @pid: the process
 * @own: as a target by itself
 * @groups: slots of the groups that it is in
 * @pages: what it has in memory
 * @loan: how many ladders it gets on credit
 *
 * One that runs in the memory of another that is tracked (after vfork, say) is
 * not: two trackers would take accessed bits from one another.
 *
 * Context: may sleep; mrc_targets_lock is held.
 * Return: 0, -ESRCH (it has ended), -EINVAL (a kernel thread), -EEXIST, -ENOSPC
 * (too many), -EBUSY (another has its memory) or -ENOMEM.
 */
int mrc_target_track(struct pid *pid, bool own, u32 groups, u64 pages, u32 loan)
{
	struct mrc_target *t;
	struct mm_struct *mm;
	int err = 0;

	mm = process_mm(pid);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	list_for_each_entry(t, &mrc_targets, link) {
		if (t->pid == pid)
			err = -EEXIST;
		else if (READ_ONCE(t->mm) == mm)
			err = -EBUSY;
	}
	if (!err && targets_count >= MRC_TARGETS_MAX)
		err = -ENOSPC;
	t = err ? ERR_PTR(err) : target_create(get_pid(pid), mm);
	if (IS_ERR(t)) {
		mmdrop(mm);
		if (!err)
			put_pid(pid);
		return PTR_ERR(t);
	}
	t->own = own;
	t->budget = own ? &t->own_budget : mrc_group_budget(groups);
	t->groups = groups;
	t->pages = pages;
	t->loan = loan;
	mrc_target_link(t);
	targets_count++;
	mrc_debugfs_add(t);
	wake_up_process(t->thread);
	return 0;
}

/**
 * mrc_target_add() - track a process as a target by itself
 * @nr: its number, as the caller sees it
 *
 * Context: may sleep.
 * Return: as mrc_target_track().
 */
int mrc_target_add(int nr)
{
	struct pid *pid = find_get_pid(nr);
	struct mrc_target *t;
	int err = -EEXIST;

	if (!pid)
		return -ESRCH;
	/* One that has just ended may have had the same number. */
	flush_work(&reap_work);
	mutex_lock(&mrc_targets_lock);
	t = mrc_target_find_nr(pid_nr(pid));
	if (!t || t->pid != pid) {
		err = mrc_target_track(pid, true, 0, 0, MRC_LOAN_OWN);
	} else if (!t->own) {
		t->own = true;
		WRITE_ONCE(t->sharers, 1);
		WRITE_ONCE(t->budget, &t->own_budget);
		WRITE_ONCE(t->loan, MRC_LOAN_OWN);
		err = 0;
	}
	mutex_unlock(&mrc_targets_lock);
	put_pid(pid);
	return err;
}

/**
 * mrc_target_remove() - a process is no longer a target by itself
 * @nr: its number
 *
 * Context: may sleep.
 * Return: 0 or -ENOENT.
 */
int mrc_target_remove(int nr)
{
	struct mrc_target *t;
	int err = -ENOENT;
	LIST_HEAD(hidden);

	mutex_lock(&mrc_targets_lock);
	t = mrc_target_find_nr(nr);
	if (t && t->own) {
		t->own = false;
		if (!t->groups)
			mrc_target_hide(t, &hidden);
		err = 0;
	}
	mrc_targets_free(&hidden);
	mutex_unlock(&mrc_targets_lock);
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
	LIST_HEAD(hidden);

	mutex_lock(&mrc_targets_lock);
	list_for_each_entry_safe(t, next, &mrc_targets, link)
		mrc_target_hide(t, &hidden);
	mrc_targets_free(&hidden);
	mutex_unlock(&mrc_targets_lock);
	cancel_work_sync(&reap_work);
}
