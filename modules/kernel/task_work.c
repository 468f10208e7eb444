// SPDX-License-Identifier: GPL-2.0-only
/* Work that a task does itself, on its way to user space; include/memsuite/task_work.h. */

#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "kernel/task_work_private.h"

enum { IDLE, UNDER_WAY, RUNNING, DROPPED };

/**
 * struct memsuite_task_work - see memsuite_task_work_new()
 * @work: with the task
 * @state: where it is
 * @run: does it
 * @whose: for @run
 */
struct memsuite_task_work {
	struct callback_head work;
	atomic_t state;
	void (*run)(void *whose);
	void *whose;
};

/* Each that is under way holds this module, whose function it will call. */
static bool ever_sent;

static void task_work_run_item(struct callback_head *work)
{
	struct memsuite_task_work *item = container_of(work, struct memsuite_task_work, work);

	if (atomic_cmpxchg(&item->state, UNDER_WAY, RUNNING) == UNDER_WAY) {
		item->run(item->whose);
		/* From here on it may be sent again, or freed. */
		atomic_set_release(&item->state, IDLE);
	} else {
		kfree(item);
	}
	module_put(THIS_MODULE);
}

struct memsuite_task_work *memsuite_task_work_new(void (*run)(void *whose), void *whose)
{
	struct memsuite_task_work *item = kzalloc(sizeof(*item), GFP_KERNEL);

	if (!item)
		return NULL;
	item->run = run;
	item->whose = whose;
	return item;
}
EXPORT_SYMBOL_GPL(memsuite_task_work_new);

bool memsuite_task_work_send(struct memsuite_task_work *item)
{
	if (atomic_cmpxchg(&item->state, IDLE, UNDER_WAY) != IDLE)
		return false;
	/* The caller's module depends on this one. */
	__module_get(THIS_MODULE);
	WRITE_ONCE(ever_sent, true);
	init_task_work(&item->work, task_work_run_item);
	if (!task_work_add(current, &item->work, TWA_RESUME))
		return true;
	atomic_set(&item->state, IDLE);
	module_put(THIS_MODULE);
	return false;
}
EXPORT_SYMBOL_GPL(memsuite_task_work_send);

void memsuite_task_work_drop(struct memsuite_task_work *item)
{
	int state;

	if (!item)
		return;
	while ((state = atomic_cmpxchg(&item->state, UNDER_WAY, DROPPED)) == RUNNING)
		schedule_timeout_uninterruptible(1);
	if (state == IDLE)
		kfree(item);
}
EXPORT_SYMBOL_GPL(memsuite_task_work_drop);

/* The last instructions of task_work_run_item() may still have to be run. */
void memsuite_task_works_exit(void)
{
	if (ever_sent)
		synchronize_rcu_tasks();
}
