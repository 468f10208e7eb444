// SPDX-License-Identifier: GPL-2.0-only
/* Fork, exec and exit of steered and tagged processes, seen through tracepoints. */

#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include <memsuite/tracepoints.h>

#include "energy/access_counters.h"
#include "tags/tags.h"
#include "vipzone.h"

static DEFINE_MUTEX(lifetime_lock);
static bool following;

static void probe_fork(void *data, struct task_struct *parent,
		       struct task_struct *child)
{
	process_forked(parent, child);
	tags_forked(parent, child);
}

static void probe_exec(void *data, struct task_struct *task)
{
	process_execed(task);
}

static void probe_exit(void *data, struct task_struct *task)
{
	meter_exiting();
	process_exited(task);
}

static struct memsuite_tracepoint probes[] = {
	{ .name = "sched_process_fork", .function = probe_fork },
	{ .name = "sched_process_exec", .function = probe_exec },
	{ .name = "sched_process_exit", .function = probe_exit },
};

int lifetime_start(void)
{
	int err = 0;

	mutex_lock(&lifetime_lock);
	if (!following) {
		err = memsuite_tracepoints_register(probes, ARRAY_SIZE(probes));
		following = !err;
	}
	mutex_unlock(&lifetime_lock);
	return err;
}

void lifetime_stop(void)
{
	mutex_lock(&lifetime_lock);
	if (following)
		memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
	following = false;
	mutex_unlock(&lifetime_lock);
}
