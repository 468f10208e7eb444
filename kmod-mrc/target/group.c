// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets of several processes: one with its children, those of a cgroup, those
 * above a size, all of the machine. Once a second all processes are looked
 * through for who belongs to which, the largest first if there are more than
 * can be tracked. Each is tracked by itself, and paid from a common purse; the
 * curve of all together is added up when it is read (compose.h).
 */

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include <compat/compat.h>

#include "mrc.h"

/* Processes that become tracked by one look. */
#define NEW_MAX	64

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
static struct mrc_group *groups[MRC_GROUPS];
static struct mrc_purse purses[MRC_GROUPS];
static struct candidate candidates[NEW_MAX];
static unsigned int candidates_n;

/**
 * mrc_group_find() - look up a target of several processes
 * @who: which
 *
 * Context: mrc_targets_lock is held.
 * Return: the group, or NULL.
 */
struct mrc_group *mrc_group_find(const struct mrc_who *who)
{
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (groups[i] && mrc_who_same(&groups[i]->who, who))
			return groups[i];
	return NULL;
}

/**
 * mrc_groups_any() - whether there is one
 *
 * Context: mrc_targets_lock is held.
 */
bool mrc_groups_any(void)
{
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (groups[i])
			return true;
	return false;
}

/* Those that are tracked already are not dropped for a page or two. */
static bool is_above(const struct mrc_group *group, u64 pages, bool tracked)
{
	u64 bytes = group->who.bytes;

	return pages << PAGE_SHIFT >= (tracked ? bytes - bytes / 8 : bytes);
}

/* Slots of the groups that a process belongs to. Under RCU. */
static u32 groups_of(struct task_struct *task, u64 pages, u32 before)
{
	u32 kin = mrc_kin_groups(task_tgid(task)), slots = 0;
	unsigned int i;
	bool in;

	for (i = 0; i < MRC_GROUPS; i++) {
		if (!groups[i])
			continue;
		switch (groups[i]->who.scope) {
		case MRC_PROCESS:
			in = kin & BIT(i);
			break;
		case MRC_CGROUP:
			in = cgroup_is_descendant(task_dfl_cgroup(task),
						  groups[i]->cgroup);
			break;
		case MRC_ABOVE:
			in = is_above(groups[i], pages, before & BIT(i));
			break;
		default:
			in = true;
		}
		if (in)
			slots |= BIT(i);
	}
	return slots;
}

static bool is_root(int nr, u32 slots)
{
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (slots & BIT(i) && groups[i]->who.scope == MRC_PROCESS &&
		    groups[i]->who.pid == nr)
			return true;
	return false;
}

/*
 * Whether a process is likely to see the end of a ladder, which looks for ladder_ms
 * both ways. Of those that have lived for some time, half live for as long again
 * (Harchol-Balter and Downey 1997); most live for less.
 */
static bool is_lasting(struct task_struct *task)
{
	u64 age = ktime_get_boottime_ns() - task->start_boottime;

	return age >= 2 * NSEC_PER_MSEC * READ_ONCE(mrc_tunables.ladder_ms);
}

/* What comes later is paid from what the group has. */
static u32 loan_of(struct task_struct *task, u32 slots)
{
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (slots & BIT(i) && task->start_boottime < groups[i]->since)
			return MRC_LOAN_GROUP;
	return 0;
}

/* The larger ones are kept. */
static void propose(struct pid *pid, u32 slots, u64 pages, u32 loan)
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

static struct mrc_target *tracked(const struct pid *pid)
{
	struct mrc_target *t;

	list_for_each_entry(t, &mrc_targets, link)
		if (t->pid == pid)
			return t;
	return NULL;
}

/* Under RCU. */
static void look_at(struct task_struct *task)
{
	struct mrc_target *t;
	u64 pages = 0;
	unsigned int i;
	u32 slots;
	bool has_mm;

	task_lock(task);
	has_mm = task->mm && !(task->flags & PF_KTHREAD);
	if (has_mm)
		pages = get_mm_rss(task->mm);
	task_unlock(task);
	if (!has_mm)
		return;
	t = tracked(task_tgid(task));
	slots = groups_of(task, pages, t ? t->groups : 0);
	for (i = 0; i < MRC_GROUPS; i++)
		if (slots & BIT(i)) {
			groups[i]->seen++;
			groups[i]->seen_pages += pages;
		}
	if (t) {
		t->wanted = slots;
		t->pages = pages;
	} else if (slots && (READ_ONCE(mrc_tunables.mode) != MRC_MODE_LADDER ||
			     is_lasting(task) || is_root(task_tgid_nr(task), slots))) {
		propose(task_tgid(task), slots, pages, loan_of(task, slots));
	}
}

/* Its processes can only be none, now and later. */
static bool is_over(const struct mrc_group *group)
{
	if (group->cgroup)
		return !(group->cgroup->self.flags & CSS_ONLINE);
	return group->who.scope == MRC_PROCESS && !mrc_kin_left(group->slot);
}

