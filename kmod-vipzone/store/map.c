// SPDX-License-Identifier: GPL-2.0-only
/*
 * The storage page table; map.h. Pure logic: also built in user space,
 * where tests/store-crash cuts the power at each store and fence below, and
 * shows of each fence that data would be lost without it.
 */

#include <linux/crc32.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "store/map.h"
#include "store/pram.h"

#define MAGIC		0x31524f5453564d4dULL	/* "MMVSTOR1" */
#define HEADER_PAGE	0
#define ROOT_PAGE	1
#define FIXED_PAGES	2

#define PAGE_BITS	GENMASK_ULL(31, 0)
#define FLAGS_SHIFT	32
#define CHECK_SHIFT	40
#define CHECK_MASK	0xffffffu
#define LINE_ENTRIES	8	/* what is bad is bad by lines */
#define PART_ENTRIES	64	/* of the root: what is mended together, for the stack is small */

#ifndef PAUSE_PAGES		/* a test may count */
#define PAUSE_PAGES	SZ_64K	/* looked at in a row, while others wait for the processor */
#endif

struct header {
	u64 magic;
	u32 version;
	u32 block_size;
	u64 nr_pages;
	u64 nr_blocks;
	u8 uuid[16];
	u32 reserved;
	u32 crc;		/* of all before it */
};

static u32 header_crc(const struct header *header)
{
	return crc32_le(~0u, (const u8 *)header, offsetof(struct header, crc));
}

/* What all checksums of a store's entries begin with. */
static u32 seed_of(const struct header *header)
{
	return crc32_le(~0u, header->uuid, sizeof(header->uuid));
}

static unsigned int levels_for(u64 nr_blocks)
{
	unsigned int levels = 1;

	while (nr_blocks > 1ULL << levels * STORE_FANOUT_SHIFT)
		levels++;
	return levels;
}

/**
 * store_map_data() - the contents of a page
 * @map: the map
 * @page: its number
 */
void *store_map_data(const struct store_map *map, u32 page)
{
	return map->base + ((size_t)page << STORE_BLOCK_SHIFT);
}

static u64 *slot_of(const struct store_map *map, u32 node, unsigned int index)
{
	return (u64 *)store_map_data(map, node) + index;
}

/* Where in a node of @level the entry is that leads to @block. */
static unsigned int index_at(u64 block, unsigned int level)
{
	return block >> level * STORE_FANOUT_SHIFT & (STORE_FANOUT - 1);
}

/* An entry holds at its own place only: elsewhere its checksum is wrong. */
static u64 entry_make(const struct store_map *map, unsigned int level,
		      u64 block, u32 page, unsigned int flags)
{
	u64 entry = page | (u64)flags << FLAGS_SHIFT;
	u64 what[] = { level, block >> level * STORE_FANOUT_SHIFT, entry };
	u64 check = crc32_le(map->seed, (const u8 *)what, sizeof(what));

	return entry | (check & CHECK_MASK) << CHECK_SHIFT;
}

/* That nothing is there is said, too: zeroes, which cleared poison leaves, are damage. */
static u64 entry_empty(const struct store_map *map, unsigned int level, u64 block)
{
	return entry_make(map, level, block, 0, 0);
}

static u32 entry_page(u64 entry)
{
	return entry & PAGE_BITS;
}

static unsigned int entry_flags(u64 entry)
{
	return entry >> FLAGS_SHIFT & 0xff;
}

/* Whether an entry of @level leads to the page, in what the blocks with these upper bits have. */
static bool is_of(const struct store_page *p, unsigned int level, u64 block, unsigned int shift)
{
	return p->use == (level ? STORE_NODE : STORE_DATA) && p->level == level &&
	       p->block != STORE_NONE && p->block >> shift == block >> shift;
}

static bool leads_to(const struct store_page *p, unsigned int level, u64 block)
{
	return is_of(p, level, block, level * STORE_FANOUT_SHIFT);
}

/* The first such page after @page, or 0. In a large store it takes a good part of a second. */
static u32 page_next(const struct store_map *map, u32 page, unsigned int level, u64 block,
		     unsigned int shift)
{
	while (++page < map->nr_pages) {
		if (!(page % PAUSE_PAGES))
			cond_resched();
		if (is_of(&map->pages[page], level, block, shift))
			return page;
	}
	return 0;
}

