/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree's entries and nodes. A level is counted from the leaves: an entry of level 0 leads to
 * data, one of a higher level to a node of the level below. A slot is an entry's place.
 */
#ifndef VSTORE_MAP_TREE_H
#define VSTORE_MAP_TREE_H

#include "store/map/map.h"

#define VSTORE_ENTRY_PAGE		GENMASK_ULL(31, 0)
#define VSTORE_ENTRY_FLAGS_SHIFT	32

static inline u64 *vstore_slot_at(const struct vstore_map *map, u32 node, unsigned int index)
{
	return (u64 *)vstore_page_data(map, node) + index;
}

/* Where in a node of @level the entry is that leads to @block. */
static inline unsigned int vstore_slot_index(u64 block, unsigned int level)
{
	return block >> level * VSTORE_FANOUT_SHIFT & (VSTORE_FANOUT - 1);
}

/* The slot in a node of @level that leads to @block. */
static inline u64 *vstore_slot_of(const struct vstore_map *map, u32 node, unsigned int level,
				  u64 block)
{
	return vstore_slot_at(map, node, vstore_slot_index(block, level));
}

static inline u32 vstore_entry_page(u64 entry)
{
	return entry & VSTORE_ENTRY_PAGE;
}

static inline unsigned int vstore_entry_flags(u64 entry)
{
	return entry >> VSTORE_ENTRY_FLAGS_SHIFT & 0xff;
}

unsigned int vstore_tree_levels(u64 nr_blocks);
u64 vstore_entry_make(const struct vstore_map *map, unsigned int level, u64 block, u32 page,
		      unsigned int flags);
u64 vstore_entry_empty(const struct vstore_map *map, unsigned int level, u64 block);
u64 vstore_entry_of(const struct vstore_map *map, u32 page);
bool vstore_entry_read(const struct vstore_map *map, u32 node, unsigned int level, u64 block,
		       u64 *entry);
u64 vstore_entry_get(struct vstore_map *map, u32 node, unsigned int level, u64 block);
void vstore_node_clear(const struct vstore_map *map, u32 node, unsigned int level, u64 first);
void vstore_node_mark_bad(struct vstore_map *map, u32 node);
u64 *vstore_slot_find(struct vstore_map *map, u64 block, unsigned int level, u32 *node,
		      u64 *entry);
u32 vstore_tree_find(struct vstore_map *map, u64 block);
u64 vstore_tree_next(struct vstore_map *map, u64 block, u64 end);
u32 vstore_tree_page_next(const struct vstore_map *map, u32 page, unsigned int level, u64 block,
			  unsigned int shift);

/* All pages to which entries lead that are in one node of @level with that of @block. */
#define vstore_for_each_page_beside(map, page, level, block) \
	for (page = vstore_tree_page_next(map, VSTORE_ROOT_PAGE, level, block, \
					  ((level) + 1) * VSTORE_FANOUT_SHIFT); \
	     page; \
	     page = vstore_tree_page_next(map, page, level, block, \
					  ((level) + 1) * VSTORE_FANOUT_SHIFT))

#endif
