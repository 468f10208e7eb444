// SPDX-License-Identifier: GPL-2.0-only
/* The list of tracked processes, and what all layers ask of one. */

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include <compat/compat.h>
#include <memsuite/process.h>

#include "curve/curve.h"
#include "target/target.h"
#include "target/tunables.h"

LIST_HEAD(mrc_targets);
DEFINE_MUTEX(mrc_targets_lock);		/* of the list, and who is in which group */
/* All processes are looked up there once a second. */
static DEFINE_HASHTABLE(by_nr, 8);

/* Of targets that are no more: without it, what they have done would look undone. */
static struct mrc_share_counts past;

static void counts_add(struct mrc_share_counts *all, const struct mrc_share *s)
{
	all->evicted += READ_ONCE(s->evicted);
	all->replaced += READ_ONCE(s->replaced);
	all->fetched += READ_ONCE(s->fetched);
	all->refused_shared += READ_ONCE(s->refused_shared);
	all->refused_busy += READ_ONCE(s->refused_busy);
}

/**
 * mrc_target_keep_counts() - a target is about to be freed
 * @s: its share; it counts no more
 *
 * Context: mrc_targets_lock is held.
 */
void mrc_target_keep_counts(const struct mrc_share *s)
{
	counts_add(&past, s);
}

/**
 * mrc_target_forget_fetched() - a target has executed another program
 * @s: its share
 *
 * Context: mrc_targets_lock is held.
 */
void mrc_target_forget_fetched(struct mrc_share *s)
{
	past.fetched += s->fetched;
	s->fetched = 0;
}

/**
 * mrc_targets_count() - what was counted of all targets since the module was loaded
 * @all: result
 *
 * Context: mrc_targets_lock is held.
 */
void mrc_targets_count(struct mrc_share_counts *all)
{
	struct mrc_target *t;

	*all = past;
	list_for_each_entry(t, &mrc_targets, link)
		counts_add(all, &t->share);
}

/**
 * mrc_target_link() - a process is tracked from now on
 * @t: its target
 *
 * Context: mrc_targets_lock is held.
 */
void mrc_target_link(struct mrc_target *t)
{
	list_add_tail(&t->link, &mrc_targets);
	hash_add(by_nr, &t->by_nr, t->nr);
}

/**
 * mrc_target_unlink() - it is tracked no more
 * @t: its target
 *
 * Context: mrc_targets_lock is held.
 */
void mrc_target_unlink(struct mrc_target *t)
{
	hash_del(&t->by_nr);
	list_del(&t->link);
}

/**
 * mrc_target_find() - whether a process is tracked
 * @pid: the process
 *
 * Context: mrc_targets_lock is held.
 * Return: its target, or NULL.
 */
struct mrc_target *mrc_target_find(struct pid *pid)
{
	struct mrc_target *t = mrc_target_find_nr(pid_nr(pid));

	return t && t->pid == pid ? t : NULL;
}

/**
 * mrc_target_find_nr() - the same, by number
 * @nr: of the process, in the initial namespace
 *
 * Context: mrc_targets_lock is held.
 * Return: its target, or NULL.
 */
struct mrc_target *mrc_target_find_nr(int nr)
{
	struct mrc_target *t;

	hash_for_each_possible(by_nr, t, by_nr, nr)
		if (t->nr == nr)
			return t;
	return NULL;
}

/**
 * mrc_target_mm() - the address space of a target
 * @t: the target
 *
 * Return: it, with a reference to mmput(), or NULL.
 */
struct mm_struct *mrc_target_mm(const struct mrc_target *t)
{
	struct task_struct *task = get_pid_task(t->pid, PIDTYPE_TGID);
	struct mm_struct *mm = task ? memsuite_process_mm(task) : NULL;

	if (task)
		put_task_struct(task);
	return mm;
}

/**
 * mrc_target_rss() - resident pages of a target
 * @t: the target
 *
 * Context: may sleep.
 * Return: how many.
 */
u64 mrc_target_rss(const struct mrc_target *t)
{
	struct mm_struct *mm = mrc_target_mm(t);
	u64 rss = mm ? get_mm_rss(mm) : 0;

	if (mm)
		mmput_async(mm);
	return rss;
}

/**
 * mrc_target_measured() - a tracker says that its curve is of one more ladder
 * @t: the target
 *
 * Context: may sleep; its lock is held.
 */
void mrc_target_measured(struct mrc_target *t)
{
	unsigned int change = mrc_curve_change(t->announced, t->curve.rate);

	if (change < READ_ONCE(mrc_tunables.change_pct))
		return;
	memcpy(t->announced, t->curve.rate, sizeof(t->announced));
	mrc_changes_notify();
}
