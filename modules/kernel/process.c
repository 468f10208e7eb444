// SPDX-License-Identifier: GPL-2.0-only
/* Processes and their address spaces; include/memsuite/process.h. */

#include <linux/export.h>
#include <linux/idr.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include <memsuite/process.h>

static struct mm_struct *process_mm(struct task_struct *task, void (*get)(struct mm_struct *mm))
{
	struct mm_struct *mm = NULL;
	struct task_struct *thread;

	if (task->flags & PF_KTHREAD)
		return NULL;
	rcu_read_lock();
	for_each_thread(task, thread) {
		task_lock(thread);
		mm = thread->mm;
		if (mm)
			get(mm);
		task_unlock(thread);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

struct mm_struct *memsuite_process_mm(struct task_struct *task)
{
	return process_mm(task, mmget);
}
EXPORT_SYMBOL_GPL(memsuite_process_mm);

struct mm_struct *memsuite_process_mm_grab(struct task_struct *task)
{
	return process_mm(task, mmgrab);
}
EXPORT_SYMBOL_GPL(memsuite_process_mm_grab);

struct task_struct *memsuite_process_next(pid_t *nr)
{
	struct task_struct *task;
	struct pid *pid;

	while ((pid = idr_get_next(&init_pid_ns.idr, nr))) {
		task = pid_task(pid, PIDTYPE_TGID);
		if (task)
			return task;
		++*nr;
	}
	return NULL;
}
EXPORT_SYMBOL_GPL(memsuite_process_next);
