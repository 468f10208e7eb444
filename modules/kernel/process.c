// SPDX-License-Identifier: GPL-2.0-only
/* The address space of a process; include/memsuite/process.h. */

#include <linux/export.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include <memsuite/process.h>

struct task_struct *memsuite_process_lock(struct task_struct *task)
{
	struct task_struct *thread;

	if (task->flags & PF_KTHREAD)
		return NULL;
	for_each_thread(task, thread) {
		task_lock(thread);
		if (thread->mm)
			return thread;
		task_unlock(thread);
	}
	return NULL;
}
EXPORT_SYMBOL_GPL(memsuite_process_lock);

static struct mm_struct *process_mm(struct task_struct *task, void (*get)(struct mm_struct *mm))
{
	struct mm_struct *mm = NULL;

	rcu_read_lock();
	task = memsuite_process_lock(task);
	if (task) {
		mm = task->mm;
		get(mm);
		task_unlock(task);
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
