// SPDX-License-Identifier: GPL-2.0-only
/*
 * The descendants of processes that are targets with their children. Those that a
 * process has when it is added are looked up; later ones are told by fork and exit,
 * since a child whose parent has ended no longer tells whose it was.
 */

#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <compat/compat.h>
#include <compat/trace_probe.h>
#include <memsuite/tracepoints.h>

#include "target/descendants.h"

struct descendant {
	struct hlist_node link;
	struct pid *pid;
	u32 groups;
};

static DEFINE_HASHTABLE(descendants, 12);
static DEFINE_SPINLOCK(descendants_lock);
static unsigned int nr_in_group[BITS_PER_TYPE(u32)];	/* by slot; under descendants_lock */
static bool following;		/* under mrc_targets_lock */
static u64 lost;

/* Under descendants_lock. */
static struct descendant *descendant_find(const struct pid *pid)
{
	struct descendant *descendant;

	hash_for_each_possible(descendants, descendant, link, (unsigned long)pid)
		if (descendant->pid == pid)
			return descendant;
	return NULL;
}

/* Under descendants_lock. */
static void descendant_set_groups(struct descendant *descendant, u32 groups)
{
	unsigned long changed = descendant->groups ^ groups;
	unsigned int slot;

	for_each_set_bit(slot, &changed, BITS_PER_TYPE(u32))
		nr_in_group[slot] += groups & BIT(slot) ? 1 : -1;
	descendant->groups = groups;
}

/* Under descendants_lock. */
static void descendant_add(struct pid *pid, u32 groups)
{
	struct descendant *descendant = descendant_find(pid);

	if (!descendant) {
		descendant = kzalloc(sizeof(*descendant), GFP_ATOMIC | __GFP_NOWARN);
		if (!descendant) {
			WRITE_ONCE(lost, lost + 1);
			return;
		}
		descendant->pid = get_pid(pid);
		hash_add(descendants, &descendant->link, (unsigned long)pid);
	}
	descendant_set_groups(descendant, descendant->groups | groups);
}

/* Under descendants_lock. */
static void descendant_drop(struct descendant *descendant)
{
	descendant_set_groups(descendant, 0);
	hash_del(&descendant->link);
	put_pid(descendant->pid);
	kfree(descendant);
}

static void probe_fork(void *data, struct task_struct *parent,
		       struct task_struct *child)
{
	struct descendant *descendant;

	/* A thread of it. */
	if (child->signal == parent->signal)
		return;
	spin_lock(&descendants_lock);
	descendant = descendant_find(task_tgid(parent));
	if (descendant)
		descendant_add(task_tgid(child), descendant->groups);
	spin_unlock(&descendants_lock);
}

MEMSUITE_PROBE_EXIT(probe_exit)
{
	struct descendant *descendant;

	/* Not its last thread. */
	if (atomic_read(&task->signal->live))
		return;
	spin_lock(&descendants_lock);
	descendant = descendant_find(task_tgid(task));
	if (descendant)
		descendant_drop(descendant);
	spin_unlock(&descendants_lock);
}

static struct memsuite_tracepoint probes[] = {
	MEMSUITE_TRACEPOINT(sched_process_fork, probe_fork),
	MEMSUITE_TRACEPOINT(sched_process_exit, probe_exit),
};

/* In the list of all, a process comes behind its parent. Under descendants_lock and RCU. */
static bool task_descends(struct task_struct *task, const struct pid *root, unsigned int slot)
{
	struct task_struct *parent = rcu_dereference(task->real_parent);
	struct descendant *descendant;

	if (!pid_alive(task))
		return false;
	if (task_tgid(task) == root)
		return true;
	descendant = pid_alive(parent) ? descendant_find(task_tgid(parent)) : NULL;
	return descendant && descendant->groups & BIT(slot);
}

/**
 * mrc_descendants_start() - follow a process and its children
 * @root: the process
 * @slot: of its group
 *
 * Context: may sleep; mrc_targets_lock is held.
 * Return: 0 or -EOPNOTSUPP.
 */
int mrc_descendants_start(struct pid *root, unsigned int slot)
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
		spin_lock(&descendants_lock);
		if (atomic_read(&task->signal->live) && task_descends(task, root, slot))
			descendant_add(task_tgid(task), BIT(slot));
		spin_unlock(&descendants_lock);
	}
	rcu_read_unlock();
	return 0;
}

static void bucket_leave(struct hlist_head *bucket, unsigned int slot)
{
	struct descendant *descendant;
	struct hlist_node *next;

	spin_lock(&descendants_lock);
	hlist_for_each_entry_safe(descendant, next, bucket, link) {
		descendant_set_groups(descendant, descendant->groups & ~BIT(slot));
		if (!descendant->groups)
			descendant_drop(descendant);
	}
	spin_unlock(&descendants_lock);
}

/**
 * mrc_descendants_stop() - nobody belongs to a group any more
 * @slot: of the group
 */
void mrc_descendants_stop(unsigned int slot)
{
	int bucket;

	/* There may be thousands. Nobody joins the group any more but by a fork of those in it. */
	while (mrc_descendants_left(slot))
		for (bucket = 0; bucket < HASH_SIZE(descendants); bucket++)
			bucket_leave(&descendants[bucket], slot);
}

/**
 * mrc_descendant_groups() - the groups that a process descends into
 * @pid: the process
 *
 * Return: their slots.
 */
u32 mrc_descendant_groups(const struct pid *pid)
{
	struct descendant *descendant;
	u32 slots;

	spin_lock(&descendants_lock);
	descendant = descendant_find(pid);
	slots = descendant ? descendant->groups : 0;
	spin_unlock(&descendants_lock);
	return slots;
}

/**
 * mrc_descendants_left() - whether a group has any process left
 * @slot: of the group
 *
 * Return: whether it has.
 */
bool mrc_descendants_left(unsigned int slot)
{
	bool left;

	spin_lock(&descendants_lock);
	left = nr_in_group[slot];
	spin_unlock(&descendants_lock);
	return left;
}

/**
 * mrc_descendants_lost() - children that are not followed for want of memory
 *
 * Return: how many there were.
 */
u64 mrc_descendants_lost(void)
{
	return READ_ONCE(lost);
}

/**
 * mrc_descendants_exit() - listen no more; there are no groups
 *
 * Context: may sleep.
 */
void mrc_descendants_exit(void)
{
	if (following)
		memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
	following = false;
}
