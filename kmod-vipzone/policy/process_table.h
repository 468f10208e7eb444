/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of steered processes. */
#ifndef VIPZONE_POLICY_PROCESS_TABLE_H
#define VIPZONE_POLICY_PROCESS_TABLE_H

#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/workqueue.h>

#include "policy/policy.h"

struct seq_file;
struct task_struct;

/* khugepaged would gather pages wherever it finds a huge page. */
enum vipzone_thp {
	VIPZONE_THP_AS_EVER,
	VIPZONE_THP_NOT_GATHERED,	/* khugepaged was kept away */
	VIPZONE_THP_FORBIDDEN,
};

/**
 * struct vipzone_process - a steered process
 * @by_mm: in the table of address spaces; under RCU
 * @by_pid: in the table of processes; under RCU
 * @mm: its address space, kept from being freed so that it stays its own
 * @pid: the process
 * @policy: where its pages come from
 * @thp: what of huge pages was taken from it, as long as it is in the tables
 * @dying: frees it after a grace period
 */
struct vipzone_process {
	struct hlist_node by_mm;
	struct hlist_node by_pid;
	struct mm_struct *mm;
	struct pid *pid;
	struct vipzone_policy *policy;
	enum vipzone_thp thp;
	struct rcu_work dying;
};

/**
 * vipzone_process_link() - put a process under a policy
 * @mm: its address space
 * @pid: the process
 * @policy: in place of the one that it had; a use of it is taken over
 * @base: NULL; else @mm is the caller's, and only while the caller is under this
 *	policy or has chosen of it: the administrator may have set another meanwhile
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM or -EPERM.
 */
int vipzone_process_link(struct mm_struct *mm, struct pid *pid,
			 struct vipzone_policy *policy, const struct vipzone_policy *base);

/*
 * Looks at a process again that was linked just now: an exec or exit that came
 * before went unseen. May sleep.
 */
void vipzone_process_catch_up(struct pid *pid);

/**
 * vipzone_process_unlink() - take a process out of the table
 * @pid: the process
 * @base: NULL, or only if its policy was chosen of this one
 *
 * Return: whether it was there.
 */
bool vipzone_process_unlink(struct pid *pid, const struct vipzone_policy *base);

/* Takes out all whose policy was chosen of @base, or all there are if it is NULL. */
void vipzone_processes_revoke(const struct vipzone_policy *base);

/* Inside tracepoints: these do not sleep. exec and exit are in the task itself. */
void vipzone_process_forked(struct task_struct *parent, struct task_struct *child);
/* @secure: it gained privileges, and what it has chosen before is no longer its own. */
void vipzone_process_execed(struct task_struct *task, bool secure);
void vipzone_process_exited(struct task_struct *task);

/* Children that are not steered for want of memory. */
u64 vipzone_processes_lost(void);

/* The table, for debugfs. */
int vipzone_processes_show(struct seq_file *file, void *unused);

int vipzone_processes_init(void);

/* Hooks and tracepoints are off by now. May sleep. */
void vipzone_processes_exit(void);

#endif
