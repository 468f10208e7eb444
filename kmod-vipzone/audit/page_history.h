/* SPDX-License-Identifier: GPL-2.0-only */
/* Histories of pages: one number for each page of an address space. */
#ifndef VIPZONE_AUDIT_PAGE_HISTORY_H
#define VIPZONE_AUDIT_PAGE_HISTORY_H

#include <linux/mm_types.h>

struct vipzone_page_history;

/*
 * The history of an address space, made if there is none. All of this is for one
 * thread only. May sleep. NULL if there is no memory.
 */
struct vipzone_page_history *vipzone_page_history_of(struct mm_struct *mm);

/*
 * The numbers of the pages that a page table at @addr maps, PTRS_PER_PTE of
 * them; zeros if it is new. May sleep. NULL if there is no memory.
 */
u16 *vipzone_page_history_table(struct vipzone_page_history *history, unsigned long addr);

/* Forgets the address spaces that are gone, or all of them. May sleep. */
void vipzone_page_history_sweep(bool all);

/* How much memory all histories take. */
unsigned long vipzone_page_history_bytes(void);

#endif