/* All pages to which entries lead that are in one node of @level with that of @block. */
#define for_each_page_beside(map, page, level, block) \
	for (page = page_next(map, ROOT_PAGE, level, block, ((level) + 1) * STORE_FANOUT_SHIFT); \
	     page; page = page_next(map, page, level, block, ((level) + 1) * STORE_FANOUT_SHIFT))

/* The entry that leads to a page. */
static u64 entry_of(const struct store_map *map, u32 page)
{
	const struct store_page *p = &map->pages[page];

	return entry_make(map, p->level, p->block, page, p->flags & STORE_CLEAN);
}

/* The entry as it must be: what is in memory of the pages tells. It takes a look at each. */
static u64 entry_known(const struct store_map *map, unsigned int level, u64 block)
{
	u32 page = page_next(map, ROOT_PAGE, level, block, level * STORE_FANOUT_SHIFT);

	return page ? entry_of(map, page) : entry_empty(map, level, block);
}

/* Of one that leads somewhere, its page tells; the checksum is dearer, for each of these. */
static bool entry_holds(const struct store_map *map, unsigned int level, u64 block, u64 entry)
{
	u32 page = entry_page(entry);

	if (!page)
		return entry == entry_empty(map, level, block);
	return page < map->nr_pages && leads_to(&map->pages[page], level, block) &&
	       entry_flags(entry) == (map->pages[page].flags & STORE_CLEAN);
}

/* Whether the entry in a node of @level that leads to @block is good. */
static bool entry_read(const struct store_map *map, u32 node, unsigned int level, u64 block,
		       u64 *entry)
{
	const u64 *slot = slot_of(map, node, index_at(block, level));

	return !store_pram_read(entry, slot, sizeof(*entry)) &&
	       entry_holds(map, level, block, *entry);
}

/* It is to be mended; and its page is never lent or used again, whatever frees it before that. */
static void node_note(struct store_map *map, u32 node)
{
	if (node != ROOT_PAGE)
		store_map_spoil(map, node);
	if (!map->unmendable)
		map->damaged = node;
}

/* The entry in a node of @level that leads to @block. A node that is bad is noted. */
static u64 entry_get(struct store_map *map, u32 node, unsigned int level, u64 block)
{
	u64 entry;

	if (entry_read(map, node, level, block, &entry))
		return entry;
	node_note(map, node);
	return entry_known(map, level, block);
}

/* A node of @level without entries, the first of which would lead to @first. */
static void node_blank(const struct store_map *map, u32 node, unsigned int level, u64 first)
{
	unsigned int i;

	for (i = 0; i < STORE_FANOUT; i++) {
		u64 block = first + ((u64)i << level * STORE_FANOUT_SHIFT);

		store_pram_set(slot_of(map, node, i), entry_empty(map, level, block));
	}
}

static u32 unit_of(u32 page)
{
	return page >> STORE_UNIT_SHIFT;
}

static void page_free(struct store_map *map, u32 page)
{
	struct store_page *p = &map->pages[page];

	if (p->use == STORE_NODE)
		map->nr_nodes--;
	else
		map->nr_data--;
	p->mark = 0;
	if (p->flags & STORE_BAD) {
		/* It remains one that its unit has in use: the unit is never lent. */
		map->nr_lost -= p->use == STORE_DATA;
		p->use = STORE_UNUSABLE;
		list_move_tail(&p->list, &map->bad);
		return;
	}
	if (map->used)
		map->used[unit_of(page)]--;
	if (map->leaving && unit_of(page) == map->leaving) {
		p->use = STORE_AWAY;
		map->nr_away++;
		list_del_init(&p->list);
		return;
	}
	p->use = STORE_FREE;
	map->nr_free++;
	list_move_tail(&p->list, &map->free);
}

static u32 page_take(struct store_map *map, enum store_use use)
{
	struct store_page *p;

	if (list_empty(&map->free))
		return 0;
	p = list_first_entry(&map->free, struct store_page, list);
	list_del_init(&p->list);
	map->nr_free--;
	if (use == STORE_NODE)
		map->nr_nodes++;
	else
		map->nr_data++;
	if (map->used)
		map->used[unit_of(p - map->pages)]++;
	p->use = use;
	p->block = STORE_NONE;
	p->live = 0;
	p->flags = 0;
	p->level = 0;
	p->mark = 0;
	return p - map->pages;
}

