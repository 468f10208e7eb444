/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whom the hooks are asked about for policies of cgroups: the address spaces of tasks that are
 * in such a cgroup, or come there by fork, exec, or by being moved.
 */
#ifndef VIPZONE_POLICY_CGROUP_WATCH_H
#define VIPZONE_POLICY_CGROUP_WATCH_H

#include <linux/types.h>

struct cgroup;
struct task_struct;

/* A task has got an address space. Inside tracepoints: does not sleep. */
void vipzone_cgroup_watch_task(struct task_struct *task);

/* A task has lost its address space, by exit or exec. Likewise. */
void vipzone_cgroup_watch_ended(struct task_struct *task);

/* A task, or all of its process, was moved to a cgroup. Likewise. */
void vipzone_cgroup_watch_moved(struct cgroup *cgroup, struct task_struct *task);

/* The policies of cgroups have changed: looks at all tasks. May sleep. */
void vipzone_cgroup_watch_renew(void);

/*
 * Lets others run in a look at all tasks. Under RCU, which it leaves; false: the process or the
 * thread is gone from the list, and the look has to begin again. May sleep.
 */
bool vipzone_cgroup_watch_rest(struct task_struct *process, struct task_struct *thread);

/* Looks at no task any more, of itself; probes are off. May sleep. */
void vipzone_cgroup_watch_exit(void);

#endif
