// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who descends from a process that is a target with its children: those that it
 * has when it is added, and from then on by fork and exit, since a child whose
 * parent has ended says no more whose it was.
 */

#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <compat/compat.h>
#include <memsuite/tracepoints.h>

#include "target/descendants.h"

struct kin {
	struct hlist_node link;
	struct pid *pid;
	u32 groups;
};

static DEFINE_HASHTABLE(kins, 8);
static DEFINE_SPINLOCK(kins_lock);
static bool following;		/* under mrc_targets_lock */
static u64 lost;

/* Under kins_lock. */
static struct kin *find(const struct pid *pid)
{
	struct kin *kin;

	hash_for_each_possible(kins, kin, link, (unsigned long)pid)
		if (kin->pid == pid)
			return kin;
	return NULL;
}

/* Under kins_lock. */
static void add(struct pid *pid, u32 groups)
{
	struct kin *kin = find(pid);

	if (!kin) {
		kin = kzalloc(sizeof(*kin), GFP_ATOMIC | __GFP_NOWARN);
		if (!kin) {
			WRITE_ONCE(lost, lost + 1);
			return;
		}
		kin->pid = get_pid(pid);
		hash_add(kins, &kin->link, (unsigned long)pid);
	}
	kin->groups |= groups;
}

/* Under kins_lock. */
static void drop(struct kin *kin)
{
	hash_del(&kin->link);
	put_pid(kin->pid);
	kfree(kin);
}

static void probe_fork(void *data, struct task_struct *parent,
		       struct task_struct *child)
{
	struct kin *kin;

	/* A thread of it. */
	if (child->signal == parent->signal)
		return;
	spin_lock(&kins_lock);
	kin = find(task_tgid(parent));
	if (kin)
		add(task_tgid(child), kin->groups);
	spin_unlock(&kins_lock);
}

static void probe_exit(void *data, struct task_struct *task)
{
	struct kin *kin;

	/* Not its last thread. */
	if (atomic_read(&task->signal->live))
		return;
	spin_lock(&kins_lock);
	kin = find(task_tgid(task));
	if (kin)
		drop(kin);
	spin_unlock(&kins_lock);
}

static struct memsuite_tracepoint probes[] = {
	{ .name = "sched_process_fork", .function = probe_fork },
	{ .name = "sched_process_exit", .function = probe_exit },
};

/* Under RCU. The first task of all is its own parent. */
static bool descends(struct task_struct *task, const struct pid *root)
{
	struct task_struct *child;

	do {
		if (!pid_alive(task))
			return false;
		if (task_tgid(task) == root)
			return true;
		child = task;
		task = rcu_dereference(child->real_parent);
	} while (task != child);
	return false;
}

/**
 * mrc_kin_start() - follow a process and its children
 * @root: the process
 * @slot: of its group
 *
 * Context: may sleep; mrc_targets_lock is held.
 * Return: 0 or -EOPNOTSUPP.
 */
int mrc_kin_start(struct pid *root, unsigned int slot)
{
	struct task_struct *task;
	int err = 0;

	if (!following)
		err = memsuite_tracepoints_register(probes, ARRAY_SIZE(probes));
	if (err)
		return err;
	following = true;
	/* Who is forked meanwhile comes last in the list of all, or by the probe. */
	rcu_read_lock();
	for_each_process(task) {
		spin_lock(&kins_lock);
		if (thread_group_leader(task) && !(task->flags & PF_EXITING) &&
		    descends(task, root))
			add(task_tgid(task), BIT(slot));
		spin_unlock(&kins_lock);
	}
	rcu_read_unlock();
	return 0;
}

/**
 * mrc_kin_stop() - nobody belongs to a group any more
 * @slot: of the group
 */
void mrc_kin_stop(unsigned int slot)
{
	struct hlist_node *next;
	struct kin *kin;
	int bucket;

	spin_lock(&kins_lock);
	hash_for_each_safe(kins, bucket, next, kin, link) {
		kin->groups &= ~BIT(slot);
		if (!kin->groups)
			drop(kin);
	}
	spin_unlock(&kins_lock);
}

/**
 * mrc_kin_groups() - the groups that a process descends into
 * @pid: the process
 *
 * Return: their slots.
 */
u32 mrc_kin_groups(const struct pid *pid)
{
	struct kin *kin;
	u32 slots;

	spin_lock(&kins_lock);
	kin = find(pid);
	slots = kin ? kin->groups : 0;
	spin_unlock(&kins_lock);
	return slots;
}

/**
 * mrc_kin_left() - whether a group has any process left
 * @slot: of the group
 */
bool mrc_kin_left(unsigned int slot)
{
	struct kin *kin;
	bool left = false;
	int bucket;

	spin_lock(&kins_lock);
	hash_for_each(kins, bucket, kin, link)
		left |= kin->groups & BIT(slot);
	spin_unlock(&kins_lock);
	return left;
}

/**
 * mrc_kin_lost() - how many children were lost for want of memory
 */
u64 mrc_kin_lost(void)
{
	return READ_ONCE(lost);
}

/**
 * mrc_kin_exit() - listen no more; there are no groups
 *
 * Context: may sleep.
 */
void mrc_kin_exit(void)
{
	if (following)
		memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
	following = false;
}
