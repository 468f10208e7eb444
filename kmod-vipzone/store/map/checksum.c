// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checksums of data, and the records in PRAM that keep them; checksum.h. Pure logic: also built in
 * user space.
 */

#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/xxhash.h>

#include "store/map/checksum.h"
#include "store/map/pram.h"

/* A record: its state, the block, and 26 bits of checksum, which are never all zero. */
#define RECORD_STATE_SHIFT	62
#define CHECKSUM_BITS	26
#define CHECKSUM_MASK	GENMASK_ULL(CHECKSUM_BITS - 1, 0)
#define BLOCK_MASK	GENMASK_ULL(RECORD_STATE_SHIFT - CHECKSUM_BITS - 1, 0)

/* The words of a line, which is read at once. */
#define LINE_WORDS	8

static u64 *record_slot(const struct vstore_map *map, u32 page)
{
	return (u64 *)vstore_page_data(map, VSTORE_RECORDS_PAGE) + page;
}

/* Contents of another block, or of another store, have another checksum. */
static u64 checksum_seed(const struct vstore_map *map, u64 block)
{
	return (u64)map->seed << 32 ^ block;
}

static u32 checksum_cut(u64 hash)
{
	return hash >> (64 - CHECKSUM_BITS) ?: 1;
}

static u32 checksum_of(const struct vstore_map *map, u64 block, const void *contents)
{
	return checksum_cut(xxh64(contents, VSTORE_BLOCK_SIZE, checksum_seed(map, block)));
}

/**
 * vstore_data_write() - write new contents of a block to a page, with their checksum
 * @map: the map
 * @page: a page that was taken for data
 * @block: the block
 * @contents: it; nobody changes them meanwhile
 *
 * They are durable with the next fence.
 */
void vstore_data_write(struct vstore_map *map, u32 page, u64 block, const void *contents)
{
	vstore_pram_copy(vstore_page_data(map, page), contents, VSTORE_BLOCK_SIZE);
	map->pages[page].checksum = checksum_of(map, block, contents);
}

/**
 * vstore_data_is_right() - whether what was read is what was written
 * @map: the map
 * @page: of data; an entry leads to it
 * @contents: what was read of it
 *
 * Return: false if they were changed, but for a chance of 1 in 64 million.
 */
bool vstore_data_is_right(const struct vstore_map *map, u32 page, const void *contents)
{
	const struct vstore_page *p = &map->pages[page];

	return checksum_of(map, p->block, contents) == p->checksum;
}

/**
 * vstore_page_is_right() - whether a page has contents that were written
 * @map: the map
 * @page: it
 * @block: whose contents
 * @checksum: of these
 *
 * Return: false if it has others, or cannot be read.
 */
bool vstore_page_is_right(const struct vstore_map *map, u32 page, u64 block, u32 checksum)
{
	struct xxh64_state state;
	u64 piece[64];
	size_t at;

	xxh64_reset(&state, checksum_seed(map, block));
	for (at = 0; at < VSTORE_BLOCK_SIZE; at += sizeof(piece)) {
		if (vstore_pram_read(piece, vstore_page_data(map, page) + at, sizeof(piece)) ||
		    xxh64_update(&state, piece, sizeof(piece)))
			return false;
	}
	return checksum_cut(xxh64_digest(&state)) == checksum;
}

/**
 * vstore_record_set() - note in PRAM what a page has
 * @map: the map
 * @page: of data
 * @block: whose contents it has
 * @state: whether an entry leads to it
 *
 * It is durable with the next fence.
 */
void vstore_record_set(const struct vstore_map *map, u32 page, u64 block,
		       enum vstore_record_state state)
{
	u64 where = (u64)state << RECORD_STATE_SHIFT | block << CHECKSUM_BITS;

	vstore_pram_set(record_slot(map, page), where | map->pages[page].checksum);
}

/**
 * vstore_record_clear() - note in PRAM that a page has no data
 * @map: the map
 * @page: it; that no entry leads to it is durable
 */
void vstore_record_clear(const struct vstore_map *map, u32 page)
{
	vstore_pram_set(record_slot(map, page), 0);
}

/**
 * vstore_records_clear() - note in PRAM that no page has data
 * @base: the PRAM
 * @nr_pages: of it
 *
 * What is so already is not written. Context: may sleep.
 */
void vstore_records_clear(void *base, u32 nr_pages)
{
	const struct vstore_map map = { .base = base };
	u64 line[LINE_WORDS];
	u32 page, i;

	for (page = 0; page < nr_pages; page += LINE_WORDS) {
		if (!(page % VSTORE_FANOUT))
			cond_resched();
		if (!vstore_pram_read(line, record_slot(&map, page), sizeof(line)) &&
		    !memchr_inv(line, 0, sizeof(line)))
			continue;
		for (i = 0; i < LINE_WORDS; i++)
			vstore_record_clear(&map, page + i);
	}
}

/**
 * vstore_record_read() - what a page has, by its record in PRAM
 * @map: the map
 * @page: it
 * @record: gets it
 *
 * Return: false if the record cannot be read, or is none.
 */
bool vstore_record_read(const struct vstore_map *map, u32 page, struct vstore_record *record)
{
	u64 value;

	if (vstore_pram_read(&value, record_slot(map, page), sizeof(value)))
		return false;
	*record = (struct vstore_record){
		.state = value >> RECORD_STATE_SHIFT,
		.block = value >> CHECKSUM_BITS & BLOCK_MASK,
		.checksum = value & CHECKSUM_MASK,
	};
	return !value || (record->state && record->state <= VSTORE_COMMITTED && record->checksum);
}
