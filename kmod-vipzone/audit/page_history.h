/* SPDX-License-Identifier: GPL-2.0-only */
/* Histories of pages: one for each page of an address space. */
#ifndef VIPZONE_AUDIT_PAGE_HISTORY_H
#define VIPZONE_AUDIT_PAGE_HISTORY_H

#include <linux/mm_types.h>

#include "audit/hotness.h"

struct vipzone_page_history;

/*
 * The history of an address space, made if there is none. All of this is for one
 * thread only. May sleep. NULL if there is no memory.
 */
struct vipzone_page_history *vipzone_page_history_of(struct mm_struct *mm);

/* The same, but NULL if there is none. */
struct vipzone_page_history *vipzone_page_history_there(struct mm_struct *mm);

/*
 * The histories of the pages that a page table at @addr maps, PTRS_PER_PTE of
 * them; zeros if it is new. May sleep if @gfp says so. NULL if there is no memory.
 */
struct vipzone_hotness *vipzone_page_history_table(struct vipzone_page_history *history,
						   unsigned long addr, gfp_t gfp);

/* The same, but NULL if there are none. For whoever made the last one. */
struct vipzone_hotness *vipzone_page_history_find(struct vipzone_page_history *history,
						  unsigned long addr);

/* Forgets the address spaces that are gone, or all of them. May sleep. */
void vipzone_page_history_sweep(bool all);

/* How much memory all histories take. */
unsigned long vipzone_page_history_bytes(void);

#endif
