/* SPDX-License-Identifier: GPL-2.0-only */
/* What the rest of the core tells alloc_stats.c; all else is in memsuite/alloc_stats.h. */
#ifndef MEMSUITE_FRAME_ALLOC_STATS_PRIVATE_H
#define MEMSUITE_FRAME_ALLOC_STATS_PRIVATE_H

#include <linux/gfp.h>
#include <linux/jump_label.h>
#include <linux/mm_types.h>

#include <memsuite/alloc_stats.h>

int memsuite_alloc_stats_init(void);
void memsuite_alloc_stats_exit(void);

/* Before memory of a node comes online. May sleep. False: what it allocates is not counted. */
bool memsuite_alloc_stats_add_node(int nid);

DECLARE_STATIC_KEY_FALSE(memsuite_alloc_stats_key);

void __memsuite_alloc_stats_handed(struct page *page, unsigned int order);

/* At mm_page_alloc. What a hook hands out is counted without. */
void memsuite_alloc_stats_listener(void *data, struct page *page, unsigned int order,
				   gfp_t gfp, int migratetype);

/* The machine may have slept: how long, counts from here on. Context: any. */
void memsuite_alloc_stats_awake(void);

typedef void memsuite_free_fn(struct page *page, unsigned int order);
void __memsuite_alloc_stats_free(struct page *page, unsigned int order, memsuite_free_fn *free);

/* A hook hands a page out. Context: any. */
static inline void memsuite_alloc_stats_handed(struct page *page, unsigned int order)
{
	if (static_branch_unlikely(&memsuite_alloc_stats_key))
		__memsuite_alloc_stats_handed(page, order);
}

/*
 * Have @free() free a page that no user had: its stamps stay. @free() does not
 * sleep. Context: as for @free().
 */
static inline void memsuite_alloc_stats_free(struct page *page, unsigned int order,
					     memsuite_free_fn *free)
{
	if (static_branch_unlikely(&memsuite_alloc_stats_key))
		__memsuite_alloc_stats_free(page, order, free);
	else
		free(page, order);
}

#endif
