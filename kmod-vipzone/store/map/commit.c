// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of the tree, each of which is durable at one instant: by stores of one word, and the
 * fences between them. Pure logic: also built in user space, where tests/store-crash cuts the
 * power at each store and fence of this folder, and shows of each fence that data would be
 * lost without it.
 */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>

#include "store/map/checksum.h"
#include "store/map/commit.h"
#include "store/map/pages.h"
#include "store/map/pram.h"
#include "store/map/tree.h"

/* A node for @slot, which is empty, and of @level. */
static int node_make(struct vstore_map *map, u64 *slot, unsigned int level,
		     u64 block, u32 *made)
{
	const unsigned int shift = level * VSTORE_FANOUT_SHIFT;
	u32 node = vstore_page_take(map, VSTORE_NODE);

	if (!node)
		return -ENOSPC;
	*made = node;
	vstore_node_clear(map, node, level - 1, block >> shift << shift);
	/*
	 * What lay in the page before must not be taken for entries: it is
	 * gone before anything leads here. That the entry below is durable
	 * itself is waited for when one in the new node is committed.
	 */
	vstore_pram_fence();
	vstore_pram_set(slot, vstore_entry_make(map, level, block, node, 0));
	map->pages[node].block = block;
	map->pages[node].level = level;
	return 0;
}

/* Makes the nodes on the way to @block that are missing. */
static int path_make(struct vstore_map *map, u64 block)
{
	u32 node = VSTORE_ROOT_PAGE;
	unsigned int level;

	for (level = map->levels - 1; level; level--) {
		u32 below = vstore_entry_page(vstore_entry_get(map, node, level, block));

		if (!below) {
			u64 *slot = vstore_slot_of(map, node, level, block);
			int err = node_make(map, slot, level, block, &below);

			if (err)
				return err;
			map->pages[node].live++;
		}
		node = below;
	}
	return 0;
}

/* Clears the entries on the way to @block that lead to nodes left empty. */
static void path_prune(struct vstore_map *map, u64 block, struct list_head *freed)
{
	unsigned int level;
	u64 entry;
	u32 node;

	for (level = 1; level < map->levels; level++) {
		u64 *slot = vstore_slot_find(map, block, level, &node, &entry);
		struct vstore_page *below;

		if (!slot || !vstore_entry_page(entry))
			continue;
		below = &map->pages[vstore_entry_page(entry)];
		if (below->live)
			return;
		vstore_pram_set(slot, vstore_entry_empty(map, level, block));
		below->block = VSTORE_NONE;
		map->pages[node].live--;
		list_move_tail(&below->list, freed);
	}
}

static void pages_free(struct vstore_map *map, struct list_head *freed)
{
	struct vstore_page *p, *next;

	list_for_each_entry_safe(p, next, freed, list)
		vstore_page_free(map, p - map->pages);
}

/* An entry is about to lead elsewhere: that one leads to the page is not certain from now on. */
static void record_retract(const struct vstore_map *map, u32 page)
{
	const struct vstore_page *p = &map->pages[page];

	/* The record of one that is bad may be what is wrong: it remains so. */
	if (!(p->flags & VSTORE_BAD))
		vstore_record_set(map, page, p->block, VSTORE_WRITTEN);
}

/* All that has to be durable before the entries are. */
static void items_record(struct vstore_map *map, struct vstore_item *items, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct vstore_item *item = &items[i];

		item->old = vstore_tree_find(map, item->block);
		if (item->old)
			record_retract(map, item->old);
		vstore_record_set(map, item->page, item->block, VSTORE_WRITTEN);
	}
}

/**
 * vstore_map_commit() - make blocks' new contents the valid ones
 * @map: the map
 * @items: blocks, each with a page that was taken, and written by vstore_data_write()
 * @nr: how many
 *
 * They are durable when this returns, and the pages that held these blocks
 * before are free. A power cut meanwhile leaves each block old or new, never a
 * mixture.
 *
 * Return: how many were done: fewer than @nr if there is no page for a node of
 * the tree. The pages of the others are still the caller's.
 */
