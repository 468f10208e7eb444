/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The storage page table (Park et al., "Power management of hybrid DRAM/PRAM
 * based main memory", section 4.1): which page of PRAM holds which block of the
 * disk.
 *
 * It is a radix tree in PRAM itself. Page 0 has a header, page 1 the root; then comes a record of
 * each page of PRAM, with the checksum of what it has: checksum.h. A node is a page of 512 entries.
 * An entry is one word, so that one store changes all of it. 24 bits of it are a checksum of the
 * rest, of its place in the tree, and of the store's UUID. An entry that leads nowhere has a
 * checksum, too: memory that was lost and reads as zeroes is damage, and not a tree that has
 * nothing there.
 *
 * While an entry leads to a page, the page is never written: new contents go to another page,
 * and then the entry is changed. A page that no entry leads to is free. Which pages are free is
 * kept in memory alone, and each activation finds it out anew.
 *
 * A page that turns out to be unreadable keeps its block, which nothing else has, until the block
 * is written or forgotten; after that nothing uses the page. That is known in memory alone, too.
 *
 * Each entry is checked as it is read. What memory knows of the pages tells what an entry must
 * be. If an entry is something else, or cannot be read, its block is found that way, and its node
 * is repaired.
 *
 * Pages are lent to memory, and claimed back, in units of 512. Pages that are away are in no list,
 * and others write to them.
 *
 * The caller serialises all calls for one map, and may sleep: where the tree is damaged, all
 * pages are looked at. No function allocates memory.
 */
#ifndef VSTORE_MAP_MAP_H
#define VSTORE_MAP_MAP_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/types.h>

#define VSTORE_BLOCK_SHIFT	12
#define VSTORE_BLOCK_SIZE	BIT(VSTORE_BLOCK_SHIFT)
#ifndef VSTORE_UNIT_SHIFT		/* a test may have small ones */
#define VSTORE_UNIT_SHIFT	9
#endif
#define VSTORE_UNIT		BIT(VSTORE_UNIT_SHIFT)	/* pages that are lent together */
#define VSTORE_FANOUT_SHIFT	9
#define VSTORE_FANOUT		BIT(VSTORE_FANOUT_SHIFT)
#define VSTORE_LEVELS_MAX	4
/* 1: an empty entry was zero; 2: no disk was sealed; 3: data had no checksums */
#define VSTORE_VERSION		4
#define VSTORE_NONE		(~0ULL)

/* The first pages of PRAM. */
#define VSTORE_HEADER_PAGE	0
#define VSTORE_ROOT_PAGE	1
#define VSTORE_RECORDS_PAGE	2	/* and as many more as the records take */

/* What cannot be read is so by lines of the cache: entries in one. */
#define VSTORE_LINE_ENTRIES	8

/* What an entry says of its block. */
#define VSTORE_CLEAN		1u	/* the disk has the same, durably */
/* In memory alone. */
#define VSTORE_BAD		2u	/* its page cannot be read */

enum vstore_use {
	VSTORE_FREE,
	VSTORE_FIXED,		/* the header, the root, and the records */
	VSTORE_NODE,
	VSTORE_DATA,
	VSTORE_AWAY,		/* not the store's: lent, or about to be */
	VSTORE_UNUSABLE,	/* it was VSTORE_BAD when it was freed */
};

/* What is kept in memory of each page of PRAM. */
struct vstore_page {
	struct list_head list;	/* free or bad pages: of the map; data: of its user */
	u64 block;		/* of data; of a node: one below; VSTORE_NONE: nothing leads here */
	union {
		u32 live;	/* of a node: entries in use */
		u32 checksum;	/* of data */
	};
	u8 use;			/* enum vstore_use */
	u8 flags;		/* of data: VSTORE_CLEAN; VSTORE_BAD */
	u8 level;		/* of the entry that leads to it */
	u8 mark;		/* of data: its user's; 0 when the page is taken */
};

struct vstore_map {
	u8 *base;
	struct vstore_page *pages;
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
	bool unrepairable;	/* the root is bad, and remains so */
	u32 seed;
	unsigned int levels;
	struct list_head free;
	struct list_head bad;
};

/**
 * vstore_page_data() - the contents of a page
 * @map: the map
 * @page: its number
 *
 * Return: where they are in PRAM.
 */
static inline void *vstore_page_data(const struct vstore_map *map, u32 page)
{
	return map->base + ((size_t)page << VSTORE_BLOCK_SHIFT);
}

static inline u32 vstore_unit_of(u32 page)
{
	return page >> VSTORE_UNIT_SHIFT;
}

/* How many of so many pages have no data and no node, ever: they are the first ones. */
static inline u32 vstore_fixed_pages(u32 nr_pages)
{
	return VSTORE_RECORDS_PAGE + (nr_pages - 1) / VSTORE_FANOUT + 1;
}

/* The first unit that may be lent. */
static inline u32 vstore_unit_first(const struct vstore_map *map)
{
	return vstore_unit_of(vstore_fixed_pages(map->nr_pages) - 1) + 1;
}

#endif