/**
 * store_map_take() - take a free page for data
 * @map: the map
 *
 * Nothing leads to it: the caller writes the contents, and then
 * store_map_put() or store_map_untake().
 *
 * Return: the page, or 0 if none is free.
 */
u32 store_map_take(struct store_map *map)
{
	return page_take(map, STORE_DATA);
}

/**
 * store_map_untake() - give back a page that nothing leads to
 * @map: the map
 * @page: it
 */
void store_map_untake(struct store_map *map, u32 page)
{
	page_free(map, page);
}

/* The slot of @block in a node of @level, and its entry, or NULL if there is no such node. */
static u64 *slot_find(struct store_map *map, u64 block, unsigned int level, u32 *node,
		      u64 *entry)
{
	unsigned int at = map->levels - 1;

	*node = ROOT_PAGE;
	*entry = entry_get(map, *node, at, block);
	while (at > level) {
		*node = entry_page(*entry);
		if (!*node)
			return NULL;
		*entry = entry_get(map, *node, --at, block);
	}
	return slot_of(map, *node, index_at(block, level));
}

/**
 * store_map_find() - look a block up
 * @map: the map
 * @block: of the disk
 *
 * Return: the page that holds it, or 0.
 */
u32 store_map_find(struct store_map *map, u64 block)
{
	u64 entry;
	u32 node;

	return slot_find(map, block, 0, &node, &entry) ? entry_page(entry) : 0;
}

/**
 * store_map_next() - the next block that PRAM holds
 * @map: the map
 * @block: the first one that may be it
 * @end: the one after the last
 *
 * Return: the block, or %STORE_NONE.
 */
u64 store_map_next(struct store_map *map, u64 block, u64 end)
{
	end = min(end, map->nr_blocks);
	while (block < end) {
		unsigned int level = map->levels - 1;
		u32 page = ROOT_PAGE;

		for (;;) {
			page = entry_page(entry_get(map, page, level, block));
			if (!page || !level)
				break;
			level--;
		}
		if (page)
			return block;
		/* Nothing below this entry: on to the one after it. */
		level *= STORE_FANOUT_SHIFT;
		block = ((block >> level) + 1) << level;
	}
	return STORE_NONE;
}

/* A node for @slot, which is empty, and of @level. */
static int node_make(struct store_map *map, u64 *slot, unsigned int level,
		     u64 block, u32 *made)
{
	const unsigned int shift = level * STORE_FANOUT_SHIFT;
	u32 node = page_take(map, STORE_NODE);

	if (!node)
		return -ENOSPC;
	*made = node;
	node_blank(map, node, level - 1, block >> shift << shift);
	/*
	 * What lay in the page before must not be taken for entries: it is
	 * gone before anything leads here. That the entry below is durable
	 * itself is waited for when one in the new node is committed.
	 */
	store_pram_fence();
	store_pram_set(slot, entry_make(map, level, block, node, 0));
	map->pages[node].block = block;
	map->pages[node].level = level;
	return 0;
}

/* Makes the nodes on the way to @block that are missing. */
static int path_make(struct store_map *map, u64 block)
{
	u32 node = ROOT_PAGE;
	unsigned int level;

	for (level = map->levels - 1; level; level--) {
		u32 below = entry_page(entry_get(map, node, level, block));

		if (!below) {
			int err = node_make(map, slot_of(map, node, index_at(block, level)),
					    level, block, &below);

			if (err)
				return err;
			map->pages[node].live++;
		}
		node = below;
	}
	return 0;
}

/* Clears the entries on the way to @block that lead to nodes left empty. */
static void path_prune(struct store_map *map, u64 block, struct list_head *freed)
{
	unsigned int level;
	u64 entry;
	u32 node;

	for (level = 1; level < map->levels; level++) {
		u64 *slot = slot_find(map, block, level, &node, &entry);
		struct store_page *below;

		if (!slot || !entry_page(entry))
			continue;
		below = &map->pages[entry_page(entry)];
		if (below->live)
			return;
		store_pram_set(slot, entry_empty(map, level, block));
		below->block = STORE_NONE;
		map->pages[node].live--;
		list_move_tail(&below->list, freed);
	}
}

