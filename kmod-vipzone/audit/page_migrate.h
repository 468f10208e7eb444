/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving pages of a process into regions of its policy. */
#ifndef VIPZONE_AUDIT_PAGE_MIGRATE_H
#define VIPZONE_AUDIT_PAGE_MIGRATE_H

#include <linux/mm_types.h>

#include "audit/hotness.h"
#include "policy/policy.h"

struct vipzone_page_migrate;

/* Page tables looked through before others may have mmap_lock. */
#define VIPZONE_WALK_TABLES	64

/* Pages that are noted at most, those of a page table. */
#define VIPZONE_PAGES_AT_ONCE	PTRS_PER_PTE

/**
 * vipzone_page_migrate_open() - get ready to move pages of a process or a file
 * @task: the process, which is asked for its cpuset and its NUMA policy; NULL for a file
 * @policy: whose regions they go to
 * @ending: set when no more is to be begun, of a work; NULL: signals say so, or a kthread's end
 *
 * All stay until vipzone_page_migrate_close(). Context: may sleep.
 * Return: NULL if there is no memory.
 */
struct vipzone_page_migrate *vipzone_page_migrate_open(struct task_struct *task,
						       struct vipzone_policy *policy,
						       const bool *ending);

/* Counts what became of the pages with the policy, and adds it to @moves[VIPZONE_NR_MOVES]. */
void vipzone_page_migrate_close(struct vipzone_page_migrate *mover, u64 *moves);

/**
 * vipzone_page_migrate_add() - note a page to be moved
 * @mover: what moves it
 * @vma: the area that it is mapped in; NULL: it is the file's, whoever maps it
 * @page: a page as vipzone_page_is_movable() tells them, or one of a file, of order 0 or in a
 *	large folio, which is moved as a whole; nothing happens if its folio was the last one noted
 * @order: the regions that it may go to; stays until vipzone_page_migrate_flush()
 * @why: what it is moved for
 * @hotness: its history, or NULL, in which a try is noted once there is room for the page;
 *	stays until vipzone_page_migrate_flush()
 *
 * Under the lock of a page table that maps it, of which there is one only
 * between two calls of vipzone_page_migrate_flush(), or with a reference to it. Of pages of a file
 * there are VIPZONE_PAGES_AT_ONCE at most.
 *
 * Return: pages that will be moved, 0 if it may not be or was noted already.
 */
unsigned long vipzone_page_migrate_add(struct vipzone_page_migrate *mover,
				       struct vm_area_struct *vma, struct page *page,
				       const struct vipzone_order *order,
				       enum vipzone_move_why why,
				       struct vipzone_hotness *hotness);

/* Whether pages were noted. */
bool vipzone_page_migrate_has_work(const struct vipzone_page_migrate *mover);

/* How many pages found no room in regions that they were to go to, this one among them. */
unsigned long vipzone_page_migrate_found_full(const struct vipzone_page_migrate *mover,
					      unsigned int region);

/* Moves what was noted. With no lock held; may sleep. */
void vipzone_page_migrate_flush(struct vipzone_page_migrate *mover);

/* Likewise, with what was touched lately: @settled tells whether all CPUs were asked for it yet. */
void vipzone_page_migrate_flush_settled(struct vipzone_page_migrate *mover, bool *settled);

#endif
