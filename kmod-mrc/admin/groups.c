// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups come and go. Once a second all processes are looked through for which group
 * each belongs to (target/group.c); the largest are tracked if there are more than can
 * be.
 */

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <memsuite/cgroup_path.h>
#include <memsuite/process.h>

#include "admin/groups.h"
#include "admin/target_debugfs.h"
#include "admin/targets.h"
#include "target/descendants.h"
#include "target/group.h"
#include "target/target.h"
#include "target/target_parse.h"
#include "target/tunables.h"

/* Processes that become tracked by one look. */
#define NEW_MAX	64
/* Processes that are looked at between two chances for others to run. */
#define LOOKS_AT_ONCE	1024

/* A process that is to be tracked. */
struct candidate {
	struct pid *pid;
	u32 groups;
	u64 pages;
	u32 loan;
};

/* One comes or goes, or all are looked at, at a time; mrc_targets_lock is inside. */
static DEFINE_MUTEX(change_lock);

/* Under mrc_targets_lock. */
static struct candidate candidates[NEW_MAX];
static unsigned int candidates_n;

/*
 * Whether a process is likely to see the end of a ladder, the first of which looks for a
 * second both ways, or for ladder_ms. Of those that have lived for some time, half live
 * for as long again (Harchol-Balter and Downey 1997); most live for less.
 */
static bool process_is_lasting(struct task_struct *task)
{
	u64 age = ktime_get_boottime_ns() - task->start_boottime;

	return age >= 2 * NSEC_PER_MSEC *
		      min_t(u32, READ_ONCE(mrc_tunables.ladder_ms), MRC_LADDER_FIRST_MS);
}

/* The larger ones are kept. */
static void candidate_propose(struct pid *pid, u32 slots, u64 pages, u32 loan)
{
	struct candidate *c = &candidates[candidates_n], *other;

	if (candidates_n < NEW_MAX) {
		candidates_n++;
	} else {
		c = candidates;
		for (other = c; other < candidates + NEW_MAX; other++)
			if (other->pages < c->pages)
				c = other;
		if (c->pages >= pages)
			return;
		put_pid(c->pid);
	}
	*c = (struct candidate){ get_pid(pid), slots, pages, loan };
}

/* The first one is not moved to another cgroup when it has ended. Under RCU. */
static struct task_struct *process_thread(struct task_struct *task)
{
	struct task_struct *thread;

	for_each_thread(task, thread)
		if (READ_ONCE(thread->mm))
			return thread;
	return task;
}

/* Under RCU. */
static void process_look(struct task_struct *task)
{
	struct mm_struct *mm = memsuite_process_mm_grab(task);
	struct mrc_target *t;
	u64 pages;
	u32 slots;

	if (!mm)
		return;
	pages = get_mm_rss(mm);
	mmdrop(mm);
	task = process_thread(task);
	t = mrc_target_find(task_tgid(task));
	slots = mrc_groups_of(task, pages, t ? t->groups : 0);
	mrc_groups_count(slots, pages);
	if (t) {
		t->wanted = slots;
		t->pages = pages;
	} else if (slots && (READ_ONCE(mrc_tunables.mode) != MRC_MODE_LADDER ||
			     process_is_lasting(task) ||
			     mrc_groups_have_root(slots, task_tgid_nr(task)))) {
		candidate_propose(task_tgid(task), slots, pages, mrc_groups_loan(slots, task));
	}
}

static bool candidates_track(void)
{
	struct candidate *c;
	bool changed = false;

	for (c = candidates; c < candidates + candidates_n; c++) {
		if (!mrc_target_track(c->pid, false, c->groups, c->pages,
				      c->loan))
			changed = true;
		put_pid(c->pid);
	}
	candidates_n = 0;
	return changed;
}

/* Those that are there are many: others run in between. */
static void processes_look_each(void)
{
	struct task_struct *task;
	unsigned int looks = 0;
	pid_t nr = 1;

	rcu_read_lock();
	while ((task = memsuite_process_next(&nr))) {
		process_look(task);
		nr++;
		if (++looks % LOOKS_AT_ONCE)
			continue;
		rcu_read_unlock();
		cond_resched();
		rcu_read_lock();
	}
	rcu_read_unlock();
}

/* Return: whether a process has come or gone. */
static bool processes_look(void)
{
	struct mrc_target *t, *next;
	bool changed = false;
	LIST_HEAD(hidden);

	list_for_each_entry(t, &mrc_targets, link)
		t->wanted = 0;
	mrc_groups_reopen();
	mrc_groups_count_begin();
	processes_look_each();
	list_for_each_entry_safe(t, next, &mrc_targets, link) {
		changed |= t->groups != t->wanted;
		t->groups = t->wanted;
		if (!t->groups && !t->own)
			mrc_target_hide(t, &hidden);
	}
	mrc_targets_free(&hidden);
	changed |= candidates_track();
	mrc_groups_share();
	return changed;
}

