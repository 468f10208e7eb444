// SPDX-License-Identifier: GPL-2.0-only
/*
 * Activation: reads the tree, refuses it if it is damaged, and finds out which pages are free.
 * After a power cut this is the recovery. Pure logic: also built in user space.
 */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "store/map/checksum.h"
#include "store/map/header.h"
#include "store/map/pages.h"
#include "store/map/pram.h"
#include "store/map/recovery.h"
#include "store/map/seal.h"
#include "store/map/tree.h"

static int data_note(struct vstore_map *map, u64 block, u64 entry,
		     struct vstore_report *report)
{
	struct vstore_page *p = &map->pages[vstore_entry_page(entry)];

	if (block >= map->nr_blocks)
		return vstore_refuse(report, "an entry beyond the disk's end", block);
	p->use = VSTORE_DATA;
	p->block = block;
	p->flags = vstore_entry_flags(entry);
	map->nr_data++;
	if (p->flags & VSTORE_CLEAN)
		report->clean++;
	else
		report->dirty++;
	return 0;
}

/* Finds what is below @node, whose first block is @first: VSTORE_LEVELS_MAX deep at most. */
static int node_scan(struct vstore_map *map, u32 node, unsigned int level,
		     u64 first, struct vstore_report *report)
{
	u64 line[VSTORE_LINE_ENTRIES];
	unsigned int i;

	/* A large tree takes seconds. */
	cond_resched();
	for (i = 0; i < VSTORE_FANOUT; i++) {
		bool bad = !(i % VSTORE_LINE_ENTRIES) &&
			   vstore_pram_read(line, vstore_slot_at(map, node, i), sizeof(line));
		u64 entry = bad ? 0 : line[i % VSTORE_LINE_ENTRIES];
		u64 block = first + ((u64)i << level * VSTORE_FANOUT_SHIFT);
		unsigned int flags = vstore_entry_flags(entry);
		u32 page = vstore_entry_page(entry);
		int err;

		if (bad)
			return vstore_refuse(report, "a node of the tree cannot be read", block);
		if (entry != vstore_entry_make(map, level, block, page, flags) ||
		    flags & ~(level || !page ? 0 : VSTORE_CLEAN))
			return vstore_refuse(report, "a damaged entry", block);
		if (!page)
			continue;
		if (page >= map->nr_pages || map->pages[page].use != VSTORE_FREE)
			return vstore_refuse(report, "an entry leads to a page not its own", block);
		if (!level) {
			err = data_note(map, block, entry, report);
		} else {
			map->pages[page].use = VSTORE_NODE;
			map->pages[page].block = block;
			map->pages[page].level = level;
			map->nr_nodes++;
			err = node_scan(map, page, level - 1, block, report);
		}
		if (err)
			return err;
		map->pages[node].live++;
	}
	return 0;
}

/*
 * A power cut may leave nodes without entries. Only once the whole tree is known
 * to be sound is anything written.
 */
static void nodes_prune(struct vstore_map *map, u32 node, unsigned int level,
			struct vstore_report *report)
{
	unsigned int i;

	for (i = 0; i < VSTORE_FANOUT && level; i++) {
		u64 *slot = vstore_slot_at(map, node, i);
		u32 page = vstore_entry_page(*slot);

		if (!page)
			continue;
		nodes_prune(map, page, level - 1, report);
		if (map->pages[page].live)
			continue;
		vstore_pram_set(slot, vstore_entry_empty(map, level, map->pages[page].block));
		map->pages[node].live--;
		map->pages[page].use = VSTORE_FREE;
		map->nr_nodes--;
		report->pruned++;
	}
}

/* Whether a page that no entry leads to has what its record says that it has. */
static bool data_is_lost(const struct vstore_map *map, u32 page,
			 const struct vstore_record *record)
{
	return record->state == VSTORE_COMMITTED && map->pages[page].use == VSTORE_FREE &&
	       vstore_page_is_right(map, page, record->block, record->checksum);
}

/*
 * An entry that went back to what it was leads to a page that has another block by now, or none;
 * or a page was committed, and none leads there any more. The former is a block that is lost, the
 * latter one of which nobody knows.
 */