/* Whoever is in several is paid by the one that leaves it most. */
static unsigned int payer(u32 slots)
{
	unsigned int i, best = MRC_GROUPS;

	for (i = 0; i < MRC_GROUPS; i++)
		if (slots & BIT(i) && groups[i] &&
		    (best == MRC_GROUPS || groups[i]->tracked < groups[best]->tracked))
			best = i;
	return best;
}

/**
 * mrc_group_purse() - what the ladders of a process in some groups are paid from
 * @slots: of the groups
 *
 * Context: mrc_targets_lock is held.
 * Return: the purse, or NULL if it is in none.
 */
struct mrc_purse *mrc_group_purse(u32 slots)
{
	unsigned int slot = payer(slots);

	return slot < MRC_GROUPS ? &purses[slot] : NULL;
}

/* How many are tracked of each group, and what that leaves to each of them. */
static void share(void)
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
		i = payer(t->groups);
		WRITE_ONCE(t->sharers, groups[i]->tracked);
		WRITE_ONCE(t->purse, &purses[i]);
	}
}

static bool track_candidates(void)
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

/* Return: whether a process has come or gone. */
static bool look(void)
{
	struct mrc_target *t, *next;
	struct task_struct *task;
	bool changed = false;
	unsigned int i;

	list_for_each_entry(t, &mrc_targets, link)
		t->wanted = 0;
	for (i = 0; i < MRC_GROUPS; i++)
		if (groups[i]) {
			groups[i]->seen = 0;
			groups[i]->seen_pages = 0;
			groups[i]->tracked = 0;
			groups[i]->tracked_pages = 0;
		}
	rcu_read_lock();
	for_each_process(task)
		look_at(task);
	rcu_read_unlock();
	list_for_each_entry_safe(t, next, &mrc_targets, link) {
		changed |= t->groups != t->wanted;
		t->groups = t->wanted;
		if (!t->groups && !t->own)
			mrc_target_drop(t);
	}
	changed |= track_candidates();
	share();
	return changed;
}

static void destroy(struct mrc_group *group)
{
	/* Its readers take mrc_targets_lock. */
	mrc_debugfs_remove(group->dir);
	mrc_kin_stop(group->slot);
	if (group->cgroup)
		cgroup_put(group->cgroup);
	kfree(group);
}

/* One that is over is no longer found; NULL if none is. */
static struct mrc_group *take_over(void)
{
	struct mrc_group *group = NULL;
	unsigned int i;

	mutex_lock(&mrc_targets_lock);
	for (i = 0; i < MRC_GROUPS && !group; i++)
		if (groups[i] && is_over(groups[i])) {
			group = groups[i];
			groups[i] = NULL;
		}
	mutex_unlock(&mrc_targets_lock);
	return group;
}

/* Under change_lock. */
static void look_at_all(void)
{
	struct mrc_group *group;
	bool changed = false;

	while ((group = take_over())) {
		destroy(group);
		changed = true;
	}
	mutex_lock(&mrc_targets_lock);
	/* Also when the last one has gone: its processes are dropped. */
	changed |= look();
	mutex_unlock(&mrc_targets_lock);
	if (changed)
		mrc_sysfs_changed();
}

/**
 * mrc_groups_look() - look who belongs to which group
 *
 * Context: may sleep.
 */
void mrc_groups_look(void)
{
	mutex_lock(&change_lock);
	look_at_all();
	mutex_unlock(&change_lock);
}

static int open_cgroup(struct mrc_group *group)
{
	struct cgroup *cgroup;

	if (group->who.scope != MRC_CGROUP)
		return 0;
	cgroup = cgroup_get_from_path(group->who.cgroup);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	group->cgroup = cgroup;
	return 0;
}

/* The process that children are to be followed of. */
static int open_root(struct mrc_group *group, unsigned int slot)
{
	struct pid *pid = find_get_pid(group->who.pid);
	struct task_struct *task = pid ? get_pid_task(pid, PIDTYPE_TGID) : NULL;
	int err = -ESRCH;

	if (task) {
		group->who.pid = pid_nr(pid);
		err = task->flags & PF_KTHREAD ? -EINVAL :
			mrc_kin_start(pid, slot);
		put_task_struct(task);
	}
	put_pid(pid);
	return err;
}

/* Under mrc_targets_lock. */
static int publish(struct mrc_group *group)
{
	unsigned int slot = 0;
	int err = 0;

	if (mrc_group_find(&group->who))
		return -EEXIST;
	while (slot < MRC_GROUPS && groups[slot])
		slot++;
	if (slot == MRC_GROUPS)
		return -ENOSPC;
	if (group->who.scope == MRC_PROCESS)
		err = open_root(group, slot);
	if (err)
		return err;
	group->slot = slot;
	group->since = ktime_get_boottime_ns();
	mrc_purse_reset(&purses[slot], mrc_now_us());
	groups[slot] = group;
	mrc_debugfs_add_group(group);
	return 0;
}

