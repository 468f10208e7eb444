/* SPDX-License-Identifier: GPL-2.0-only */
/* The audit's visit to a process. */
#ifndef VIPZONE_AUDIT_VISIT_H
#define VIPZONE_AUDIT_VISIT_H

#include <linux/mm_types.h>

#include "policy/policy.h"

/**
 * struct vipzone_visit_limits - how much a visit may do, and how it decides
 * @entries: page table entries that may still be looked at; may fall below 0
 * @pages: pages that may still be moved
 * @sample: accessed and dirty bits are looked at as well, and cleared
 * @hot_looks: so many looks in a row make a page hot that is used at each
 * @idle_looks: so many looks in a row make a page idle that was left alone
 * @pass: the number of the pass over all processes that the visit belongs to, 1 for the first
 * @settled: pages that were faulted in lately can be moved
 * @moved: pages that were moved, to be added to
 * @moving_ns: how long that took, to be added to
 */
struct vipzone_visit_limits {
	long entries;
	long pages;
	bool sample;
	unsigned int hot_looks;
	unsigned int idle_looks;
	u64 pass;
	bool settled;
	u64 moved;
	u64 moving_ns;
};

/**
 * vipzone_visit() - look at the pages of a process
 * @task: the process
 * @mm: its address space
 * @policy: what it is under
 * @addr: where to begin
 * @limits: what the visit has used up is subtracted
 *
 * For the audit's thread alone. Context: may sleep.
 * Return: where to go on; 0: all was looked at, or cannot be at the moment.
 */
unsigned long vipzone_visit(struct task_struct *task, struct mm_struct *mm,
			    struct vipzone_policy *policy, unsigned long addr,
			    struct vipzone_visit_limits *limits);

#endif
