/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of each process in the energy and latency of each region, whichever
 * policy it is under. Only of processes that live: the sums of the regions and of
 * the policies keep what others have used.
 */
#ifndef VIPZONE_POLICY_PROCESS_ENERGY_H
#define VIPZONE_POLICY_PROCESS_ENERGY_H

#include <linux/types.h>

#include "energy/energy_model.h"

struct vipzone_policy;
struct seq_file;
struct task_struct;

/**
 * vipzone_process_energy_touch() - note what a process has touched
 * @task: a thread of it
 * @policy: that it is under
 * @touched: by place of @policy, as in @policy->places
 * @counted: accesses are counted otherwise; else each touch is charged as one
 *
 * Context: may sleep. For want of memory, nothing is noted.
 */
void vipzone_process_energy_touch(struct task_struct *task, const struct vipzone_policy *policy,
				  u64 touched[][VIPZONE_NR_ACCESS_KINDS], bool counted);

/**
 * vipzone_process_energy_divide() - what a policy has counted, by process
 * @policy: of which that was divided by place just now
 * @apart: reads and writes were counted apart
 *
 * Context: may sleep.
 */
void vipzone_process_energy_divide(const struct vipzone_policy *policy, bool apart);

/* Forgets processes and regions that are gone, or all of them. May sleep. */
void vipzone_process_energy_sweep(bool all);

/* The table, for debugfs. */
int vipzone_process_energy_show(struct seq_file *file, void *unused);

#endif
