/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A map of the pages of an address space: a few bytes about each, by address, in
 * tables that cover as much as a page table does.
 */
#ifndef MEMSUITE_PAGE_MAP_H
#define MEMSUITE_PAGE_MAP_H

#include <linux/types.h>
#include <linux/xarray.h>

/**
 * struct memsuite_page_map - the map of one address space
 * @tables: by PMD number
 * @width: bytes of a page
 * @bytes: what the tables take
 */
struct memsuite_page_map {
	struct xarray tables;
	unsigned int width;
	unsigned long bytes;
};

/* Context: any. */
void memsuite_page_map_init(struct memsuite_page_map *map, unsigned int width);

/*
 * What is known of the pages that a page table at @addr maps, PTRS_PER_PTE of them, or
 * NULL. Context: any, under RCU, or where nobody calls memsuite_page_map_forget().
 */
void *memsuite_page_map_find(struct memsuite_page_map *map, unsigned long addr);

/*
 * The same; made, with zeros, if there are none. NULL if there is no memory. One at a
 * time. May sleep if @gfp says so.
 */
void *memsuite_page_map_make(struct memsuite_page_map *map, unsigned long addr, gfp_t gfp);

/* Frees all of them; there may be others after that. May sleep. */
void memsuite_page_map_forget(struct memsuite_page_map *map);

/* The same, where nobody looks any up meanwhile. */
void memsuite_page_map_free(struct memsuite_page_map *map);

#endif
