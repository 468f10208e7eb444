// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets of several processes: one with its children, those of a cgroup, those
 * above a size, all of the machine. Here are the table of these groups, the test which
 * process belongs to which, and the CPU budget that the processes of a group share.
 */

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sysfs.h>

#include <compat/compat.h>

#include "target/cpu_budget.h"
#include "target/descendants.h"
#include "target/group.h"
#include "target/target.h"
#include "target/target_parse.h"

/* Under mrc_targets_lock. */
static struct mrc_group *groups[MRC_GROUPS];
static struct mrc_cpu_budget budgets[MRC_GROUPS];

/**
 * mrc_group_find() - look up a target of several processes
 * @spec: which
 *
 * Context: mrc_targets_lock is held.
 * Return: the group, or NULL.
 */
struct mrc_group *mrc_group_find(const struct mrc_target_spec *spec)
{
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (groups[i] && mrc_target_same(&groups[i]->spec, spec))
			return groups[i];
	return NULL;
}

/**
 * mrc_groups_any() - whether there is one
 *
 * Context: mrc_targets_lock is held.
 * Return: whether there is.
 */
bool mrc_groups_any(void)
{
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (groups[i])
			return true;
	return false;
}

/* A process that is tracked already is not dropped for a page or two. */
static bool group_is_above(const struct mrc_group *group, u64 pages, bool tracked)
{
	u64 bytes = group->spec.bytes;

	return pages << PAGE_SHIFT >= (tracked ? bytes - bytes / 8 : bytes);
}

/**
 * mrc_groups_of() - the groups that a process belongs to
 * @task: the process
 * @pages: what it has in memory
 * @before: slots of those that it belonged to before
 *
 * Context: under RCU; mrc_targets_lock is held.
 * Return: their slots.
 */
u32 mrc_groups_of(struct task_struct *task, u64 pages, u32 before)
{
	u32 descends = mrc_descendant_groups(task_tgid(task)), slots = 0;
	unsigned int i;
	bool in;

	for (i = 0; i < MRC_GROUPS; i++) {
		if (!groups[i])
			continue;
		switch (groups[i]->spec.type) {
		case MRC_TARGET_PROCESS:
			in = descends & BIT(i);
			break;
		case MRC_TARGET_CGROUP:
			in = groups[i]->cgroup &&
			     cgroup_is_descendant(task_dfl_cgroup(task), groups[i]->cgroup);
			break;
		case MRC_TARGET_ABOVE:
			in = group_is_above(groups[i], pages, before & BIT(i));
			break;
		default:
			in = true;
		}
		if (in)
			slots |= BIT(i);
	}
	return slots;
}

/**
 * mrc_groups_have_root() - whether a process is one whose children are followed
 * @slots: of its groups
 * @nr: number of the process
 *
 * Context: mrc_targets_lock is held.
 * Return: whether one of the groups is of its children.
 */
bool mrc_groups_have_root(u32 slots, int nr)
{
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (slots & BIT(i) && groups[i]->spec.type == MRC_TARGET_PROCESS &&
		    groups[i]->spec.pid == nr)
			return true;
	return false;
}

/**
 * mrc_groups_loan() - how many ladders a process gets on credit
 * @slots: of its groups
 * @task: the process; what has begun after its group is paid from what that has
 *
 * Context: mrc_targets_lock is held.
 * Return: how many.
 */
u32 mrc_groups_loan(u32 slots, struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (slots & BIT(i) && task->start_boottime < groups[i]->since)
			return MRC_LOAN_GROUP;
	return 0;
}

/* No process belongs to it now, nor can one later. */
static bool group_is_over(const struct mrc_group *group)
{
	return group->spec.type == MRC_TARGET_PROCESS && !mrc_descendants_left(group->slot);
}

/**
 * mrc_groups_reopen() - find the cgroups that were not there, if they have been made
 *
 * A service's is, each time that it starts: what is tracked is a path.
 *
 * Context: may sleep; mrc_targets_lock is held.
 */
void mrc_groups_reopen(void)
{
	struct cgroup *cgroup;
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++) {
		if (!groups[i] || groups[i]->spec.type != MRC_TARGET_CGROUP)
			continue;
		cgroup = groups[i]->cgroup;
		if (cgroup && cgroup->self.flags & CSS_ONLINE)
			continue;
		if (cgroup)
			cgroup_put(cgroup);
		cgroup = cgroup_get_from_path(groups[i]->spec.cgroup);
		groups[i]->cgroup = IS_ERR(cgroup) ? NULL : cgroup;
	}
}

/* A process in several groups is paid by the one that leaves it most. */
static unsigned int group_payer(u32 slots)
{
	unsigned int i, best = MRC_GROUPS;

	for (i = 0; i < MRC_GROUPS; i++)
		if (slots & BIT(i) && groups[i] &&
		    (best == MRC_GROUPS || groups[i]->tracked < groups[best]->tracked))
			best = i;
	return best;
}

/**
 * mrc_group_budget() - what the ladders of a process in some groups are paid from
 * @slots: of the groups
 *
 * Context: mrc_targets_lock is held.
 * Return: the budget, or NULL if it is in none.
 */
struct mrc_cpu_budget *mrc_group_budget(u32 slots)
{
	unsigned int slot = group_payer(slots);

	return slot < MRC_GROUPS ? &budgets[slot] : NULL;
}

/**
 * mrc_groups_weight() - by how much the weight of a process is multiplied
 * @slots: of its groups, of which the heaviest counts
 *
 * Context: mrc_targets_lock is held.
 * Return: at least 1.
 */
u32 mrc_groups_weight(u32 slots)
{
	u32 weight = 1;
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (slots & BIT(i) && groups[i])
			weight = max(weight, groups[i]->weight);
	return weight;
}

