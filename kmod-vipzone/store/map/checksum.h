/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checksums of data. Behind the root, PRAM has a record of each of its pages, one word: which
 * block's contents are there, a checksum of them, and whether an entry leads to the page.
 *
 * The record is written with the contents, before the entry. That the entry is durable is noted
 * later, without a fence, and taken back before the entry changes. So data that were changed are
 * found when they are read, and entries that went back to what they were, at activation: they lead
 * to a page that has another block, or none, or not to one that was committed.
 */
#ifndef VSTORE_MAP_CHECKSUM_H
#define VSTORE_MAP_CHECKSUM_H

#include "store/map/map.h"

/* What the record of a page says. */
enum vstore_record_state {
	VSTORE_NO_DATA,
	VSTORE_WRITTEN,		/* an entry may lead to it */
	VSTORE_COMMITTED,	/* an entry leads to it */
};

struct vstore_record {
	enum vstore_record_state state;
	u64 block;
	u32 checksum;
};

void vstore_data_write(struct vstore_map *map, u32 page, u64 block, const void *contents);
bool vstore_data_is_right(const struct vstore_map *map, u32 page, const void *contents);
bool vstore_page_is_right(const struct vstore_map *map, u32 page, u64 block, u32 checksum);
void vstore_record_set(const struct vstore_map *map, u32 page, u64 block,
		       enum vstore_record_state state);
void vstore_record_clear(const struct vstore_map *map, u32 page);
void vstore_records_clear(void *base, u32 nr_pages);
bool vstore_record_read(const struct vstore_map *map, u32 page, struct vstore_record *record);

#endif
