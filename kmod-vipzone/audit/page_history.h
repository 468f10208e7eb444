/* SPDX-License-Identifier: GPL-2.0-only */
/* Histories of pages: one number for each page of an address space. */
#ifndef VIPZONE_HISTORY_H
#define VIPZONE_HISTORY_H

#include <linux/mm_types.h>

struct history;

/*
 * That of an address space, made if there is none; for one thread only, as all
 * of this. May sleep. NULL if there is no memory.
 */
struct history *history_of(struct mm_struct *mm);

/*
 * The numbers of the pages that a page table at @addr maps, PTRS_PER_PTE of
 * them; zeros if it is new. May sleep. NULL if there is no memory.
 */
u16 *history_table(struct history *history, unsigned long addr);

/* Forgets the address spaces that are gone, or all of them. May sleep. */
void histories_sweep(bool all);

/* What they take. */
unsigned long histories_bytes(void);

#endif