static int records_check(struct vstore_map *map, struct vstore_report *report)
{
	u32 page;

	for (page = vstore_fixed_pages(map->nr_pages); page < map->nr_pages; page++) {
		struct vstore_page *p = &map->pages[page];
		struct vstore_record record;
		bool good = vstore_record_read(map, page, &record);

		if (!(page % VSTORE_FANOUT))
			cond_resched();
		if (p->use == VSTORE_DATA) {
			if (good && record.state && record.block == p->block)
				p->checksum = record.checksum;
			else
				vstore_page_mark_bad(map, page);
		} else if (good && data_is_lost(map, page, &record)) {
			return vstore_refuse(report, "a page was committed that no entry leads to",
					     record.block);
		}
	}
	return 0;
}

/* What a power cut left of records is made what it would have become. */
static void records_settle(const struct vstore_map *map)
{
	u32 page;

	for (page = vstore_fixed_pages(map->nr_pages); page < map->nr_pages; page++) {
		const struct vstore_page *p = &map->pages[page];
		struct vstore_record record;
		bool good = vstore_record_read(map, page, &record);

		if (!(page % VSTORE_FANOUT))
			cond_resched();
		if (p->use != VSTORE_DATA) {
			if (!good || record.state)
				vstore_record_clear(map, page);
		} else if (!(p->flags & VSTORE_BAD) && record.state != VSTORE_COMMITTED) {
			vstore_record_set(map, page, p->block, VSTORE_COMMITTED);
		}
	}
}

/**
 * vstore_map_open() - read the tree, and find out which pages are free
 * @map: is filled in
 * @base: the PRAM
 * @pages: @nr_pages of them, which belong to the map from now on: zeroed, or as an
 *	earlier map left them, whose unusable pages stay so
 * @nr_pages: of the PRAM
 * @nr_blocks: of the disk
 * @writable: nodes that a power cut left empty may be cut off
 * @report: what was found, or what is wrong
 *
 * After a power cut this is the recovery. A store that is refused is not
 * written to. Context: may sleep.
 *
 * Return: 0 or -EINVAL.
 */
int vstore_map_open(struct vstore_map *map, void *base, struct vstore_page *pages,
		    u32 nr_pages, u64 nr_blocks, bool writable, struct vstore_report *report)
{
	const struct vstore_header *header = base;
	struct vstore_seal seal;
	u32 page;
	int err;

	memset(report, 0, sizeof(*report));
	err = vstore_header_check(base, nr_pages, nr_blocks, report);
	if (err)
		return err;
	*map = (struct vstore_map){
		.base = base, .pages = pages, .nr_blocks = nr_blocks,
		.nr_pages = header->nr_pages, .levels = vstore_tree_levels(nr_blocks),
		.seed = vstore_header_seed(header),
	};
	INIT_LIST_HEAD(&map->free);
	INIT_LIST_HEAD(&map->bad);
	for (page = 0; page < map->nr_pages; page++) {
		bool bad = pages[page].use == VSTORE_UNUSABLE;

		memset(&pages[page], 0, sizeof(pages[page]));
		INIT_LIST_HEAD(&pages[page].list);
		pages[page].flags = bad ? VSTORE_BAD : 0;
	}
	for (page = 0; page < vstore_fixed_pages(map->nr_pages); page++)
		pages[page].use = VSTORE_FIXED;

	err = node_scan(map, VSTORE_ROOT_PAGE, map->levels - 1, 0, report);
	/* Of a disk that is whole, nothing in PRAM counts. */
	if (!err && !vstore_seal_read(base, &seal) && seal.state != VSTORE_DISK_WHOLE)
		err = records_check(map, report);
	if (err)
		return err;
	if (writable)
		records_settle(map);
	if (writable)
		nodes_prune(map, VSTORE_ROOT_PAGE, map->levels - 1, report);
	/* The nodes that were cut off may be written to from here on. */
	vstore_pram_fence();
	for (page = vstore_fixed_pages(map->nr_pages); page < map->nr_pages; page++) {
		if (pages[page].use == VSTORE_NODE) {
			/* Another table has written to it since. */
			pages[page].flags &= ~VSTORE_BAD;
			continue;
		}
		if (pages[page].use == VSTORE_DATA)
			continue;
		if (pages[page].flags & VSTORE_BAD) {
			pages[page].use = VSTORE_UNUSABLE;
			list_add_tail(&pages[page].list, &map->bad);
			map->nr_bad++;
			continue;
		}
		list_add_tail(&pages[page].list, &map->free);
		map->nr_free++;
	}
	return 0;
}
