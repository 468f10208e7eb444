// SPDX-License-Identifier: GPL-2.0-only
/* Fork, exec and exit of steered and tagged processes, seen through tracepoints. */

#include <linux/binfmts.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <compat/trace_probe.h>
#include <memsuite/tracepoints.h>

#include "policy/cgroup_watch.h"
#include "policy/process_table.h"
#include "steer/access_charge.h"
#include "steer/task_events.h"
#include "tags/tags.h"

static DEFINE_MUTEX(task_events_lock);
static bool following;

static void probe_fork(void *data, struct task_struct *parent,
		       struct task_struct *child)
{
	vipzone_process_forked(parent, child);
	vipzone_cgroup_watch_task(child);
	vipzone_tags_forked(parent, child);
}

static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	vipzone_process_execed(task, bprm->secureexec);
	vipzone_cgroup_watch_task(task);
	vipzone_cgroup_watch_ended(task);
}

MEMSUITE_PROBE_EXIT(probe_exit)
{
	vipzone_charge_exiting();
	vipzone_process_exited(task);
	if (!atomic_read(&task->signal->live))
		vipzone_cgroup_watch_ended(task);
}

static struct memsuite_tracepoint probes[] = {
	MEMSUITE_TRACEPOINT(sched_process_fork, probe_fork),
	MEMSUITE_TRACEPOINT(sched_process_exec, probe_exec),
	MEMSUITE_TRACEPOINT(sched_process_exit, probe_exit),
};

int vipzone_task_events_start(void)
{
	int err = 0;

	/* Every tag asks. */
	if (READ_ONCE(following))
		return 0;
	mutex_lock(&task_events_lock);
	if (!following) {
		err = memsuite_tracepoints_register(probes, ARRAY_SIZE(probes));
		WRITE_ONCE(following, !err);
	}
	mutex_unlock(&task_events_lock);
	return err;
}

void vipzone_task_events_stop(void)
{
	mutex_lock(&task_events_lock);
	if (following)
		memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
	following = false;
	mutex_unlock(&task_events_lock);
}
