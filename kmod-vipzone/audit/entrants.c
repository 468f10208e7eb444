// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who enters a cgroup whose policy has the option "move"; entrants.h.
 *
 * A tracepoint only notes the process, once for all of its threads. A work looks at one after
 * the other and moves what the quota allows. Whether the process is still under such a policy
 * is asked then: it may have gone on, or the policy.
 */

#include <linux/cgroup.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <trace/events/cgroup.h>

#include <memsuite/process.h>
#include <memsuite/tracepoints.h>

#include "audit/entrants.h"
#include "audit/move_quota.h"
#include "audit/process_move.h"
#include "policy/cgroup_watch.h"
#include "policy/lookup.h"

/* As many wait at most; each takes 100 bytes, and keeps the number of its process from others. */
#define MOST_WAITING	16384
/* As many are known at most to have been moved. */
#define MOST_MOVED	1024
/* A process is looked at again so often at most, as long as some of its pages are busy. */
#define MOST_RETRIES	5
#define RETRY_JIFFIES	HZ
/* Whoever enters a cgroup often calls exec next, which leaves nothing to be moved. */
#define SETTLE_JIFFIES	(HZ / 10)
/* Until there is quota again. */
#define QUOTA_JIFFIES	(HZ / 10)
#define TASKS_AT_ONCE	1024	/* between two chances for others to run */

enum entrant_state {
	ENTRANT_WAITS,		/* in waiting or retrying */
	ENTRANT_SERVED,		/* by the work; in no list */
	ENTRANT_MOVED,		/* in moved */
};

/**
 * struct entrant - a process that has entered
 * @by_pid: in the table of them
 * @link: in the list of its state
 * @pid: the process, held: no other is taken for it
 * @state: what becomes of it
 * @policy: that of the cgroup it was last seen to enter, NULL if it has no "move"; may be gone
 * @era: in which that was so
 * @again: it has entered another cgroup while it was served
 * @addr: where to go on in its memory
 * @busy: pages of it that were busy on the way there
 * @tries: times that it was looked at to the end
 * @due: when it is looked at again
 */
struct entrant {
	struct hlist_node by_pid;
	struct list_head link;
	struct pid *pid;
	enum entrant_state state;
	const struct vipzone_policy *policy;
	u64 era;
	bool again;
	unsigned long addr;
	u64 busy;
	unsigned int tries;
	unsigned long due;
};

/* Taken inside a tracepoint, with interrupts off: nothing under it sleeps. */
static DEFINE_SPINLOCK(entrants_lock);		/* of what follows */
static DEFINE_HASHTABLE(by_pid, 8);
static LIST_HEAD(waiting);			/* the first to have come first */
static LIST_HEAD(retrying);			/* the first to be due first */
static LIST_HEAD(moved);			/* the first to be forgotten first */
static unsigned int nr_waiting;			/* that is, not moved */
static unsigned int nr_moved;
static u64 era;			/* goes on when a policy comes or goes: pointers may mean others */
static u64 moved_entrants, retried_entrants, lost_entrants;

static DEFINE_MUTEX(start_lock);
static struct workqueue_struct *queue;		/* under start_lock; NULL: nobody listens */
static bool ending;

static void entrants_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(move_work, entrants_work);

static struct entrant *entrant_find(const struct pid *pid)
{
	struct entrant *entrant;

	hash_for_each_possible(by_pid, entrant, by_pid, (unsigned long)pid)
		if (entrant->pid == pid)
			return entrant;
	return NULL;
}

/* It is in no list. */
static void entrant_free(struct entrant *entrant)
{
	hash_del(&entrant->by_pid);
	put_pid(entrant->pid);
	kfree(entrant);
}

static void entrant_wait(struct entrant *entrant)
{
	entrant->state = ENTRANT_WAITS;
	entrant->addr = 0;
	entrant->busy = 0;
	entrant->tries = 0;
	list_add_tail(&entrant->link, &waiting);
	nr_waiting++;
}

static struct entrant *entrant_new(struct pid *pid)
{
	struct entrant *entrant = NULL;

	if (nr_waiting < MOST_WAITING)
		entrant = kzalloc(sizeof(*entrant), GFP_NOWAIT | __GFP_NOWARN);
	if (!entrant) {
		lost_entrants++;
		return NULL;
	}
	entrant->pid = get_pid(pid);
	hash_add(by_pid, &entrant->by_pid, (unsigned long)pid);
	entrant_wait(entrant);
	return entrant;
}

/* One that was moved is to be moved again, or leaves the cgroups where it would be. */
static void entrant_unsettle(struct entrant *entrant)
{
	list_del(&entrant->link);
	nr_moved--;
	if (entrant->policy)
		entrant_wait(entrant);
	else
		entrant_free(entrant);
}

