/* SPDX-License-Identifier: GPL-2.0-only */
/* Durable changes of the tree. */
#ifndef VSTORE_MAP_COMMIT_H
#define VSTORE_MAP_COMMIT_H

#include "store/map/map.h"

/* A block and its new page, for vstore_map_commit(). */
struct vstore_item {
	u64 block;
	u32 page;
	u32 old;		/* set by vstore_map_commit(): the page before, or 0 */
	unsigned int flags;	/* VSTORE_CLEAN or 0 */
};

unsigned int vstore_map_commit(struct vstore_map *map, struct vstore_item *items,
			       unsigned int nr);
void vstore_map_forget(struct vstore_map *map, const u64 *blocks, unsigned int nr);
void vstore_map_mark_clean(struct vstore_map *map, u64 block);

#endif
