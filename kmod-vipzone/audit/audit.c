// SPDX-License-Identifier: GPL-2.0-only
/*
 * The audit: a thread that visits the processes under a policy, in rounds. A
 * round looks at a bounded number of pages and moves a bounded number, and the
 * next one goes on where it ended.
 */

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include <memsuite/control.h>
#include <memsuite/process.h>

#include "audit/audit.h"
#include "audit/hotness.h"
#include "audit/page_history.h"
#include "audit/visit.h"
#include "energy/region_energy.h"
#include "policy/lookup.h"
#include "policy/process_energy.h"
#include "policy/process_table.h"
#include "steer/access_charge.h"

/* Processes that are found in one pass over all tasks. */
#define CROWD		64
/* Quota can be saved up for a second, and for a huge page at least. */
#define SAVED_MS	1000
#define SAVED_KIB	4096
#define KIB_PER_PAGE	(PAGE_SIZE / 1024)
/* A quota of its own: moves take a tenth of the time of one CPU. So much tells how long. */
#define LEAST_QUOTA_KIB_S	16384
#define QUOTA_SHARE		10
#define MEASURED_KIB		32768

#define MAX_INTERVAL_MS	3600000
#define MAX_QUOTA_KIB_S	(64ULL << 20)

static DEFINE_MUTEX(audit_lock);
static struct task_struct *thread;		/* under audit_lock */
static unsigned int interval_ms;		/* 0: no thread */
static unsigned int sample_pages = 16384;
static unsigned int quota_kib_s = LEAST_QUOTA_KIB_S;
static bool quota_auto = true;
static bool sample_accesses;
static unsigned int hot_looks = 3;
static unsigned int idle_looks = 10;
static u64 rounds;

/**
 * struct cursor - where a round ended; the thread's own
 * @seen: processes under a policy that were visited, in the order of all tasks
 * @pid: the process that was visited last
 * @addr: address to go on at in it in the next one, or 0
 * @quota_kib: quota that is left
 * @quota_ms: when it was last added to
 * @pass: over all processes, the number of the one under way
 * @moved_kib: moved lately
 * @moving_ns: how long that took
 */
struct cursor {
	unsigned int seen;
	pid_t pid;
	unsigned long addr;
	u64 quota_kib;
	u64 quota_ms;
	u64 pass;
	u64 moved_kib;
	u64 moving_ns;
};

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

