// SPDX-License-Identifier: GPL-2.0-only
/* The address space of a process; include/memsuite/process.h. */

#include <linux/export.h>
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