/* @policy: NULL if it has no "move", or there is none. */
static void entrant_note(struct pid *pid, const struct vipzone_policy *policy)
{
	struct entrant *entrant = entrant_find(pid);

	if (!entrant && policy)
		entrant = entrant_new(pid);
	/* Within the cgroups of one policy, its pages are where they belong, or wait for that. */
	if (!entrant || (entrant->policy == policy && entrant->era == era))
		return;
	entrant->policy = policy;
	entrant->era = era;
	entrant->again = entrant->state == ENTRANT_SERVED;
	if (entrant->state == ENTRANT_WAITS)
		entrant->addr = 0;
	else if (entrant->state == ENTRANT_MOVED)
		entrant_unsettle(entrant);
}

/* Under RCU, which keeps the policy. */
static void process_note(struct task_struct *task, const struct vipzone_policy *policy)
{
	unsigned long flags;

	spin_lock_irqsave(&entrants_lock, flags);
	entrant_note(task_tgid(task), policy);
	if (nr_waiting)
		queue_delayed_work(queue, &move_work, SETTLE_JIFFIES);
	spin_unlock_irqrestore(&entrants_lock, flags);
}

/* A process, or a thread of it alone, was moved to a cgroup: both are the process's business. */
static void probe_enter(void *data, struct cgroup *cgroup, const char *path,
			struct task_struct *task, bool threadgroup)
{
	const struct vipzone_policy *policy;

	if (cgroup->root != &cgrp_dfl_root || task->flags & PF_KTHREAD)
		return;
	rcu_read_lock();
	policy = vipzone_policy_of_cgroup(cgroup);
	process_note(task, policy && policy->command.move ? policy : NULL);
	rcu_read_unlock();
}

/* cgroup_transfer_tasks, the other one, is for hierarchies of version 1 alone. */
static struct memsuite_tracepoint probes[] = {
	MEMSUITE_TRACEPOINT(cgroup_attach_task, probe_enter),
};

/* Returns false if it has to begin again. Who is noted twice waits once. */
static bool members_note(const struct vipzone_policy *policy)
{
	struct task_struct *task;
	unsigned int nr = 0;
	bool all = true;

	rcu_read_lock();
	for_each_process(task) {
		if (!(task->flags & PF_KTHREAD) &&
		    vipzone_policy_of_cgroup(task_dfl_cgroup(task)) == policy)
			process_note(task, policy);
		all = ++nr % TASKS_AT_ONCE || vipzone_cgroup_watch_rest(task, task);
		if (!all)
			break;
	}
	rcu_read_unlock();
	return all;
}

void vipzone_entrants_gather(const struct vipzone_policy *policy)
{
	while (!members_note(policy))
		;
}

void vipzone_entrants_forget(void)
{
	unsigned long flags;

	spin_lock_irqsave(&entrants_lock, flags);
	era++;
	spin_unlock_irqrestore(&entrants_lock, flags);
}

/* The next one that is due, to be served; or NULL. */
static struct entrant *entrant_take(void)
{
	struct entrant *entrant;
	unsigned long flags;

	spin_lock_irqsave(&entrants_lock, flags);
	entrant = list_first_entry_or_null(&retrying, struct entrant, link);
	if (!entrant || time_before(jiffies, entrant->due))
		entrant = list_first_entry_or_null(&waiting, struct entrant, link);
	if (entrant) {
		list_del(&entrant->link);
		entrant->state = ENTRANT_SERVED;
		entrant->again = false;
	}
	spin_unlock_irqrestore(&entrants_lock, flags);
	return entrant;
}

/* The administrator's, for what a program has chosen is moved if that is. */
static bool moves_entrants(struct vipzone_policy *policy)
{
	return vipzone_policy_base(policy)->command.move;
}

/* Returns -ESRCH if there is nobody to be moved, else as vipzone_process_move() does. */
static int entrant_move(const struct entrant *entrant, struct vipzone_process_move *move)
{
	struct task_struct *task = get_pid_task(entrant->pid, PIDTYPE_TGID);
	struct mm_struct *mm = task ? memsuite_process_mm_grab(task) : NULL;
	struct vipzone_policy *policy = mm ? vipzone_policy_hold(mm) : NULL;
	int err = -ESRCH;

	if (policy && moves_entrants(policy))
		err = vipzone_process_move(mm, task, policy, move);
	if (policy)
		vipzone_policy_put(policy);
	if (mm)
		mmdrop(mm);
	if (task)
		put_task_struct(task);
	return err;
}

