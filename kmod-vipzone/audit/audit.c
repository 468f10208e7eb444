// SPDX-License-Identifier: GPL-2.0-only
/*
 * The audit: a thread that visits the processes under a policy, in rounds. A
 * round looks at a bounded number of pages and moves a bounded number, and the
 * next one goes on where it ended.
 */

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include <memsuite/control.h>
#include <memsuite/process.h>

#include "audit/audit.h"
#include "audit/hotness.h"
#include "audit/move_quota.h"
#include "audit/page_history.h"
#include "audit/visit.h"
#include "energy/region_energy.h"
#include "policy/cgroup_watch.h"
#include "policy/lookup.h"
#include "policy/process_energy.h"
#include "policy/process_table.h"
#include "steer/access_charge.h"

/* Processes that are found in one pass over all tasks. */
#define CROWD		64
#define TASKS_AT_ONCE	1024	/* between two chances for others to run */

#define MAX_INTERVAL_MS	3600000

/* So many rounds are in vain, for the process itself has its mmap_lock, before it is left out. */
#define MAX_PUT_OFFS	64

static DEFINE_MUTEX(audit_lock);
static struct task_struct *thread;		/* under audit_lock */
static unsigned int interval_ms;		/* 0: no thread */
static unsigned int sample_pages = 16384;
static bool sample_accesses;
static unsigned int hot_looks = 3;
static unsigned int idle_looks = 10;
static u64 rounds;

/**
 * struct place - of a process among all, which are in the order in which they began
 * @pid: the process, with a reference; NULL: in front of the first
 * @began: when it began
 */
struct place {
	struct pid *pid;
	u64 began;
};

/**
 * struct cursor - where a round ended; the thread's own
 * @seen: the last process that was visited to its end
 * @now: the one behind it, which was begun
 * @addr: address to go on at in that one
 * @put_offs: rounds in which nobody came to that address, for the process was at it itself
 * @counted: accesses were counted when the last round ended
 * @pass: over all processes, the number of the one under way
 */
struct cursor {
	struct place seen;
	struct place now;
	unsigned long addr;
	unsigned int put_offs;
	bool counted;
	u64 pass;
};

static void place_set(struct place *place, const struct place *to)
{
	put_pid(place->pid);
	*place = *to;
	get_pid(place->pid);
}

/* Under RCU. */
static bool is_covered(struct task_struct *task)
{
	struct mm_struct *mm = memsuite_process_mm_grab(task);
	bool covered = false;

	if (mm) {
		preempt_disable();
		covered = vipzone_policy_of(mm);
		preempt_enable();
		mmdrop(mm);
	}
	return covered;
}

/*
 * Under RCU, of each task in turn: whether it lies behind a place. If the process that was there
 * is gone, by time, which may be wrong about two that began at once.
 */
static bool is_behind(const struct place *place, struct task_struct *task, bool *passed)
{
	if (*passed || !place->pid)
		return true;
	if (!pid_task(place->pid, PIDTYPE_TGID))
		return task->start_time > place->began;
	*passed = task_tgid(task) == place->pid;
	return false;
}

/* The first processes under a policy behind @seen. @all: there are no more. */
static unsigned int find_processes(const struct place *seen, struct place *found, bool *all)
{
	struct task_struct *task;
	unsigned int nr = 0, looks = 0;
	bool passed = false;

	*all = true;
	rcu_read_lock();
	for_each_process(task) {
		*all = nr < CROWD && (++looks % TASKS_AT_ONCE ||
				      vipzone_cgroup_watch_rest(task, task));
		if (!*all)
			break;
		if (!is_behind(seen, task, &passed) || !is_covered(task))
			continue;
		found[nr].pid = get_task_pid(task, PIDTYPE_TGID);
		found[nr++].began = task->start_time;
	}
	rcu_read_unlock();
	return nr;
}

/* Returns where to go on in it, or 0. */
static unsigned long visit_process(struct pid *pid, unsigned long addr,
				   struct vipzone_visit_limits *limits)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm = task ? memsuite_process_mm_grab(task) : NULL;
	struct vipzone_policy *policy = mm ? vipzone_policy_hold(mm) : NULL;

	if (policy) {
		addr = vipzone_visit(task, mm, policy, addr, limits);
		vipzone_policy_put(policy);
	} else {
		addr = 0;
	}
	if (mm)
		mmdrop(mm);
	if (task)
		put_task_struct(task);
	return addr;
}

/* Go on with a process; whether it has been visited to its end, or is given up. */
static bool cursor_visit(struct cursor *cursor, const struct place *at,
			 struct vipzone_visit_limits *limits)
{
	unsigned long addr;

	/* Where it was in one that is gone means nothing in another. */
	if (cursor->now.pid != at->pid) {
		place_set(&cursor->now, at);
		cursor->addr = 0;
		cursor->put_offs = 0;
	}
	addr = visit_process(at->pid, cursor->addr, limits);
	cursor->put_offs = addr && addr == cursor->addr ? cursor->put_offs + 1 : 0;
	cursor->addr = cursor->put_offs < MAX_PUT_OFFS ? addr : 0;
	if (!cursor->addr)
		place_set(&cursor->seen, at);
	return !cursor->addr;
}