/**
 * mrc_group_add() - track several processes
 * @who: which
 *
 * Context: may sleep.
 * Return: 0, -ESRCH (no such process), -EINVAL (a kernel thread), -ENOENT (no
 * such cgroup), -EEXIST, -ENOSPC (too many), -EOPNOTSUPP (children cannot be
 * followed) or -ENOMEM.
 */
int mrc_group_add(const struct mrc_who *who)
{
	struct mrc_group *group = kzalloc(sizeof(*group), GFP_KERNEL);
	int err;

	if (!group)
		return -ENOMEM;
	group->who = *who;
	err = open_cgroup(group);
	if (err) {
		kfree(group);
		return err;
	}
	mutex_lock(&change_lock);
	mutex_lock(&mrc_targets_lock);
	err = publish(group);
	mutex_unlock(&mrc_targets_lock);
	if (!err)
		look_at_all();
	mutex_unlock(&change_lock);
	if (!err) {
		mrc_watch_kick();
		return 0;
	}
	if (group->cgroup)
		cgroup_put(group->cgroup);
	kfree(group);
	return err;
}

/**
 * mrc_group_remove() - no longer track them
 * @who: which
 *
 * Context: may sleep.
 * Return: 0 or -ENOENT.
 */
int mrc_group_remove(const struct mrc_who *who)
{
	struct mrc_group *group;

	mutex_lock(&change_lock);
	mutex_lock(&mrc_targets_lock);
	group = mrc_group_find(who);
	if (group)
		groups[group->slot] = NULL;
	mutex_unlock(&mrc_targets_lock);
	if (group) {
		destroy(group);
		look_at_all();
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
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (groups[i]) {
			destroy(groups[i]);
			groups[i] = NULL;
		}
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
	char text[MRC_WHO];
	unsigned int i;

	for (i = 0; i < MRC_GROUPS; i++)
		if (groups[i]) {
			mrc_who_format(&groups[i]->who, text);
			n += sysfs_emit_at(buf, n, "%s\n", text);
		}
	return n;
}

/* Times do not add up: the longest, but of horizons the shortest. */
static void add_stats(struct mrc_stats *sum, const struct mrc_stats *stats)
{
	u64 *to = (u64 *)sum;
	const u64 *from = (const u64 *)stats;
	struct mrc_stats before = *sum;
	unsigned int i;

	for (i = 0; i < sizeof(*sum) / sizeof(u64); i++)
		to[i] += from[i];
	sum->enabled_ns = max(before.enabled_ns, stats->enabled_ns);
	sum->ladder_us = max(before.ladder_us, stats->ladder_us);
	sum->period_us = max(before.period_us, stats->period_us);
	sum->floor_us = max(before.floor_us, stats->floor_us);
	sum->pages_per_sample = max(before.pages_per_sample,
				    stats->pages_per_sample);
	sum->horizon_us = stats->horizon_us;
	if (before.horizon_us)
		sum->horizon_us = min(before.horizon_us, stats->horizon_us);
}

/* The whole, or sub-sample @sub of every process. */
static void add_rates(struct mrc_sum *sum, unsigned int slot, int sub)
{
	struct mrc_target *t;

	mrc_compose_begin(&sum->compose);
	list_for_each_entry(t, &mrc_targets, link) {
		if (!(t->groups & BIT(slot)))
			continue;
		mutex_lock(&t->lock);
		mrc_compose_add(&sum->compose, sub < 0 ? t->curve.rate :
						       t->curve.sub[sub]);
		mutex_unlock(&t->lock);
	}
	mrc_compose_finish(&sum->compose,
			   sub < 0 ? sum->curve.rate : sum->curve.sub[sub]);
}

/**
 * mrc_group_sum() - add up what is known of a group's processes
 * @group: the group
 *
 * Context: may sleep; takes mrc_targets_lock.
 * Return: the sum, for kvfree(), or NULL.
 */
struct mrc_sum *mrc_group_sum(struct mrc_group *group)
{
	struct mrc_sum *sum = kvzalloc(sizeof(*sum), GFP_KERNEL);
	struct mrc_target *t;
	int k;

	if (!sum)
		return NULL;
	mutex_lock(&mrc_targets_lock);
	list_for_each_entry(t, &mrc_targets, link) {
		if (!(t->groups & BIT(group->slot)))
			continue;
		mutex_lock(&t->lock);
		if (t->curve.ladders) {
			add_stats(&sum->stats, &t->stats);
			sum->curve.floor += t->curve.floor;
			sum->curve.sampled += t->curve.sampled;
			sum->measured++;
		}
		mutex_unlock(&t->lock);
	}
	sum->curve.ladders = sum->measured;
	sum->curve.accesses = READ_ONCE(group->accesses);
	/* The whole comes last, and leaves its working sets. */
	for (k = MRC_SUBS - 1; k >= -1; k--)
		add_rates(sum, group->slot, k);
	mutex_unlock(&mrc_targets_lock);
	return sum;
}