/* All of it was looked at, or could not be at the moment. Returns whether it is tried again. */
static bool entrant_retry(struct entrant *entrant, int err)
{
	if (!err && !entrant->busy)
		return false;
	/* Who has its mmap_lock may take long, as fork does; not to get it costs little. */
	if (err != -EAGAIN && ++entrant->tries > MOST_RETRIES)
		return false;
	retried_entrants++;
	/* From the start, or from where it could not be looked at. */
	if (!err) {
		entrant->addr = 0;
		entrant->busy = 0;
	}
	entrant->state = ENTRANT_WAITS;
	entrant->due = jiffies + RETRY_JIFFIES;
	list_add_tail(&entrant->link, &retrying);
	return true;
}

static void entrant_settle(struct entrant *entrant)
{
	entrant->state = ENTRANT_MOVED;
	nr_waiting--;
	list_add_tail(&entrant->link, &moved);
	moved_entrants++;
	if (++nr_moved <= MOST_MOVED)
		return;
	entrant = list_first_entry(&moved, struct entrant, link);
	list_del(&entrant->link);
	nr_moved--;
	entrant_free(entrant);
}

/* What becomes of one that was served, with @err. */
static void entrant_go_on(struct entrant *entrant, const struct vipzone_process_move *move, int err)
{
	entrant->addr = move->addr;
	entrant->busy += move->moves[MEMSUITE_MIGRATE_BUSY];
	if (entrant->again) {
		nr_waiting--;
		entrant_wait(entrant);
	} else if (err == -ESRCH) {
		nr_waiting--;
		entrant_free(entrant);
	} else if (err == -EINTR || (!err && entrant->addr)) {
		entrant->state = ENTRANT_WAITS;
		list_add(&entrant->link, &waiting);
	} else if (!entrant_retry(entrant, err)) {
		entrant_settle(entrant);
	}
}

static void entrant_serve(struct entrant *entrant, long pages)
{
	struct vipzone_process_move move = {
		.why = VIPZONE_MOVE_ENTERED,
		.wait = MEMSUITE_WALK_RETRY,
		.pages = pages,
		.ending = &ending,
		.addr = entrant->addr,
	};
	int err = entrant_move(entrant, &move);
	unsigned long flags;

	vipzone_move_quota_return(move.pages, move.moves[MEMSUITE_MIGRATED], move.moving_ns);
	spin_lock_irqsave(&entrants_lock, flags);
	entrant_go_on(entrant, &move, err);
	spin_unlock_irqrestore(&entrants_lock, flags);
}

/* Who comes by the tracepoint queues the work. This is for those who wait already. */
static void work_requeue(void)
{
	struct entrant *first;
	unsigned long flags;

	spin_lock_irqsave(&entrants_lock, flags);
	first = list_first_entry_or_null(&retrying, struct entrant, link);
	if (!list_empty(&waiting))
		queue_delayed_work(queue, &move_work, QUOTA_JIFFIES);
	else if (first)
		queue_delayed_work(queue, &move_work,
				   max_t(long, first->due - jiffies, QUOTA_JIFFIES));
	spin_unlock_irqrestore(&entrants_lock, flags);
}

static void entrants_work(struct work_struct *work)
{
	struct entrant *entrant;
	long pages;

	while (!READ_ONCE(ending)) {
		pages = vipzone_move_quota_take();
		entrant = pages > 0 ? entrant_take() : NULL;
		if (!entrant) {
			vipzone_move_quota_return(pages, 0, 0);
			break;
		}
		entrant_serve(entrant, pages);
	}
	work_requeue();
}

int vipzone_entrants_start(void)
{
	int err = 0;

	mutex_lock(&start_lock);
	if (!queue) {
		queue = alloc_workqueue("vipzone_entrants", WQ_UNBOUND, 1);
		err = queue ? memsuite_tracepoints_register(probes, ARRAY_SIZE(probes)) : -ENOMEM;
		if (err && queue) {
			destroy_workqueue(queue);
			queue = NULL;
		}
	}
	mutex_unlock(&start_lock);
	return err;
}

static void entrants_free(struct list_head *entrants)
{
	struct entrant *entrant, *next;

	list_for_each_entry_safe(entrant, next, entrants, link)
		entrant_free(entrant);
	INIT_LIST_HEAD(entrants);
}

void vipzone_entrants_stop(void)
{
	if (!queue)
		return;
	memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
	WRITE_ONCE(ending, true);
	cancel_delayed_work_sync(&move_work);
	destroy_workqueue(queue);
	queue = NULL;
	entrants_free(&waiting);
	entrants_free(&retrying);
	entrants_free(&moved);
}

u64 vipzone_entrants_waiting(void)
{
	return READ_ONCE(nr_waiting);
}

u64 vipzone_entrants_moved(void)
{
	return READ_ONCE(moved_entrants);
}

u64 vipzone_entrants_retried(void)
{
	return READ_ONCE(retried_entrants);
}

u64 vipzone_entrants_lost(void)
{
	return READ_ONCE(lost_entrants);
}