/* The first processes under a policy behind the first @seen of them. */
static unsigned int find_processes(unsigned int seen, struct pid **pids)
{
	struct task_struct *task;
	unsigned int nr = 0;

	rcu_read_lock();
	for_each_process(task) {
		if (nr == CROWD)
			break;
		if (!is_covered(task))
			continue;
		if (seen)
			seen--;
		else
			pids[nr++] = get_task_pid(task, PIDTYPE_TGID);
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

/* Returns whether all processes have been visited. */
static bool visit_some(struct cursor *cursor, struct vipzone_visit_limits *limits)
{
	struct pid *pids[CROWD];
	unsigned int nr = find_processes(cursor->seen, pids), i;

	for (i = 0; i < nr; i++) {
		if (limits->entries > 0 && !kthread_should_stop()) {
			/* Where it was in one that is gone means nothing in another. */
			if (cursor->pid != pid_nr(pids[i]))
				cursor->addr = 0;
			cursor->pid = pid_nr(pids[i]);
			cursor->addr = visit_process(pids[i], cursor->addr,
						     limits);
			cursor->seen += !cursor->addr;
		}
		put_pid(pids[i]);
	}
	/* Once one is gone, there may be none behind those that were seen. */
	if (!nr)
		cursor->addr = 0;
	/* The next round begins with the first one again. */
	if (nr == CROWD || cursor->addr || limits->entries <= 0)
		return false;
	cursor->seen = 0;
	return true;
}

static void add_quota(struct cursor *cursor)
{
	u64 now = ktime_to_ms(ktime_get()), rate = READ_ONCE(quota_kib_s);
	u64 most = rate ? max_t(u64, rate * SAVED_MS / 1000, SAVED_KIB) : 0;

	cursor->quota_kib += min_t(u64, now - cursor->quota_ms, SAVED_MS) *
			     rate / 1000;
	cursor->quota_kib = min(cursor->quota_kib, most);
	cursor->quota_ms = now;
}

/* What moves faster may move more in the same time. */
static void measure_moves(struct cursor *cursor, const struct vipzone_visit_limits *limits)
{
	u64 kib_s;

	cursor->moved_kib += limits->moved * KIB_PER_PAGE;
	cursor->moving_ns += limits->moving_ns;
	if (cursor->moved_kib < MEASURED_KIB / 16 || !cursor->moving_ns)
		return;
	kib_s = div64_u64(cursor->moved_kib * (NSEC_PER_SEC / QUOTA_SHARE), cursor->moving_ns);
	if (READ_ONCE(quota_auto))
		WRITE_ONCE(quota_kib_s, clamp_t(u64, kib_s, LEAST_QUOTA_KIB_S, MAX_QUOTA_KIB_S));
	/* What was long ago counts less. */
	if (cursor->moved_kib >= MEASURED_KIB) {
		cursor->moved_kib /= 2;
		cursor->moving_ns /= 2;
	}
}

static void audit_round(struct cursor *cursor)
{
	struct vipzone_visit_limits limits;
	bool all;

	add_quota(cursor);
	limits = (struct vipzone_visit_limits) {
		.entries = READ_ONCE(sample_pages),
		.pages = cursor->quota_kib / KIB_PER_PAGE,
		.sample = READ_ONCE(sample_accesses),
		.hot_looks = READ_ONCE(hot_looks),
		.idle_looks = READ_ONCE(idle_looks),
		.pass = cursor->pass,
	};
	all = visit_some(cursor, &limits);
	cursor->pass += all;
	measure_moves(cursor, &limits);
	/* The rest of less than a page is kept, too. */
	cursor->quota_kib = cursor->quota_kib % KIB_PER_PAGE +
			    limits.pages * KIB_PER_PAGE;
	vipzone_charge_round();
	vipzone_policies_settle(all);
	vipzone_region_energy_settle();
	vipzone_page_history_sweep(false);
	vipzone_process_energy_sweep(false);
	WRITE_ONCE(rounds, rounds + 1);
}

static int audit_main(void *unused)
{
	struct cursor cursor = { .quota_ms = ktime_to_ms(ktime_get()), .pass = 1 };

	set_user_nice(current, MAX_NICE);
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule_timeout(msecs_to_jiffies(READ_ONCE(interval_ms)));
		__set_current_state(TASK_RUNNING);
		if (!kthread_should_stop())
			audit_round(&cursor);
	}
	vipzone_charge_round();
	vipzone_policies_settle(true);
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

/* Whoever says how much may be moved means it. */
static int set_quota(u64 kib_s)
{
	WRITE_ONCE(quota_auto, false);
	WRITE_ONCE(quota_kib_s, kib_s);
	return 0;
}

static int set_quota_auto(bool on)
{
	WRITE_ONCE(quota_auto, on);
	return 0;
}

MEMSUITE_ATTR_NUMBER_SET(interval_ms, READ_ONCE(interval_ms), set_interval, 0, MAX_INTERVAL_MS);
MEMSUITE_ATTR_NUMBER(sample_pages, sample_pages, 512, 1 << 24);
MEMSUITE_ATTR_NUMBER_SET(quota_kib_s, READ_ONCE(quota_kib_s), set_quota, 0, MAX_QUOTA_KIB_S);
MEMSUITE_ATTR_SWITCH(quota_auto, READ_ONCE(quota_auto), set_quota_auto);
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
