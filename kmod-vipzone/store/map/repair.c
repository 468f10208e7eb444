// SPDX-License-Identifier: GPL-2.0-only
/*
 * Damaged nodes of the tree are made good again, by what is known in memory of the pages. Pure
 * logic: also built in user space.
 */

#include <linux/errno.h>
#include <linux/kernel.h>

#include "store/map/pram.h"
#include "store/map/relocate.h"
#include "store/map/repair.h"
#include "store/map/tree.h"

#define PART_ENTRIES	64	/* of the root: what is repaired together, for the stack is small */

/* The entry of the root's that begins with @index, and those that follow, as they must be. */
static void part_known(const struct vstore_map *map, unsigned int index, u64 *known)
{
	const unsigned int level = map->levels - 1;
	unsigned int i;
	u32 page;

	for (i = 0; i < PART_ENTRIES; i++)
		known[i] = vstore_entry_empty(map, level,
					      (u64)(index + i) << level * VSTORE_FANOUT_SHIFT);
	vstore_for_each_page_beside(map, page, level, 0) {
		i = vstore_slot_index(map->pages[page].block, level) - index;
		if (i < PART_ENTRIES)
			known[i] = vstore_entry_of(map, page);
	}
}

static bool line_holds(const struct vstore_map *map, unsigned int index)
{
	const unsigned int level = map->levels - 1, end = index + VSTORE_LINE_ENTRIES;
	u64 entry;

	for (; index < end; index++)
		if (!vstore_entry_read(map, VSTORE_ROOT_PAGE, level,
				       (u64)index << level * VSTORE_FANOUT_SHIFT, &entry))
			return false;
	return true;
}

/* Writes lines anew that are bad; returns whether any was. */
static bool part_repair(const struct vstore_map *map, unsigned int index)
{
	u64 known[PART_ENTRIES];
	unsigned int i, j;
	bool bad = false;

	for (i = 0; i < PART_ENTRIES; i += VSTORE_LINE_ENTRIES) {
		if (line_holds(map, index + i))
			continue;
		if (!bad)
			part_known(map, index, known);
		bad = true;
		for (j = i; j < i + VSTORE_LINE_ENTRIES; j++)
			vstore_pram_set(vstore_slot_at(map, VSTORE_ROOT_PAGE, index + j), known[j]);
	}
	return bad;
}

/*
 * The root has its place. Of what is right, nothing changes: there is no instant without.
 * No fence: nothing is written that relies on it, and if a power cut undoes it, it is as bad
 * as before.
 */
static int root_repair(struct vstore_map *map)
{
	unsigned int index, round;
	bool bad = true;

	for (round = 0; bad && round < 2; round++) {
		bad = false;
		for (index = 0; index < VSTORE_FANOUT; index += PART_ENTRIES)
			bad |= part_repair(map, index);
	}
	map->damaged = 0;
	map->unrepairable = bad;
	return bad ? -EIO : 0;
}

/**
 * vstore_map_repair() - make a node good again that was found bad
 * @map: the map; nothing but its caller's call is under way
 *
 * What is known in memory goes to another page, and this one is used no more; what is bad
 * of the root is written anew. Until then, and if it cannot be, blocks are found without.
 *
 * Return: 0, -ENOENT if nothing leads to it any more, -ENOSPC if there is no page now, or
 * -EIO if the root remains bad: then nothing is repaired any more.
 */
int vstore_map_repair(struct vstore_map *map)
{
	u32 node = map->damaged;
	int err;

	if (node == VSTORE_ROOT_PAGE)
		return root_repair(map);
	map->damaged = 0;
	/* It was emptied since, or moved. */
	if (!node || map->pages[node].use != VSTORE_NODE || map->pages[node].block == VSTORE_NONE)
		return -ENOENT;
	err = vstore_page_relocate(map, node);
	/* The copying has found it once more; or it was another one, on the way. */
	if (!err && map->damaged == node)
		map->damaged = 0;
	return err;
}
