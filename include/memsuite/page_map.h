/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes on the pages of an address space: a few bytes for each, by address, in
 * tables that cover as much as a page table does.
 */
#ifndef MEMSUITE_NOTES_H
#define MEMSUITE_NOTES_H

#include <linux/types.h>
#include <linux/xarray.h>

/**
 * struct ms_notes - of one address space
 * @tables: by PMD number
 * @width: bytes of a page
 * @bytes: what the tables take
 */
struct ms_notes {
	struct xarray tables;
	unsigned int width;
	unsigned long bytes;
};

/* Context: any. */
void ms_notes_init(struct ms_notes *notes, unsigned int width);

/*
 * The notes on the pages that a page table at @addr maps, PTRS_PER_PTE of them, or
 * NULL. Context: any, under RCU, or where nobody calls ms_notes_forget().
 */
void *ms_notes_find(struct ms_notes *notes, unsigned long addr);

/*
 * The same; made, with zeros, if there are none. NULL if there is no memory. One at a
 * time. May sleep if @gfp says so.
 */
void *ms_notes_make(struct ms_notes *notes, unsigned long addr, gfp_t gfp);

/* Frees all of them; there may be others after that. May sleep. */
void ms_notes_forget(struct ms_notes *notes);

/* The same, where nobody looks any up meanwhile. */
void ms_notes_free(struct ms_notes *notes);

#endif
