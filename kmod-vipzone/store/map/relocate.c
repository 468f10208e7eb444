// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving a page's contents, data or a node, elsewhere within PRAM: to empty a unit that is to
 * be lent, or to leave a node that is damaged. Pure logic: also built in user space.
 */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>

#include "store/map/checksum.h"
#include "store/map/pages.h"
#include "store/map/pram.h"
#include "store/map/relocate.h"
#include "store/map/tree.h"

/* By way of other memory: what is copied straight would stay in a cache. */
static int page_copy(const struct vstore_map *map, u32 to, u32 from)
{
	u64 piece[64];
	size_t at;

	for (at = 0; at < VSTORE_BLOCK_SIZE; at += sizeof(piece)) {
		if (vstore_pram_read(piece, vstore_page_data(map, from) + at, sizeof(piece)))
			return -EIO;
		vstore_pram_copy(vstore_page_data(map, to) + at, piece, sizeof(piece));
	}
	return 0;
}

/* The checksum is that of what was written: if it was changed since, who reads it finds out. */
static int data_copy(struct vstore_map *map, u32 to, u32 from)
{
	u64 block = map->pages[from].block;

	if (page_copy(map, to, from))
		return -EIO;
	map->pages[to].checksum = map->pages[from].checksum;
	vstore_record_set(map, to, block, VSTORE_WRITTEN);
	vstore_record_set(map, from, block, VSTORE_WRITTEN);
	return 0;
}

/* What is bad of it is right in the other one, which nothing leads to yet. */
static void node_copy(struct vstore_map *map, u32 to, u32 from)
{
	const unsigned int level = map->pages[from].level - 1;
	const unsigned int shift = map->pages[from].level * VSTORE_FANOUT_SHIFT;
	u64 first = map->pages[from].block >> shift << shift, entry;
	bool bad = false;
	unsigned int i;
	u32 page;

	for (i = 0; i < VSTORE_FANOUT; i++) {
		u64 block = first + ((u64)i << level * VSTORE_FANOUT_SHIFT);

		if (!vstore_entry_read(map, from, level, block, &entry)) {
			entry = vstore_entry_empty(map, level, block);
			bad = true;
		}
		vstore_pram_set(vstore_slot_at(map, to, i), entry);
	}
	if (!bad)
		return;
	/* One look at all pages, however many entries are bad. */
	vstore_node_mark_bad(map, from);
	vstore_for_each_page_beside(map, page, level, first)
		vstore_pram_set(vstore_slot_of(map, to, level, map->pages[page].block),
				vstore_entry_of(map, page));
}

/**
 * vstore_page_relocate() - move what a page has, data or a node, to a free page
 * @map: the map
 * @page: it; an entry leads to it
 *
 * Its place in its user's list, and its mark, are the other page's then. That the
 * entry leads there is durable when this returns.
 *
 * Return: 0, -ENOSPC, or -EIO if it is data that cannot be read: then it stays.
 */
int vstore_page_relocate(struct vstore_map *map, u32 page)
{
	struct vstore_page *from = &map->pages[page], *to;
	u32 number, node;
	u64 *slot, entry;

	if (from->use == VSTORE_DATA && from->flags & VSTORE_BAD)
		return -EIO;
	number = vstore_page_take(map, from->use);
	if (!number)
		return -ENOSPC;
	to = &map->pages[number];
	if (from->use == VSTORE_NODE) {
		node_copy(map, number, page);
	} else if (data_copy(map, number, page)) {
		vstore_page_free(map, number);
		return -EIO;
	}
	/* All of it is there before anything leads to it. */
	vstore_pram_fence();
	slot = vstore_slot_find(map, from->block, from->level, &node, &entry);
	vstore_pram_set(slot, vstore_entry_make(map, from->level, from->block, number,
						from->flags & VSTORE_CLEAN));
	to->block = from->block;
	if (from->use == VSTORE_NODE)
		to->live = from->live;
	to->flags = from->flags & VSTORE_CLEAN;
	to->level = from->level;
	to->mark = from->mark;
	from->block = VSTORE_NONE;
	/* A bad node stays in the map's list until it is freed. */
	if (!list_empty(&from->list) && !(from->flags & VSTORE_BAD))
		list_replace_init(&from->list, &to->list);
	/* And nothing leads to the old page before it is written again. */
	vstore_pram_fence();
	if (to->use == VSTORE_DATA)
		vstore_record_set(map, number, to->block, VSTORE_COMMITTED);
	vstore_page_free(map, page);
	return 0;
}