/* Returns whether all processes have been visited. */
static bool visit_some(struct cursor *cursor, struct vipzone_visit_limits *limits)
{
	static const struct place first;
	struct place found[CROWD];
	bool all, ended = true;
	unsigned int nr, i;

	nr = find_processes(&cursor->seen, found, &all);
	for (i = 0; i < nr; i++) {
		if (ended && limits->entries > 0 && !kthread_should_stop())
			ended = cursor_visit(cursor, &found[i], limits);
		put_pid(found[i].pid);
	}
	/* The next round begins with the first one again. */
	if (!all || !ended || limits->entries <= 0)
		return false;
	place_set(&cursor->seen, &first);
	place_set(&cursor->now, &first);
	return true;
}

static void audit_round(struct cursor *cursor)
{
	struct vipzone_visit_limits limits;
	bool all, counted;

	limits = (struct vipzone_visit_limits) {
		.entries = READ_ONCE(sample_pages),
		.pages = vipzone_move_quota_take(),
		.sample = READ_ONCE(sample_accesses),
		.hot_looks = READ_ONCE(hot_looks),
		.idle_looks = READ_ONCE(idle_looks),
		.pass = cursor->pass,
	};
	all = visit_some(cursor, &limits);
	cursor->pass += all;
	vipzone_move_quota_return(limits.pages, limits.moved, limits.moving_ns);
	vipzone_charge_round();
	counted = vipzone_charge_is_on();
	vipzone_policies_settle(counted || cursor->counted, all);
	cursor->counted = counted;
	vipzone_region_energy_settle();
	vipzone_page_history_sweep(false);
	vipzone_process_energy_sweep(false);
	WRITE_ONCE(rounds, rounds + 1);
}

static int audit_main(void *unused)
{
	struct cursor cursor = { .pass = 1 };

	set_user_nice(current, MAX_NICE);
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule_timeout(msecs_to_jiffies(READ_ONCE(interval_ms)));
		__set_current_state(TASK_RUNNING);
		if (!kthread_should_stop())
			audit_round(&cursor);
	}
	put_pid(cursor.seen.pid);
	put_pid(cursor.now.pid);
	vipzone_charge_round();
	vipzone_policies_settle(true, true);
	vipzone_page_history_sweep(true);
	vipzone_process_energy_sweep(false);
	vipzone_region_energy_spare_none();
	return 0;
}

/* Under audit_lock. */
static int audit_start(void)
{
	struct task_struct *task = kthread_run(audit_main, NULL, "vipzone_audit");

	if (IS_ERR(task))
		return PTR_ERR(task);
	thread = get_task_struct(task);
	return vipzone_charge_want(sample_accesses);
}

/* Under audit_lock. */
static void audit_stop(void)
{
	if (!thread)
		return;
	kthread_stop(thread);
	put_task_struct(thread);
	thread = NULL;
	vipzone_charge_want(false);
}

static int set_interval(u64 ms)
{
	int err = 0;

	mutex_lock(&audit_lock);
	if (!ms)
		audit_stop();
	WRITE_ONCE(interval_ms, ms);
	if (ms && !thread)
		err = audit_start();
	else if (ms)
		wake_up_process(thread);
	if (err) {
		audit_stop();
		WRITE_ONCE(interval_ms, 0);
	}
	mutex_unlock(&audit_lock);
	return err;
}

void vipzone_audit_stop(void)
{
	set_interval(0);
}

static u64 thread_cpu_ns(void)
{
	u64 ns;

	mutex_lock(&audit_lock);
	ns = thread ? READ_ONCE(thread->se.sum_exec_runtime) : 0;
	mutex_unlock(&audit_lock);
	return ns;
}

static int set_sampling(bool on)
{
	int err;

	mutex_lock(&audit_lock);
	err = vipzone_charge_want(on && thread);
	if (!err)
		WRITE_ONCE(sample_accesses, on);
	mutex_unlock(&audit_lock);
	return err;
}

MEMSUITE_ATTR_NUMBER_SET(interval_ms, READ_ONCE(interval_ms), set_interval, 0, MAX_INTERVAL_MS);
MEMSUITE_ATTR_NUMBER(sample_pages, sample_pages, 512, 1 << 24);
MEMSUITE_ATTR_NUMBER_SET(quota_kib_s, vipzone_move_quota_rate(), vipzone_move_quota_set_rate, 0,
			 VIPZONE_MOVE_QUOTA_MAX);
MEMSUITE_ATTR_SWITCH(quota_auto, vipzone_move_quota_is_auto(), vipzone_move_quota_set_auto);
MEMSUITE_ATTR_SWITCH(sample_accesses, READ_ONCE(sample_accesses), set_sampling);
MEMSUITE_ATTR_NUMBER(hot_looks, hot_looks, 1, VIPZONE_HOTNESS_MAX_LOOKS);
MEMSUITE_ATTR_NUMBER(idle_looks, idle_looks, 1, VIPZONE_HOTNESS_MAX_LOOKS);
MEMSUITE_ATTR_NUMBER_RO(rounds, READ_ONCE(rounds));
MEMSUITE_ATTR_NUMBER_RO(cpu_ns, thread_cpu_ns());
MEMSUITE_ATTR_NUMBER_RO(history_bytes, vipzone_page_history_bytes());

static struct attribute *audit_attrs[] = {
	&interval_ms_attr.attr, &sample_pages_attr.attr,
	&quota_kib_s_attr.attr, &quota_auto_attr.attr, &sample_accesses_attr.attr,
	&hot_looks_attr.attr, &idle_looks_attr.attr, &rounds_attr.attr,
	&cpu_ns_attr.attr, &history_bytes_attr.attr, NULL
};

const struct attribute_group vipzone_audit_group = {
	.name = "audit",
	.attrs = audit_attrs,
};
