/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving all misplaced pages of a process into regions of its policy. */
#ifndef VIPZONE_AUDIT_PROCESS_MOVE_H
#define VIPZONE_AUDIT_PROCESS_MOVE_H

#include <linux/mm_types.h>

#include <memsuite/pagewalk.h>

#include "policy/policy.h"

/**
 * struct vipzone_process_move - how to do it, and what became of it
 * @why: what the pages are moved for
 * @wait: how mmap_lock is taken
 * @pages: pages that may still be moved; falls below 0, but by no more than a page table has
 * @ending: NULL, or set when no more is to be begun
 * @addr: where to begin; then where to go on, 0 at the end
 * @moves: what became of the pages is added
 * @moving_ns: how long moving them took is added
 */
struct vipzone_process_move {
	enum vipzone_move_why why;
	enum memsuite_walk_wait wait;
	long pages;
	const bool *ending;
	unsigned long addr;
	u64 moves[VIPZONE_NR_MOVES];
	u64 moving_ns;
};

/**
 * vipzone_process_move() - move the misplaced pages of a process
 * @mm: its address space
 * @task: the process
 * @policy: whose regions they go to, and with which they are counted
 * @move: how
 *
 * Context: may sleep.
 * Return: 0, and @move->addr tells whether that was all; -ESRCH (it has ended), -EINTR,
 * -EAGAIN (mmap_lock is taken) or -ENOMEM.
 */
int vipzone_process_move(struct mm_struct *mm, struct task_struct *task,
			 struct vipzone_policy *policy, struct vipzone_process_move *move);

#endif