static void free_all(struct store_map *map, struct list_head *freed)
{
	struct store_page *p, *next;

	list_for_each_entry_safe(p, next, freed, list)
		page_free(map, p - map->pages);
}

/**
 * store_map_put() - make blocks' new contents the valid ones
 * @map: the map
 * @items: blocks, each with a page that was taken and written
 * @nr: how many
 *
 * They are durable when this returns, and the pages that held these blocks
 * before are free. A power cut meanwhile leaves each block old or new, never a
 * mixture.
 *
 * Return: how many were done: fewer than @nr if there is no page for a node of
 * the tree. The pages of the others are still the caller's.
 */
unsigned int store_map_put(struct store_map *map, struct store_item *items,
			   unsigned int nr)
{
	unsigned int i, done;
	LIST_HEAD(freed);
	u64 entry;
	u32 node;

	for (done = 0; done < nr; done++)
		if (path_make(map, items[done].block))
			break;
	/* All contents are durable before the first entry leads to any. */
	store_pram_fence();
	for (i = 0; i < done; i++) {
		struct store_item *item = &items[i];
		u64 *slot = slot_find(map, item->block, 0, &node, &entry);

		item->old = entry_page(entry);
		store_pram_set(slot, entry_make(map, 0, item->block, item->page, 0));
		if (item->old)
			map->pages[item->old].block = STORE_NONE;
		map->pages[item->page].block = item->block;
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
	store_pram_fence();
	for (i = 0; i < done; i++)
		if (items[i].old)
			page_free(map, items[i].old);
	free_all(map, &freed);
	return done;
}

/**
 * store_map_drop() - forget blocks
 * @map: the map
 * @blocks: those that PRAM does not hold are passed over
 * @nr: how many
 *
 * It is durable when this returns: the disk's contents are the valid ones.
 */
void store_map_drop(struct store_map *map, const u64 *blocks, unsigned int nr)
{
	LIST_HEAD(freed);
	unsigned int i;
	u64 entry;
	u32 node;

	for (i = 0; i < nr; i++) {
		u64 *slot = slot_find(map, blocks[i], 0, &node, &entry);
		struct store_page *p;

		if (!slot || !entry_page(entry))
			continue;
		p = &map->pages[entry_page(entry)];
		p->block = STORE_NONE;
		list_move_tail(&p->list, &freed);
		store_pram_set(slot, entry_empty(map, 0, blocks[i]));
		map->pages[node].live--;
		/*
		 * No fence in between: if only a parent's entry is gone after a
		 * power cut, so are those below it, which is what is wanted.
		 */
		path_prune(map, blocks[i], &freed);
	}
	/* Nothing leads to these pages any more before one is written again. */
	store_pram_fence();
	free_all(map, &freed);
}

/**
 * store_map_clean() - note that the disk has a block's contents, durably
 * @map: the map
 * @block: one that PRAM holds
 *
 * There is no fence: if a power cut undoes it, the block is written to disk once
 * more, and until PRAM has other contents or none, the disk keeps these.
 */
void store_map_clean(struct store_map *map, u64 block)
{
	u64 entry;
	u32 node;
	u64 *slot = slot_find(map, block, 0, &node, &entry);
	u32 page = entry_page(entry);

	store_pram_set(slot, entry_make(map, 0, block, page, STORE_CLEAN));
	map->pages[page].flags = STORE_CLEAN;
}

/**
 * store_map_units() - from now on, count what is used of each unit
 * @map: the map
 * @used: one for each unit, also one that is not whole
 */
void store_map_units(struct store_map *map, u16 *used)
{
	u32 page;

	for (page = 0; page < map->nr_pages; page++) {
		if (!(page % STORE_UNIT))
			used[unit_of(page)] = 0;
		if (map->pages[page].use != STORE_FREE && map->pages[page].use != STORE_AWAY)
			used[unit_of(page)]++;
	}
	map->used = used;
}

/**
 * store_map_withdraw() - use no more pages of a unit
 * @map: the map; it counts units
 * @unit: a whole one, not the first, which has the root
 *
 * Its free pages are away, and those that are used will be when they are freed:
 * once none is used, which is durable then, others may write to the unit. Only
 * one unit at a time may be withdrawn that has pages in use.
 */
void store_map_withdraw(struct store_map *map, u32 unit)
{
	struct store_page *p = &map->pages[(size_t)unit << STORE_UNIT_SHIFT], *end = p + STORE_UNIT;

	map->leaving = unit;
	for (; p < end; p++) {
		if (p->use != STORE_FREE)
			continue;
		p->use = STORE_AWAY;
		list_del_init(&p->list);
		map->nr_free--;
		map->nr_away++;
	}
}

/**
 * store_map_restore() - what is away of a unit is free again
 * @map: the map
 * @unit: it; nobody else writes to it any more
 */
void store_map_restore(struct store_map *map, u32 unit)
{
	struct store_page *p = &map->pages[(size_t)unit << STORE_UNIT_SHIFT], *end = p + STORE_UNIT;

	if (map->leaving == unit)
		map->leaving = 0;
	for (; p < end; p++) {
		if (p->use != STORE_AWAY)
			continue;
		p->use = STORE_FREE;
		list_add_tail(&p->list, &map->free);
		map->nr_free++;
		map->nr_away--;
	}
}

/* By way of other memory: what is copied straight would stay in a cache. */
static int page_copy(const struct store_map *map, u32 to, u32 from)
{
	u64 piece[64];
	size_t at;

	for (at = 0; at < STORE_BLOCK_SIZE; at += sizeof(piece)) {
		if (store_pram_read(piece, store_map_data(map, from) + at, sizeof(piece)))
			return -EIO;
		store_pram_copy(store_map_data(map, to) + at, piece, sizeof(piece));
	}
	return 0;
}

/* What is bad of it is right in the other one, which nothing leads to yet. */
static void node_copy(struct store_map *map, u32 to, u32 from)
{
	const unsigned int level = map->pages[from].level - 1;
	const unsigned int shift = map->pages[from].level * STORE_FANOUT_SHIFT;
	u64 first = map->pages[from].block >> shift << shift, entry;
	bool bad = false;
	unsigned int i;
	u32 page;

	for (i = 0; i < STORE_FANOUT; i++) {
		u64 block = first + ((u64)i << level * STORE_FANOUT_SHIFT);

		if (!entry_read(map, from, level, block, &entry)) {
			entry = entry_empty(map, level, block);
			bad = true;
		}
		store_pram_set(slot_of(map, to, i), entry);
	}
	if (!bad)
		return;
	/* One look at all pages, however many entries are bad. */
	node_note(map, from);
	for_each_page_beside(map, page, level, first)
		store_pram_set(slot_of(map, to, index_at(map->pages[page].block, level)),
			       entry_of(map, page));
}

/**
 * store_map_move() - move what a page has, data or a node, to a free page
 * @map: the map
 * @page: it; an entry leads to it
 *
 * Its place in its user's list, and its mark, are the other page's then. That the
 * entry leads there is durable when this returns.
 *
 * Return: 0, -ENOSPC, or -EIO if it is data that cannot be read: then it stays.
 */
int store_map_move(struct store_map *map, u32 page)
{
	struct store_page *from = &map->pages[page], *to;
	u32 number, node;
	u64 *slot, entry;

	if (from->use == STORE_DATA && from->flags & STORE_BAD)
		return -EIO;
	number = page_take(map, from->use);
	if (!number)
		return -ENOSPC;
	to = &map->pages[number];
	if (from->use == STORE_NODE) {
		node_copy(map, number, page);
	} else if (page_copy(map, number, page)) {
		page_free(map, number);
		return -EIO;
	}
	/* All of it is there before anything leads to it. */
	store_pram_fence();
	slot = slot_find(map, from->block, from->level, &node, &entry);
	store_pram_set(slot, entry_make(map, from->level, from->block, number,
					from->flags & STORE_CLEAN));
	to->block = from->block;
	to->live = from->live;
	to->flags = from->flags & STORE_CLEAN;
	to->level = from->level;
	to->mark = from->mark;
	from->block = STORE_NONE;
	/* A bad node stays in the map's list until it is freed. */
	if (!list_empty(&from->list) && !(from->flags & STORE_BAD))
		list_replace_init(&from->list, &to->list);
	/* And nothing leads to the old page before it is written again. */
	store_pram_fence();
	page_free(map, page);
	return 0;
}

/* The entry of the root's that begins with @index, and those that follow, as they must be. */
static void part_known(const struct store_map *map, unsigned int index, u64 *known)
{
	const unsigned int level = map->levels - 1;
	unsigned int i;
	u32 page;

	for (i = 0; i < PART_ENTRIES; i++)
		known[i] = entry_empty(map, level, (u64)(index + i) << level * STORE_FANOUT_SHIFT);
	for_each_page_beside(map, page, level, 0) {
		i = index_at(map->pages[page].block, level) - index;
		if (i < PART_ENTRIES)
			known[i] = entry_of(map, page);
	}
}

static bool line_holds(const struct store_map *map, unsigned int index)
{
	const unsigned int level = map->levels - 1, end = index + LINE_ENTRIES;
	u64 entry;

	for (; index < end; index++)
		if (!entry_read(map, ROOT_PAGE, level, (u64)index << level * STORE_FANOUT_SHIFT,
				&entry))
			return false;
	return true;
}

/* Writes lines anew that are bad; returns whether any was. */
static bool part_mend(const struct store_map *map, unsigned int index)
{
	u64 known[PART_ENTRIES];
	unsigned int i, j;
	bool bad = false;

	for (i = 0; i < PART_ENTRIES; i += LINE_ENTRIES) {
		if (line_holds(map, index + i))
			continue;
		if (!bad)
			part_known(map, index, known);
		bad = true;
		for (j = i; j < i + LINE_ENTRIES; j++)
			store_pram_set(slot_of(map, ROOT_PAGE, index + j), known[j]);
	}
	return bad;
}

/*
 * The root has its place. Of what is right, nothing changes: there is no instant without.
 * No fence: nothing is written that relies on it, and if a power cut undoes it, it is as bad
 * as before.
 */
static int root_mend(struct store_map *map)
{
	unsigned int index, round;
	bool bad = true;

	for (round = 0; bad && round < 2; round++) {
		bad = false;
		for (index = 0; index < STORE_FANOUT; index += PART_ENTRIES)
			bad |= part_mend(map, index);
	}
	map->damaged = 0;
	map->unmendable = bad;
	return bad ? -EIO : 0;
}

/**
 * store_map_mend() - make a node good again that was found bad
 * @map: the map; nothing but its caller's call is under way
 *
 * What is known in memory goes to another page, and this one is used no more; what is bad
 * of the root is written anew. Until then, and if it cannot be, blocks are found without.
 *
 * Return: 0, -ENOENT if nothing leads to it any more, -ENOSPC if there is no page now, or
 * -EIO if the root remains bad: then nothing is mended any more.
 */
int store_map_mend(struct store_map *map)
{
	u32 node = map->damaged;
	int err;

	if (node == ROOT_PAGE)
		return root_mend(map);
	map->damaged = 0;
	/* It was emptied since, or moved. */
	if (!node || map->pages[node].use != STORE_NODE || map->pages[node].block == STORE_NONE)
		return -ENOENT;
	err = store_map_move(map, node);
	/* The copying has found it once more; or it was another one, on the way. */
	if (!err && map->damaged == node)
		map->damaged = 0;
	return err;
}

/**
 * store_map_spoil() - note that a page cannot be read
 * @map: the map
 * @page: it; an entry leads to it
 */
void store_map_spoil(struct store_map *map, u32 page)
{
	struct store_page *p = &map->pages[page];

	if (p->flags & STORE_BAD)
		return;
	p->flags |= STORE_BAD;
	map->nr_bad++;
	map->nr_lost += p->use == STORE_DATA;
	list_move_tail(&p->list, &map->bad);
}

/**
 * store_map_spoilt() - whether a unit has a page that cannot be read
 * @map: the map
 * @unit: it
 */
bool store_map_spoilt(const struct store_map *map, u32 unit)
{
	const struct store_page *p;

	list_for_each_entry(p, &map->bad, list)
		if (unit_of(p - map->pages) == unit)
			return true;
	return false;
}

/**
 * store_map_blank() - whether there is nothing in the PRAM, as far as can be told
 * @base: the PRAM
 * @nr_pages: of it
 *
 * Its first unit is looked at: file systems begin up to 64 KiB later, and what is left
 * of a store whose header was lost has its root there. What cannot be read is not nothing.
 */
bool store_map_blank(const void *base, u32 nr_pages)
{
	const void *end = base + min_t(size_t, nr_pages, STORE_UNIT) * STORE_BLOCK_SIZE;
	u64 piece[64];

	for (; base < end; base += sizeof(piece))
		if (store_pram_read(piece, base, sizeof(piece)) ||
		    memchr_inv(piece, 0, sizeof(piece)))
			return false;
	return true;
}

/**
 * store_map_format() - make an empty store
 * @base: the PRAM
 * @nr_pages: of it
 * @nr_blocks: of the disk
 * @uuid: 16 random bytes, by which old entries are told from new ones
 *
 * Return: 0, or -EINVAL if the sizes cannot be.
 */
int store_map_format(void *base, u32 nr_pages, u64 nr_blocks, const u8 *uuid)
{
	struct header header = {
		.magic = MAGIC, .version = STORE_VERSION,
		.block_size = STORE_BLOCK_SIZE,
		.nr_pages = nr_pages, .nr_blocks = nr_blocks,
	};
	struct store_map map = { .base = base };
	const unsigned int levels = levels_for(nr_blocks);

	if (nr_pages <= FIXED_PAGES + STORE_LEVELS_MAX || !nr_blocks ||
	    levels > STORE_LEVELS_MAX)
		return -EINVAL;
	memcpy(header.uuid, uuid, sizeof(header.uuid));
	header.crc = header_crc(&header);
	map.seed = seed_of(&header);
	node_blank(&map, ROOT_PAGE, levels - 1, 0);
	store_pram_copy(base + sizeof(u64), &header.version,
			sizeof(header) - sizeof(u64));
	/* The magic number comes last: with it, all the rest is there. */
	store_pram_fence();
	store_pram_set(base, MAGIC);
	store_pram_fence();
	return 0;
}

static int refuse(struct store_report *report, const char *why, u64 block)
{
	report->why = why;
	report->block = block;
	return -EINVAL;
}

/**
 * store_map_check() - whether the header is that of a store for this disk
 * @base: the PRAM
 * @nr_pages: of it
 * @nr_blocks: of the disk
 * @report: gets the reason if it is not
 *
 * Return: 0 or -EINVAL.
 */
int store_map_check(const void *base, u32 nr_pages, u64 nr_blocks,
		    struct store_report *report)
{
	struct header header;

	if (store_pram_read(&header, base, sizeof(header)))
		return refuse(report, "the store's header cannot be read", 0);
	if (header.magic != MAGIC)
		return refuse(report, store_map_blank(base, nr_pages) ?
			      "no store in the PRAM: not formatted" :
			      "no store in the PRAM: something else is in it", 0);
	if (header.version != STORE_VERSION)
		return refuse(report, "a store of an unknown version", 0);
	if (header.crc != header_crc(&header) ||
	    header.block_size != STORE_BLOCK_SIZE || header.reserved)
		return refuse(report, "the store's header is damaged", 0);
	if (header.nr_pages > nr_pages)
		return refuse(report, "the store is larger than the PRAM", 0);
	if (header.nr_blocks != nr_blocks)
		return refuse(report, "the store is of a disk of another size", 0);
	return 0;
}

/**
 * store_map_uuid() - which store it is
 * @base: the PRAM; store_map_check() was passed
 * @uuid: gets the 16 bytes it was formatted with
 */
void store_map_uuid(const void *base, u8 *uuid)
{
	const struct header *header = base;

	memcpy(uuid, header->uuid, sizeof(header->uuid));
}

static int data_found(struct store_map *map, u64 block, u64 entry,
		      struct store_report *report)
{
	struct store_page *p = &map->pages[entry_page(entry)];

	if (block >= map->nr_blocks)
		return refuse(report, "an entry beyond the disk's end", block);
	p->use = STORE_DATA;
	p->block = block;
	p->flags = entry_flags(entry);
	map->nr_data++;
	if (p->flags & STORE_CLEAN)
		report->clean++;
	else
		report->dirty++;
	return 0;
}

/* Finds what is below @node, whose first block is @first: STORE_LEVELS_MAX deep at most. */
static int node_scan(struct store_map *map, u32 node, unsigned int level,
		     u64 first, struct store_report *report)
{
	u64 line[LINE_ENTRIES];
	unsigned int i;

	/* A large tree takes seconds. */
	cond_resched();
	for (i = 0; i < STORE_FANOUT; i++) {
		bool bad = !(i % LINE_ENTRIES) &&
			   store_pram_read(line, slot_of(map, node, i), sizeof(line));
		u64 entry = bad ? 0 : line[i % LINE_ENTRIES];
		u64 block = first + ((u64)i << level * STORE_FANOUT_SHIFT);
		u32 page = entry_page(entry);
		int err;

		if (bad)
			return refuse(report, "a node of the tree cannot be read", block);
		if (entry != entry_make(map, level, block, page, entry_flags(entry)) ||
		    entry_flags(entry) & ~(level || !page ? 0 : STORE_CLEAN))
			return refuse(report, "a damaged entry", block);
		if (!page)
			continue;
		if (page >= map->nr_pages || map->pages[page].use != STORE_FREE)
			return refuse(report, "an entry leads to a page not its own", block);
		if (!level) {
			err = data_found(map, block, entry, report);
		} else {
			map->pages[page].use = STORE_NODE;
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
static void prune_empty(struct store_map *map, u32 node, unsigned int level,
			struct store_report *report)
{
	unsigned int i;

	for (i = 0; i < STORE_FANOUT && level; i++) {
		u64 *slot = slot_of(map, node, i);
		u32 page = entry_page(*slot);

		if (!page)
			continue;
		prune_empty(map, page, level - 1, report);
		if (map->pages[page].live)
			continue;
		store_pram_set(slot, entry_empty(map, level, map->pages[page].block));
		map->pages[node].live--;
		map->pages[page].use = STORE_FREE;
		map->nr_nodes--;
		report->pruned++;
	}
}

/**
 * store_map_open() - read the tree, and find out which pages are free
 * @map: is filled in
 * @base: the PRAM
 * @pages: @nr_pages of them, which belong to the map from now on: zeroed, or as an
 *	earlier map left them, whose unusable pages stay so
 * @nr_pages: of the PRAM
 * @nr_blocks: of the disk
 * @report: what was found, or what is wrong
 *
 * After a power cut this is the recovery. A store that is refused is not
 * written to. Context: may sleep.
 *
 * Return: 0 or -EINVAL.
 */
int store_map_open(struct store_map *map, void *base, struct store_page *pages,
		   u32 nr_pages, u64 nr_blocks, struct store_report *report)
{
	const struct header *header = base;
	u32 page;
	int err;

	memset(report, 0, sizeof(*report));
	err = store_map_check(base, nr_pages, nr_blocks, report);
	if (err)
		return err;
	*map = (struct store_map){
		.base = base, .pages = pages, .nr_blocks = nr_blocks,
		.nr_pages = header->nr_pages, .levels = levels_for(nr_blocks),
		.seed = seed_of(header),
	};
	INIT_LIST_HEAD(&map->free);
	INIT_LIST_HEAD(&map->bad);
	for (page = 0; page < map->nr_pages; page++) {
		bool bad = pages[page].use == STORE_UNUSABLE;

		memset(&pages[page], 0, sizeof(pages[page]));
		INIT_LIST_HEAD(&pages[page].list);
		pages[page].flags = bad ? STORE_BAD : 0;
	}
	pages[HEADER_PAGE].use = STORE_FIXED;
	pages[ROOT_PAGE].use = STORE_FIXED;

	err = node_scan(map, ROOT_PAGE, map->levels - 1, 0, report);
	if (err)
		return err;
	prune_empty(map, ROOT_PAGE, map->levels - 1, report);
	/* The nodes that were cut off may be written to from here on. */
	store_pram_fence();
	for (page = FIXED_PAGES; page < map->nr_pages; page++) {
		if (pages[page].use != STORE_FREE) {
			/* Another table has written to it since. */
			pages[page].flags &= ~STORE_BAD;
			continue;
		}
		if (pages[page].flags & STORE_BAD) {
			pages[page].use = STORE_UNUSABLE;
			list_add_tail(&pages[page].list, &map->bad);
			map->nr_bad++;
			continue;
		}
		list_add_tail(&pages[page].list, &map->free);
		map->nr_free++;
	}
	return 0;
}
