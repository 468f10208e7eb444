/* SPDX-License-Identifier: GPL-2.0-only */
/* The header of a store: what page 0 of its PRAM has, in the processor's byte order. */
#ifndef VSTORE_MAP_HEADER_H
#define VSTORE_MAP_HEADER_H

#include <linux/crc32.h>

#include "store/map/map.h"

#define VSTORE_MAGIC	0x31524f5453564d4dULL	/* "MMVSTOR1" */

/* Behind it, in a line of its own, a word that changes; seal.h. */
#define VSTORE_SEAL_OFFSET	64

struct vstore_header {
	u64 magic;
	u32 version;
	u32 block_size;
	u64 nr_pages;
	u64 nr_blocks;
	u8 uuid[16];
	u32 reserved;
	u32 crc;		/* of all before it */
};

/* What activation found, or why it refuses. */
struct vstore_report {
	const char *why;
	u64 nr_blocks;		/* of the disk that the store is for, if that is why */
	u64 block;		/* the first one below the entry in question */
	u32 clean;
	u32 dirty;
	u32 pruned;		/* nodes that a power cut left empty */
};

/**
 * vstore_header_seed() - what all checksums of a store begin with
 * @header: the store's
 *
 * Return: the seed.
 */
static inline u32 vstore_header_seed(const struct vstore_header *header)
{
	return crc32_le(~0u, header->uuid, sizeof(header->uuid));
}

bool vstore_header_is_blank(const void *base, u32 nr_pages);
int vstore_header_format(void *base, u32 nr_pages, u64 nr_blocks, const u8 *uuid);
int vstore_header_check(const void *base, u32 nr_pages, u64 nr_blocks,
			struct vstore_report *report);
void vstore_header_clear(void *base, u64 nr_blocks);
void vstore_header_uuid(const void *base, u8 *uuid);
int vstore_refuse(struct vstore_report *report, const char *why, u64 block);

#endif
