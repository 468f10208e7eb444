/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of vipzone share. */
#ifndef VIPZONE_H
#define VIPZONE_H

#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include <memsuite/hook.h>

#include "policy/policy.h"

/* khugepaged would gather pages wherever it finds a huge page. */
enum process_thp {
	THP_AS_EVER,
	THP_NOT_GATHERED,	/* khugepaged was kept away */
	THP_FORBIDDEN,
};

/**
 * struct process - a steered process
 * @by_mm: in the table of address spaces; under RCU
 * @by_pid: in the table of processes; under RCU
 * @mm: its address space, kept from being freed so that it stays its own
 * @pid: the process
 * @policy: where its pages come from
 * @thp: what of huge pages was taken from it, as long as it is in the tables
 * @dying: frees it after a grace period
 */
struct process {
	struct hlist_node by_mm;
	struct hlist_node by_pid;
	struct mm_struct *mm;
	struct pid *pid;
	struct policy *policy;
	enum process_thp thp;
	struct rcu_work dying;
};

/* process_table.c: the table of steered processes. */
int processes_init(void);
void processes_exit(void);
int process_add(const struct vipzone_command *command);
int process_remove(pid_t pid);
int process_move(pid_t pid);
struct mm_struct *process_mm(struct task_struct *task);	/* of any thread; to be put */
int process_choose(char *list);		/* of current; NULL takes it back */
void processes_revoke(const struct policy *base);	/* what was chosen of it */
struct process *process_of(const struct mm_struct *mm);	/* preemption off */
void process_forked(struct task_struct *parent, struct task_struct *child);
void process_execed(struct task_struct *task);
void process_exited(struct task_struct *task);
u64 processes_lost(void);

/*
 * cgroup_policy.c: the policies of cgroups and of the machine. scope_set() takes over
 * a policy, in place of the one that was there. Without an mm, as kernel threads
 * have none, the machine's is the one. Cgroups that are made come under the
 * policies of their paths from scopes_watch() on. scope_name_cgroup() tells the
 * path, of VIPZONE_PATH bytes, that a policy of it is known by; -ENAMETOOLONG.
 */
int scopes_watch(void);
int scope_name_cgroup(struct cgroup *cgroup, char *path);
void scope_set(struct policy *policy);
int scope_remove(const struct vipzone_command *command);
struct policy *scope_policy(const struct mm_struct *mm);	/* preemption off */
void scopes_exit(void);

/*
 * page_migrate.c: moves what @mm has into the regions of @policy; adds to
 * @outcome[NR_MOVES]. 0, -EINTR or -ENOMEM. May sleep.
 */
int mover_run(struct mm_struct *mm, struct task_struct *task,
	      struct policy *policy, u64 *outcome);

/* steering.c: the handlers of the hooks. */
int steering_start(void);
void steering_stop(void);
bool steering_running(void);
struct policy *policy_of(const struct mm_struct *mm);	/* preemption off */
struct policy *policy_hold(const struct mm_struct *mm);	/* to be put; or NULL */
int steering_use(enum memsuite_hook_point_id id);
void steering_unuse(enum memsuite_hook_point_id id);
void steering_serve_kernel(void);	/* a policy is for its memory, too */
void steering_leave_kernel(void);

/*
 * khugepaged.c: counts what is gathered in huge pages, if the kernel tells. Calls
 * do not overlap.
 */
void collapses_watch(void);
void collapses_ignore(void);

/*
 * task_events.c: fork, exec and exit of steered processes, followed from the
 * first one on until the module goes.
 */
int lifetime_start(void);
void lifetime_stop(void);

/* audit.c: the thread that looks where pages are and how they are used. */
extern const struct attribute_group audit_group;
void audit_stop(void);

/* chardev.c: /dev/vipzone. */
int device_init(void);
void device_exit(void);		/* nobody has it open */

/* sysfs.c */
int vipzone_sysfs_init(void);
void vipzone_sysfs_close(void);		/* nobody steers anything new */
void vipzone_sysfs_exit(void);

#endif
