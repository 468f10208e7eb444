// SPDX-License-Identifier: GPL-2.0-only
/*
 * The radix tree in PRAM: its entries, its nodes, and looking blocks up (Park et al., section
 * 4.1). Each entry is checked as it is read; map.h says against what. Pure logic: also built
 * in user space.
 */

#include <linux/crc32.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sizes.h>

#include "store/map/pages.h"
#include "store/map/pram.h"
#include "store/map/tree.h"

#define CHECK_SHIFT	40
#define CHECK_MASK	0xffffffu

#ifndef PAUSE_PAGES		/* a test may count */
#define PAUSE_PAGES	SZ_64K	/* looked at in a row, while others wait for the processor */
#endif

/**
 * vstore_tree_levels() - how high a tree is
 * @nr_blocks: of the disk
 *
 * Return: the number of levels.
 */
unsigned int vstore_tree_levels(u64 nr_blocks)
{
	unsigned int levels = 1;

	while (nr_blocks > 1ULL << levels * VSTORE_FANOUT_SHIFT)
		levels++;
	return levels;
}

/**
 * vstore_entry_make() - an entry
 * @map: the map
 * @level: of the node that it is in
 * @block: one that it leads to
 * @page: the page that it leads to
 * @flags: %VSTORE_CLEAN or 0
 *
 * It holds at its own place only: elsewhere its checksum is wrong.
 *
 * Return: the entry.
 */
u64 vstore_entry_make(const struct vstore_map *map, unsigned int level,
		      u64 block, u32 page, unsigned int flags)
{
	u64 entry = page | (u64)flags << VSTORE_ENTRY_FLAGS_SHIFT;
	u64 what[] = { level, block >> level * VSTORE_FANOUT_SHIFT, entry };
	u64 check = crc32_le(map->seed, (const u8 *)what, sizeof(what));

	return entry | (check & CHECK_MASK) << CHECK_SHIFT;
}

/**
 * vstore_entry_empty() - the entry that leads nowhere
 * @map: the map
 * @level: of the node that it is in
 * @block: one that it would lead to
 *
 * It has a checksum as well: zeroes, which cleared poison leaves, are damage.
 *
 * Return: the entry.
 */
u64 vstore_entry_empty(const struct vstore_map *map, unsigned int level, u64 block)
{
	return vstore_entry_make(map, level, block, 0, 0);
}

/* Whether an entry of @level leads to the page, for blocks whose upper bits are those of @block. */
static bool page_is_below(const struct vstore_page *p, unsigned int level, u64 block,
			  unsigned int shift)
{
	return p->use == (level ? VSTORE_NODE : VSTORE_DATA) && p->level == level &&
	       p->block != VSTORE_NONE && p->block >> shift == block >> shift;
}

static bool page_is_at(const struct vstore_page *p, unsigned int level, u64 block)
{
	return page_is_below(p, level, block, level * VSTORE_FANOUT_SHIFT);
}

/**
 * vstore_tree_page_next() - the next page that an entry leads to
 * @map: the map
 * @page: the search begins after it
 * @level: of the entry
 * @block: one whose upper bits the page's blocks have
 * @shift: how many lower bits do not matter
 *
 * By what is known in memory of the pages. In a large store it takes a good part of a second.
 * Context: may sleep.
 *
 * Return: the page, or 0.
 */
u32 vstore_tree_page_next(const struct vstore_map *map, u32 page, unsigned int level, u64 block,
			  unsigned int shift)
{
	while (++page < map->nr_pages) {
		if (!(page % PAUSE_PAGES))
			cond_resched();
		if (page_is_below(&map->pages[page], level, block, shift))
			return page;
	}
	return 0;
}

/**
 * vstore_entry_of() - the entry that leads to a page, as it must be
 * @map: the map
 * @page: its number
 *
 * Return: the entry.
 */
u64 vstore_entry_of(const struct vstore_map *map, u32 page)
{
	const struct vstore_page *p = &map->pages[page];

	return vstore_entry_make(map, p->level, p->block, page, p->flags & VSTORE_CLEAN);
}

/* The entry as it must be: what is in memory of the pages tells. It takes a look at each. */
static u64 entry_known(const struct vstore_map *map, unsigned int level, u64 block)
{
	u32 page = vstore_tree_page_next(map, VSTORE_ROOT_PAGE, level, block,
					 level * VSTORE_FANOUT_SHIFT);

	return page ? vstore_entry_of(map, page) : vstore_entry_empty(map, level, block);
}

