/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of vipzone share. */
#ifndef VIPZONE_H
#define VIPZONE_H

#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>

#include <memsuite/move.h>
#include <memsuite/pool.h>
#include <memsuite/region.h>

#include "command.h"

/* Why a page of a steered process was left to the kernel. */
enum fallback {
	FALLBACK_EMPTY,		/* no region had a page at once */
	FALLBACK_POLICY,	/* the program or its area has a NUMA policy */
	FALLBACK_CPUSET,	/* its cpuset does not allow the region's node */
	FALLBACK_CONTEXT,	/* not a movable user page */
	FALLBACK_HUGE,		/* huge page refused: the region is no node */
	NR_FALLBACKS,
};

extern const char * const fallback_name[NR_FALLBACKS];

/* What became of pages that were to be moved: as for ms_move, and */
enum {
	MOVE_SHARED = MS_NR_MOVE_OUTCOMES,	/* other processes map it too */
	MOVE_POLICY,	/* the program or its area has a NUMA policy */
	MOVE_CPUSET,	/* its cpuset does not allow the nodes of the regions */
	NR_MOVES,
};

extern const char * const move_name[NR_MOVES];

struct steering_stats {
	u64 steered;
	u64 steered_by_node;	/* left to the kernel, with our node */
	u64 fallbacks[NR_FALLBACKS];
	u64 moves[NR_MOVES];
};

/**
 * struct target - one region of a placement
 * @region: kept for as long
 * @pool: its pool, open for as long
 * @nid: node that it lies on
 * @is_node: it is the whole of that node
 */
struct target {
	struct ms_region *region;
	struct ms_pool *pool;
	int nid;
	bool is_node;
};

/**
 * struct placement - where a process and its children get their pages from
 * @users: processes
 * @children: children inherit it
 * @has_node: one of the targets is a whole node
 * @nr_targets: number of @targets
 * @targets: in order of preference; do not change
 */
struct placement {
	refcount_t users;
	bool children;
	bool has_node;
	unsigned int nr_targets;
	struct target targets[VIPZONE_MAX_REGIONS];
};

/**
 * struct process - a steered process
 * @hash: in the table, by @mm; under RCU
 * @mm: its address space, kept from being freed so that it stays its own
 * @pid: the process
 * @placement: where its pages come from
 * @stats: what became of its faults
 * @no_thp: huge pages were forbidden to it; khugepaged would gather its pages
 *	wherever it finds a huge page
 * @dying: frees it after a grace period
 */
struct process {
	struct hlist_node hash;
	struct mm_struct *mm;
	struct pid *pid;
	struct placement *placement;
	struct steering_stats __percpu *stats;
	bool no_thp;
	struct rcu_work dying;
};

/* processes.c: the table of steered processes. */
int processes_init(void);
void processes_exit(void);
int process_add(const struct vipzone_command *command);
int process_remove(pid_t pid);
int process_move(pid_t pid);
struct process *process_of(const struct mm_struct *mm);	/* preemption off */
void process_forked(struct task_struct *parent, struct task_struct *child);
void process_execed(struct task_struct *task);
void process_exited(struct task_struct *task);
void processes_sum(struct steering_stats *sum);
u64 processes_lost(void);

/*
 * mover.c: moves what @mm has into the regions of @placement; adds to
 * @outcome[NR_MOVES]. 0, -EINTR or -ENOMEM. May sleep.
 */
int mover_run(struct mm_struct *mm, struct task_struct *task,
	      struct placement *placement, u64 *outcome);

/* steering.c: the handlers of the hooks. */
int steering_start(void);
void steering_stop(void);
bool steering_running(void);
int steering_use_nodes(void);
void steering_unuse_nodes(void);

/*
 * lifetime.c: fork, exec and exit of steered processes, followed from the
 * first one on until the module goes.
 */
int lifetime_start(void);
void lifetime_stop(void);

int vipzone_sysfs_init(void);
void vipzone_sysfs_exit(void);

#endif
