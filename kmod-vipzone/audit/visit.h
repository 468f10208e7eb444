/* SPDX-License-Identifier: GPL-2.0-only */
/* The audit's visit to a process. */
#ifndef VIPZONE_VISIT_H
#define VIPZONE_VISIT_H

#include <linux/mm_types.h>

#include "policy/policy.h"

/**
 * struct visit_limits - what a visit may take, and what it goes by
 * @entries: page table entries that may still be looked at; may fall below 0
 * @pages: pages that may still be moved
 * @sample: accessed and dirty bits are looked at as well, and cleared
 * @hot_looks: so many looks in a row make a written page hot
 * @idle_looks: so many make one idle that was left alone
 */
struct visit_limits {
	long entries;
	long pages;
	bool sample;
	unsigned int hot_looks;
	unsigned int idle_looks;
};

/**
 * visit() - look at the pages of a process
 * @task: the process
 * @mm: its address space
 * @policy: what it is under
 * @addr: where to begin
 * @limits: what the visit took is taken off
 *
 * For the audit's thread alone. Context: may sleep.
 * Return: where to go on; 0: all was looked at, or cannot be at the moment.
 */
unsigned long visit(struct task_struct *task, struct mm_struct *mm,
		    struct policy *policy, unsigned long addr,
		    struct visit_limits *limits);

#endif
