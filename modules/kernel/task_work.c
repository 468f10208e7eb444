// SPDX-License-Identifier: GPL-2.0-only
/* Work that a task does itself, on its way to user space; include/memsuite/task_work.h. */

#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include <memsuite/task_work.h>

#include "core.h"

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

static void arrive(struct callback_head *work)
{
	struct memsuite_task_work *errand = container_of(work, struct memsuite_task_work, work);

	if (atomic_cmpxchg(&errand->state, UNDER_WAY, RUNNING) == UNDER_WAY) {
		errand->run(errand->whose);
		/* From here on it may be sent again, or freed. */
		atomic_set_release(&errand->state, IDLE);
	} else {
		kfree(errand);
	}
	module_put(THIS_MODULE);
}

struct memsuite_task_work *memsuite_task_work_new(void (*run)(void *whose), void *whose)
{
	struct memsuite_task_work *errand = kzalloc(sizeof(*errand), GFP_KERNEL);

	if (!errand)
		return NULL;
	errand->run = run;
	errand->whose = whose;
	return errand;
}
EXPORT_SYMBOL_GPL(memsuite_task_work_new);

bool memsuite_task_work_send(struct memsuite_task_work *errand)
{
	if (atomic_cmpxchg(&errand->state, IDLE, UNDER_WAY) != IDLE)
		return false;
	/* The caller's module depends on this one. */
	__module_get(THIS_MODULE);
	WRITE_ONCE(ever_sent, true);
	init_task_work(&errand->work, arrive);
	if (!task_work_add(current, &errand->work, TWA_RESUME))
		return true;
	atomic_set(&errand->state, IDLE);
	module_put(THIS_MODULE);
	return false;
}
EXPORT_SYMBOL_GPL(memsuite_task_work_send);

void memsuite_task_work_drop(struct memsuite_task_work *errand)
{
	int state;

	if (!errand)
		return;
	while ((state = atomic_cmpxchg(&errand->state, UNDER_WAY, DROPPED)) == RUNNING)
		schedule_timeout_uninterruptible(1);
	if (state == IDLE)
		kfree(errand);
}
EXPORT_SYMBOL_GPL(memsuite_task_work_drop);

/* The last instructions of arrive() may still have to be run. */
void memsuite_task_works_exit(void)
{
	if (ever_sent)
		synchronize_rcu_tasks();
}