static void group_destroy(struct mrc_group *group)
{
	/* Its readers take mrc_targets_lock. */
	mrc_debugfs_remove(group->dir);
	mrc_descendants_stop(group->slot);
	if (group->cgroup)
		cgroup_put(group->cgroup);
	kfree(group);
}

/* Under change_lock. */
static void groups_look_all(void)
{
	struct mrc_group *group;
	bool changed = false;

	while ((group = mrc_group_take_over())) {
		group_destroy(group);
		changed = true;
	}
	mutex_lock(&mrc_targets_lock);
	/* Also when the last one has gone: its processes are dropped. */
	changed |= processes_look();
	mutex_unlock(&mrc_targets_lock);
	if (changed)
		mrc_changes_notify();
}

/**
 * mrc_groups_look() - look who belongs to which group
 *
 * Context: may sleep.
 */
void mrc_groups_look(void)
{
	mutex_lock(&change_lock);
	groups_look_all();
	mutex_unlock(&change_lock);
}

static int group_open_cgroup(struct mrc_group *group)
{
	struct cgroup *cgroup;

	if (group->spec.type != MRC_TARGET_CGROUP)
		return 0;
	cgroup = memsuite_cgroup_open(group->spec.cgroup, MRC_TARGET_PATH, group->spec.later);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	group->cgroup = cgroup;
	return 0;
}

/* Follows the children of the process. */
static int group_open_root(struct pid *pid, unsigned int slot)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	int err = -ESRCH;

	if (task) {
		err = task->flags & PF_KTHREAD ? -EINVAL :
			mrc_descendants_start(pid, slot);
		put_task_struct(task);
	}
	return err;
}

/* @root: whose children are to be followed, or NULL. Under mrc_targets_lock. */
static int group_publish(struct mrc_group *group, struct pid *root)
{
	int slot, err = 0;

	if (mrc_group_find(&group->spec))
		return -EEXIST;
	slot = mrc_group_slot();
	if (slot < 0)
		return slot;
	if (root)
		err = group_open_root(root, slot);
	if (err)
		return err;
	mrc_group_insert(group, slot);
	mrc_debugfs_add_group(group);
	return 0;
}

/* A group of processes by the number of one is known by what that is to all. */
static int group_find_root(struct mrc_group *group, struct pid **root)
{
	*root = NULL;
	if (group->spec.type != MRC_TARGET_PROCESS)
		return 0;
	*root = find_get_pid(group->spec.pid);
	if (!*root)
		return -ESRCH;
	group->spec.pid = pid_nr(*root);
	return 0;
}

static int group_add(struct mrc_group *group)
{
	struct pid *root;
	int err = group_find_root(group, &root);

	if (err)
		return err;
	mutex_lock(&change_lock);
	mutex_lock(&mrc_targets_lock);
	err = group_publish(group, root);
	mutex_unlock(&mrc_targets_lock);
	if (!err)
		groups_look_all();
	mutex_unlock(&change_lock);
	put_pid(root);
	return err;
}

/**
 * mrc_groups_add() - track several processes
 * @spec: which
 *
 * Context: may sleep.
 * Return: 0, -ESRCH (no such process), -EINVAL (a kernel thread), -ENOENT (no
 * such cgroup), -EEXIST, -ENOSPC (too many), -EOPNOTSUPP (children cannot be
 * followed) or -ENOMEM.
 */
int mrc_groups_add(const struct mrc_target_spec *spec)
{
	struct mrc_group *group = kzalloc(sizeof(*group), GFP_KERNEL);
	int err;

	if (!group)
		return -ENOMEM;
	group->weight = 1;
	group->spec = *spec;
	err = group_open_cgroup(group) ?: group_add(group);
	if (!err)
		return 0;
	if (group->cgroup)
		cgroup_put(group->cgroup);
	kfree(group);
	return err;
}

/**
 * mrc_groups_remove() - no longer track them
 * @spec: which
 *
 * Context: may sleep.
 * Return: 0 or -ENOENT.
 */
int mrc_groups_remove(const struct mrc_target_spec *spec)
{
	struct mrc_group *group;

	mutex_lock(&change_lock);
	group = mrc_group_take(spec);
	if (group) {
		group_destroy(group);
		groups_look_all();
	}
	mutex_unlock(&change_lock);
	return group ? 0 : -ENOENT;
}

/**
 * mrc_groups_remove_all() - forget all groups; nobody adds any
 *
 * Context: may sleep.
 */
void mrc_groups_remove_all(void)
{
	struct mrc_group *group;

	while ((group = mrc_group_take_any()))
		group_destroy(group);
}