/* Of one that leads somewhere, its page tells; the checksum is dearer, for each of these. */
static bool entry_holds(const struct vstore_map *map, unsigned int level, u64 block, u64 entry)
{
	u32 page = vstore_entry_page(entry);

	if (!page)
		return entry == vstore_entry_empty(map, level, block);
	return page < map->nr_pages && page_is_at(&map->pages[page], level, block) &&
	       vstore_entry_flags(entry) == (map->pages[page].flags & VSTORE_CLEAN);
}

/**
 * vstore_entry_read() - read an entry, and check it
 * @map: the map
 * @node: the page that it is in
 * @level: of that node
 * @block: one that it leads to
 * @entry: gets it
 *
 * Return: false if it cannot be read, or is not what it must be.
 */
bool vstore_entry_read(const struct vstore_map *map, u32 node, unsigned int level, u64 block,
		       u64 *entry)
{
	const u64 *slot = vstore_slot_of(map, node, level, block);

	return !vstore_pram_read(entry, slot, sizeof(*entry)) &&
	       entry_holds(map, level, block, *entry);
}

/**
 * vstore_node_mark_bad() - note that a node is damaged
 * @map: the map
 * @node: its page
 *
 * It is to be repaired; and its page is never lent or used again, whatever frees it before that.
 */
void vstore_node_mark_bad(struct vstore_map *map, u32 node)
{
	if (node != VSTORE_ROOT_PAGE)
		vstore_page_mark_bad(map, node);
	if (!map->unrepairable)
		map->damaged = node;
}

/**
 * vstore_entry_get() - an entry as it must be
 * @map: the map
 * @node: the page that it is in, which is noted if it turns out to be damaged
 * @level: of that node
 * @block: one that it leads to
 *
 * Return: the entry.
 */
u64 vstore_entry_get(struct vstore_map *map, u32 node, unsigned int level, u64 block)
{
	u64 entry;

	if (vstore_entry_read(map, node, level, block, &entry))
		return entry;
	vstore_node_mark_bad(map, node);
	return entry_known(map, level, block);
}

/**
 * vstore_node_clear() - write a node that leads nowhere
 * @map: the map
 * @node: its page
 * @level: its level
 * @first: the first block that it would lead to
 */
void vstore_node_clear(const struct vstore_map *map, u32 node, unsigned int level, u64 first)
{
	unsigned int i;

	for (i = 0; i < VSTORE_FANOUT; i++) {
		u64 block = first + ((u64)i << level * VSTORE_FANOUT_SHIFT);

		vstore_pram_set(vstore_slot_at(map, node, i),
				vstore_entry_empty(map, level, block));
	}
}

/**
 * vstore_slot_find() - find where the entry of a block is
 * @map: the map
 * @block: it
 * @level: of the node
 * @node: gets the node's page, or 0
 * @entry: gets the entry
 *
 * Return: the place in PRAM, or NULL if there is no such node.
 */
u64 *vstore_slot_find(struct vstore_map *map, u64 block, unsigned int level, u32 *node,
		      u64 *entry)
{
	unsigned int at = map->levels - 1;

	*node = VSTORE_ROOT_PAGE;
	*entry = vstore_entry_get(map, *node, at, block);
	while (at > level) {
		*node = vstore_entry_page(*entry);
		if (!*node)
			return NULL;
		*entry = vstore_entry_get(map, *node, --at, block);
	}
	return vstore_slot_of(map, *node, level, block);
}

/**
 * vstore_tree_find() - look a block up
 * @map: the map
 * @block: of the disk
 *
 * Return: the page that holds it, or 0.
 */
u32 vstore_tree_find(struct vstore_map *map, u64 block)
{
	u64 entry;
	u32 node;

	return vstore_slot_find(map, block, 0, &node, &entry) ? vstore_entry_page(entry) : 0;
}

/**
 * vstore_tree_next() - the next block that PRAM holds
 * @map: the map
 * @block: the first one that may be it
 * @end: the one after the last
 *
 * Return: the block, or %VSTORE_NONE.
 */
u64 vstore_tree_next(struct vstore_map *map, u64 block, u64 end)
{
	end = min(end, map->nr_blocks);
	while (block < end) {
		unsigned int level = map->levels - 1;
		u32 page = VSTORE_ROOT_PAGE;

		for (;;) {
			page = vstore_entry_page(vstore_entry_get(map, page, level, block));
			if (!page || !level)
				break;
			level--;
		}
		if (page)
			return block;
		/* Nothing below this entry: on to the one after it. */
		level *= VSTORE_FANOUT_SHIFT;
		block = ((block >> level) + 1) << level;
	}
	return VSTORE_NONE;
}
