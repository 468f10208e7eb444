/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The storage page table (Park et al., "Power management of hybrid DRAM/PRAM
 * based main memory", section 4.1): which page of PRAM holds which block of the
 * disk. It is a radix tree in PRAM itself, its root in page 1, after a header in
 * page 0. A node is a page of 512 entries; an entry is one word, so that one
 * store changes it whole, and it says itself that it is right: 24 bits of it are
 * a checksum of the rest, of its place in the tree and of the store's UUID. One
 * that leads nowhere has it as well, so that memory that was lost and reads as
 * zeroes is not taken for a tree that has nothing there.
 *
 * A page that an entry leads to is never written again while it does: new
 * contents go to another page, and the entry is changed then. What no entry
 * leads to is free; which pages are is kept in memory alone, and found out anew
 * at each activation.
 *
 * A page that turns out to be unreadable keeps its block, for nothing else has it,
 * until the block is written or dropped; after that nothing uses the page. That is
 * known in memory alone, too.
 *
 * Each entry is checked as it is read. What is kept in memory of the pages says what an
 * entry must be: one that is not, or cannot be read, is found there, and its node mended.
 *
 * Pages are lent to memory, and claimed back, in units of 512; those that are away
 * are in no list, and are written by others.
 *
 * The caller serialises all calls for one map, and may sleep: where the tree is damaged, all
 * pages are looked at. No function allocates memory.
 */
#ifndef STORE_MAP_H
#define STORE_MAP_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/types.h>

#define STORE_BLOCK_SHIFT	12
#define STORE_BLOCK_SIZE	BIT(STORE_BLOCK_SHIFT)
#ifndef STORE_UNIT_SHIFT		/* a test may have small ones */
#define STORE_UNIT_SHIFT	9
#endif
#define STORE_UNIT		BIT(STORE_UNIT_SHIFT)	/* pages that are lent together */
#define STORE_FANOUT_SHIFT	9
#define STORE_FANOUT		BIT(STORE_FANOUT_SHIFT)
#define STORE_LEVELS_MAX	4
#define STORE_VERSION		2	/* 1: an empty entry was zero */
#define STORE_NONE		(~0ULL)

/* What an entry says of its block. */
#define STORE_CLEAN		1u	/* the disk has the same, durably */
/* In memory alone. */
#define STORE_BAD		2u	/* its page cannot be read */

enum store_use {
	STORE_FREE,
	STORE_FIXED,		/* the header and the root */
	STORE_NODE,
	STORE_DATA,
	STORE_AWAY,		/* not the store's: lent, or about to be */
	STORE_UNUSABLE,		/* it was STORE_BAD when it was freed */
};

/* What is kept in memory of each page of PRAM. */
struct store_page {
	struct list_head list;	/* free or bad pages: of the map; data: of its user */
	u64 block;		/* of data; of a node: one below; STORE_NONE: nothing leads here */
	u16 live;		/* of a node: entries in use */
	u8 use;			/* enum store_use */
	u8 flags;		/* of data: STORE_CLEAN; STORE_BAD */
	u16 level;		/* of the entry that leads to it */
	u16 mark;		/* of data: its user's; 0 when the page is taken */
};

struct store_map {
	u8 *base;
	struct store_page *pages;
	u64 nr_blocks;
	u32 nr_pages;
	u32 nr_free;
	u32 nr_nodes;
	u32 nr_data;
	u32 nr_away;
	u32 nr_bad;		/* unusable ones, and those that will be when they are freed */
	u32 nr_lost;		/* of these: data */
	u32 leaving;		/* the unit whose pages go away when they are freed, or 0 */
	u16 *used;		/* how many of a unit's pages are; NULL if nobody asks */
	u32 damaged;		/* a node that was found bad, or 0 */
	bool unmendable;	/* the root is bad, and remains so */
	u32 seed;
	unsigned int levels;
	struct list_head free;
	struct list_head bad;
};

/* What activation found, or why it refuses. */
struct store_report {
	const char *why;
	u64 block;		/* the first one below the entry in question */
	u32 clean;
	u32 dirty;
	u32 pruned;		/* nodes that a power cut left empty */
};

/* A block and its new page, for store_map_put(). */
struct store_item {
	u64 block;
	u32 page;
	u32 old;		/* set by store_map_put(): the page before, or 0 */
};

void *store_map_data(const struct store_map *map, u32 page);
bool store_map_blank(const void *base, u32 nr_pages);
int store_map_format(void *base, u32 nr_pages, u64 nr_blocks, const u8 *uuid);
void store_map_uuid(const void *base, u8 *uuid);
int store_map_check(const void *base, u32 nr_pages, u64 nr_blocks,
		    struct store_report *report);
int store_map_open(struct store_map *map, void *base, struct store_page *pages,
		   u32 nr_pages, u64 nr_blocks, struct store_report *report);

u32 store_map_find(struct store_map *map, u64 block);
u64 store_map_next(struct store_map *map, u64 block, u64 end);
u32 store_map_take(struct store_map *map);
void store_map_untake(struct store_map *map, u32 page);
unsigned int store_map_put(struct store_map *map, struct store_item *items,
			   unsigned int nr);
void store_map_drop(struct store_map *map, const u64 *blocks, unsigned int nr);
void store_map_clean(struct store_map *map, u64 block);

void store_map_units(struct store_map *map, u16 *used);
void store_map_withdraw(struct store_map *map, u32 unit);
void store_map_restore(struct store_map *map, u32 unit);
int store_map_move(struct store_map *map, u32 page);
int store_map_mend(struct store_map *map);
void store_map_spoil(struct store_map *map, u32 page);
bool store_map_spoilt(const struct store_map *map, u32 unit);

#endif
