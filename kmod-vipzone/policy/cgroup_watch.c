// SPDX-License-Identifier: GPL-2.0-only
/* Whom the hooks are asked about for policies of cgroups; cgroup_watch.h. */

#include <linux/cgroup.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/workqueue.h>

#include <memsuite/hook_watch.h>

#include "policy/cgroup_watch.h"
#include "policy/lookup.h"

/*
 * When an address space has ended, its mark is one of another's, too, for all that is known. So
 * all tasks are looked at again, but not more often than once a second, nor for more than a
 * thousandth of the time.
 */
#define REST_FOR_LOOK	1000
#define TASKS_AT_ONCE	1024	/* between two chances for others to run */

static DEFINE_MUTEX(renew_lock);
static unsigned long rest_jiffies = HZ;		/* under renew_lock */

static void renew_work(struct work_struct *work)
{
	vipzone_cgroup_watch_renew();
}

static DECLARE_DELAYED_WORK(renewal, renew_work);

static void mark(const struct mm_struct *mm)
{
	if (mm)
		memsuite_hook_mark(mm);
}

/* Under RCU. */
static bool is_under_policy(struct task_struct *task)
{
	return !list_empty(&vipzone_cgroup_policies) &&
	       vipzone_policy_of_cgroup(task_dfl_cgroup(task));
}

static void renew_soon(void)
{
	schedule_delayed_work(&renewal, READ_ONCE(rest_jiffies));
}

void vipzone_cgroup_watch_task(struct task_struct *task)
{
	rcu_read_lock();
	if (is_under_policy(task))
		mark(READ_ONCE(task->mm));
	rcu_read_unlock();
}

void vipzone_cgroup_watch_ended(struct task_struct *task)
{
	rcu_read_lock();
	if (is_under_policy(task))
		renew_soon();
	rcu_read_unlock();
}

/* Threads share it, but some may have ended. Under RCU. */
static struct mm_struct *mm_of_process(struct task_struct *task)
{
	struct mm_struct *mm = READ_ONCE(task->mm);
	struct task_struct *thread;

	for_each_thread(task, thread) {
		if (mm)
			break;
		mm = READ_ONCE(thread->mm);
	}
	return mm;
}

void vipzone_cgroup_watch_moved(struct cgroup *cgroup, struct task_struct *task)
{
	rcu_read_lock();
	if (vipzone_policy_of_cgroup(cgroup))
		mark(mm_of_process(task));
	else
		renew_soon();
	rcu_read_unlock();
}

bool vipzone_cgroup_watch_rest(struct task_struct *process, struct task_struct *thread)
{
	bool alive;

	get_task_struct(process);
	get_task_struct(thread);
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	alive = pid_alive(process) && pid_alive(thread);
	put_task_struct(thread);
	put_task_struct(process);
	return alive;
}

/* False: it has to begin again. What is marked twice is marked. */
static bool tasks_mark(void)
{
	struct task_struct *process, *thread;
	unsigned int nr = 0;
	bool all = true;

	rcu_read_lock();
	for_each_process_thread(process, thread) {
		vipzone_cgroup_watch_task(thread);
		all = ++nr % TASKS_AT_ONCE || vipzone_cgroup_watch_rest(process, thread);
		if (!all)
			goto out;
	}
out:
	rcu_read_unlock();
	return all;
}

/* Who comes meanwhile is seen by the probes, or is in the list of tasks by now. */
void vipzone_cgroup_watch_renew(void)
{
	unsigned long began = jiffies;

	mutex_lock(&renew_lock);
	memsuite_hook_marks_renew_begin();
	while (!list_empty(&vipzone_cgroup_policies) && !tasks_mark())
		;
	memsuite_hook_marks_renew_end();
	WRITE_ONCE(rest_jiffies, max_t(unsigned long, HZ, (jiffies - began) * REST_FOR_LOOK));
	mutex_unlock(&renew_lock);
}

void vipzone_cgroup_watch_exit(void)
{
	cancel_delayed_work_sync(&renewal);
}
