/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each process takes of the energy and latency of each region, whichever
 * policy it is under. Of those that live: what is gone is in the accounts of the
 * regions and the counts of the policies.
 */
#ifndef VIPZONE_BILLS_H
#define VIPZONE_BILLS_H

#include <linux/types.h>

#include "energy/energy_model.h"

struct policy;
struct seq_file;
struct task_struct;

/**
 * bill_touches() - note what a process has touched
 * @task: a thread of it
 * @policy: that it is under
 * @touched: by place of @policy, as in @policy->places
 * @counted: accesses are counted otherwise; else each touch is charged as one
 *
 * Context: may sleep. For want of memory, nothing is noted.
 */
void bill_touches(struct task_struct *task, const struct policy *policy,
		  u64 touched[][LEDGER_KINDS], bool counted);

/**
 * bills_divide() - what a policy has counted, by process
 * @policy: of which that was divided by place just now
 * @apart: reads and writes were counted apart
 *
 * Context: may sleep.
 */
void bills_divide(const struct policy *policy, bool apart);

/* Forgets processes and regions that are gone, or all of them. May sleep. */
void bills_sweep(bool all);

/* The table of them, for debugfs. */
int vipzone_process_energy_show(struct seq_file *file, void *unused);

#endif
