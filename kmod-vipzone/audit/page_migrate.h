/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving pages of a process into regions of its policy. */
#ifndef VIPZONE_MOVER_H
#define VIPZONE_MOVER_H

#include <linux/mm_types.h>

#include "policy/policy.h"

struct mover;

/* Page tables looked through before others may have mmap_lock. */
#define VIPZONE_WALK_TABLES	64

/**
 * mover_open() - get ready to move pages of a process
 * @mm: its address space
 * @task: the process, which is asked for its cpuset and its NUMA policy
 * @policy: whose regions they go to
 *
 * All three stay until mover_close(). Context: may sleep.
 * Return: NULL if there is no memory.
 */
struct mover *mover_open(struct mm_struct *mm, struct task_struct *task,
			 struct policy *policy);

/* Adds what became of the pages to @moves[NR_MOVES] and @whys[NR_MOVE_WHYS]. */
void mover_close(struct mover *mover, u64 *moves, u64 *whys);

/**
 * mover_note() - note a page to be moved
 * @mover: who moves it
 * @vma: the area that it is mapped in
 * @page: an anonymous page of order 0 or in a large folio, which is moved as a
 *	whole; nothing happens if its folio was the last one noted
 * @order: the regions that it may go to; stays until mover_flush()
 * @why: what it is moved for
 *
 * Under the lock of a page table that maps it, of which there is one only
 * between two calls of mover_flush().
 *
 * Return: pages that will be moved, 0 if it may not be or was noted already.
 */
unsigned long mover_note(struct mover *mover, struct vm_area_struct *vma,
			 struct page *page, const struct vipzone_order *order,
			 enum move_why why);

/* Whether pages were noted. */
bool mover_has_work(const struct mover *mover);

/* Moves what was noted. With no lock held; may sleep. */
void mover_flush(struct mover *mover);

/* Whether a page lies in one of the regions of @order. */
bool is_placed(const struct policy *policy, const struct vipzone_order *order,
	       struct page *page);

#endif