/**
 * mrc_group_min() - what the processes of a group get together before all others
 * @slot: its own
 *
 * Context: mrc_targets_lock is held.
 * Return: pages; 0 if nobody has the slot.
 */
u64 mrc_group_min(unsigned int slot)
{
	return groups[slot] ? groups[slot]->min : 0;
}

/**
 * mrc_groups_count_begin() - the processes of all groups are to be counted anew
 *
 * Context: mrc_targets_lock is held.
 */
void mrc_groups_count_begin(void)
{
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (groups[i]) {
			groups[i]->seen = 0;
			groups[i]->seen_pages = 0;
			groups[i]->tracked = 0;
			groups[i]->tracked_pages = 0;
		}
}

/**
 * mrc_groups_count() - count a process
 * @slots: of its groups
 * @pages: what it has in memory
 *
 * Context: mrc_targets_lock is held.
 */
void mrc_groups_count(u32 slots, u64 pages)
{
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (slots & BIT(i)) {
			groups[i]->seen++;
			groups[i]->seen_pages += pages;
		}
}

/**
 * mrc_groups_share() - count who is tracked of each group, and divide its CPU budget
 *
 * Context: mrc_targets_lock is held.
 */
void mrc_groups_share(void)
{
	struct mrc_target *t;
	unsigned int i;

	list_for_each_entry(t, &mrc_targets, link)
		for (i = 0; i < MRC_GROUPS; i++)
			if (t->groups & BIT(i) && groups[i]) {
				groups[i]->tracked++;
				groups[i]->tracked_pages += t->pages;
			}
	list_for_each_entry(t, &mrc_targets, link) {
		if (t->own)
			continue;
		i = group_payer(t->groups);
		WRITE_ONCE(t->sharers, groups[i]->tracked);
		WRITE_ONCE(t->budget, &budgets[i]);
	}
}

/**
 * mrc_group_slot() - a slot that no group has
 *
 * Context: mrc_targets_lock is held.
 * Return: it, or -ENOSPC.
 */
int mrc_group_slot(void)
{
	int slot;

	for (slot = 0; slot < MRC_GROUPS; slot++)
		if (!groups[slot])
			return slot;
	return -ENOSPC;
}

/**
 * mrc_group_insert() - from now on a group is found
 * @group: the group
 * @slot: of mrc_group_slot()
 *
 * Context: mrc_targets_lock is held.
 */
void mrc_group_insert(struct mrc_group *group, unsigned int slot)
{
	group->slot = slot;
	group->since = ktime_get_boottime_ns();
	mrc_cpu_budget_reset(&budgets[slot]);
	groups[slot] = group;
}

static struct mrc_group *group_take(unsigned int slot)
{
	struct mrc_group *group = groups[slot];

	groups[slot] = NULL;
	return group;
}

/**
 * mrc_group_take() - a group is no longer found
 * @spec: which
 *
 * Context: may sleep; takes mrc_targets_lock.
 * Return: the group, which is the caller's now, or NULL.
 */
struct mrc_group *mrc_group_take(const struct mrc_target_spec *spec)
{
	struct mrc_group *group;

	mutex_lock(&mrc_targets_lock);
	group = mrc_group_find(spec);
	if (group)
		group_take(group->slot);
	mutex_unlock(&mrc_targets_lock);
	return group;
}

/**
 * mrc_group_take_over() - the same, of one that can have no process any more
 *
 * Context: may sleep; takes mrc_targets_lock.
 * Return: the group, which is the caller's now; NULL if none is over.
 */
struct mrc_group *mrc_group_take_over(void)
{
	struct mrc_group *group = NULL;
	unsigned int i;

	mutex_lock(&mrc_targets_lock);
	for (i = 0; i < MRC_GROUPS && !group; i++)
		if (groups[i] && group_is_over(groups[i]))
			group = group_take(i);
	mutex_unlock(&mrc_targets_lock);
	return group;
}

/**
 * mrc_group_take_any() - the same, of any
 *
 * Context: may sleep; takes mrc_targets_lock.
 * Return: a group, which is the caller's now; NULL if there is none.
 */
struct mrc_group *mrc_group_take_any(void)
{
	struct mrc_group *group = NULL;
	unsigned int i;

	mutex_lock(&mrc_targets_lock);
	for (i = 0; i < MRC_GROUPS && !group; i++)
		group = group_take(i);
	mutex_unlock(&mrc_targets_lock);
	return group;
}

/**
 * mrc_groups_list_shares() - what was set for each group of the division, as it would be written
 * @buf: a page, for which mrc_command_add() has seen to that names leave room
 *
 * Context: mrc_targets_lock is held.
 * Return: length.
 */
int mrc_groups_list_shares(char *buf)
{
	char text[MRC_TARGET_TEXT];
	unsigned int i;
	int n = 0;

	for (i = 0; i < MRC_GROUPS; i++)
		if (groups[i] && (groups[i]->weight != 1 || groups[i]->min)) {
			mrc_target_format(&groups[i]->spec, text);
			n += sysfs_emit_at(buf, n, "%s %u %llu\n", text, groups[i]->weight,
					   groups[i]->min << (PAGE_SHIFT - 10));
		}
	return n;
}

/**
 * mrc_groups_list() - the groups, one a line, as they would be written
 * @buf: a page
 * @n: how much of it is used
 *
 * Context: mrc_targets_lock is held.
 * Return: how much of it is used then.
 */
int mrc_groups_list(char *buf, int n)
{
	char text[MRC_TARGET_TEXT];
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (groups[i]) {
			mrc_target_format(&groups[i]->spec, text);
			n += sysfs_emit_at(buf, n, "%s\n", text);
		}
	return n;
}