unsigned int vstore_map_commit(struct vstore_map *map, struct vstore_item *items,
			       unsigned int nr)
{
	unsigned int i, done;
	LIST_HEAD(freed);
	u64 entry;
	u32 node;

	for (done = 0; done < nr; done++)
		if (path_make(map, items[done].block))
			break;
	items_record(map, items, done);
	/* All contents are durable before the first entry leads to any. */
	vstore_pram_fence();
	for (i = 0; i < done; i++) {
		struct vstore_item *item = &items[i];
		u64 *slot = vstore_slot_find(map, item->block, 0, &node, &entry);

		vstore_pram_set(slot, vstore_entry_make(map, 0, item->block, item->page,
							item->flags));
		if (item->old)
			map->pages[item->old].block = VSTORE_NONE;
		map->pages[item->page].block = item->block;
		map->pages[item->page].flags = item->flags;
		if (!item->old)
			map->pages[node].live++;
	}
	/* A node that was made for what then did not fit. */
	if (done < nr)
		path_prune(map, items[done].block, &freed);
	/*
	 * The entries are durable before the write is acknowledged, and before
	 * the pages that they led to can be written again.
	 */
	vstore_pram_fence();
	for (i = 0; i < done; i++) {
		vstore_record_set(map, items[i].page, items[i].block, VSTORE_COMMITTED);
		if (items[i].old)
			vstore_page_free(map, items[i].old);
	}
	pages_free(map, &freed);
	return done;
}

/* Returns whether PRAM has any of the blocks. */
static bool blocks_retract(struct vstore_map *map, const u64 *blocks, unsigned int nr)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		u32 page = vstore_tree_find(map, blocks[i]);

		if (!page)
			continue;
		record_retract(map, page);
		any = true;
	}
	return any;
}

/**
 * vstore_map_forget() - forget blocks
 * @map: the map
 * @blocks: those that PRAM does not hold are passed over
 * @nr: how many
 *
 * It is durable when this returns: the disk's contents are the valid ones.
 */
void vstore_map_forget(struct vstore_map *map, const u64 *blocks, unsigned int nr)
{
	LIST_HEAD(freed);
	unsigned int i;
	u64 entry;
	u32 node;

	if (!blocks_retract(map, blocks, nr))
		return;
	/* After a power cut nothing is missed that no entry leads to. */
	vstore_pram_fence();
	for (i = 0; i < nr; i++) {
		u64 *slot = vstore_slot_find(map, blocks[i], 0, &node, &entry);
		struct vstore_page *p;

		if (!slot || !vstore_entry_page(entry))
			continue;
		p = &map->pages[vstore_entry_page(entry)];
		p->block = VSTORE_NONE;
		list_move_tail(&p->list, &freed);
		vstore_pram_set(slot, vstore_entry_empty(map, 0, blocks[i]));
		map->pages[node].live--;
		/*
		 * No fence in between: if only a parent's entry is gone after a
		 * power cut, so are those below it, which is what is wanted.
		 */
		path_prune(map, blocks[i], &freed);
	}
	/* Nothing leads to these pages any more before one is written again. */
	vstore_pram_fence();
	pages_free(map, &freed);
}

/**
 * vstore_map_mark_clean() - note that the disk has a block's contents, durably
 * @map: the map
 * @block: one that PRAM holds
 *
 * There is no fence: if a power cut undoes it, the block is written to disk once
 * more, and until PRAM has other contents or none, the disk keeps these.
 */
void vstore_map_mark_clean(struct vstore_map *map, u64 block)
{
	u64 entry;
	u32 node;
	u64 *slot = vstore_slot_find(map, block, 0, &node, &entry);
	u32 page = vstore_entry_page(entry);

	vstore_pram_set(slot, vstore_entry_make(map, 0, block, page, VSTORE_CLEAN));
	map->pages[page].flags = VSTORE_CLEAN;
}
