// SPDX-License-Identifier: GPL-2.0-only
/*
 * The header of a store in PRAM, which has a fixed place, as the tree's root has (Park et al.,
 * section 4.1): formatting it, and telling whose store it is. Pure logic: also built in user space.
 */

#include <linux/crc32.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "store/map/checksum.h"
#include "store/map/header.h"
#include "store/map/pram.h"
#include "store/map/seal.h"
#include "store/map/tree.h"

static u32 header_crc(const struct vstore_header *header)
{
	return crc32_le(~0u, (const u8 *)header, offsetof(struct vstore_header, crc));
}

/**
 * vstore_header_is_blank() - whether there is nothing in the PRAM, as far as can be told
 * @base: the PRAM
 * @nr_pages: of it
 *
 * Its first unit is looked at: file systems begin up to 64 KiB later, and what is left
 * of a store whose header was lost has its root there. What cannot be read is not nothing.
 *
 * Return: true if it is all zero.
 */
bool vstore_header_is_blank(const void *base, u32 nr_pages)
{
	const void *end = base + min_t(size_t, nr_pages, VSTORE_UNIT) * VSTORE_BLOCK_SIZE;
	u64 piece[64];

	for (; base < end; base += sizeof(piece))
		if (vstore_pram_read(piece, base, sizeof(piece)) ||
		    memchr_inv(piece, 0, sizeof(piece)))
			return false;
	return true;
}

static bool sizes_are_possible(u64 nr_pages, u64 nr_blocks)
{
	return nr_pages > VSTORE_RECORDS_PAGE && nr_pages <= U32_MAX && nr_blocks &&
	       nr_pages > vstore_fixed_pages(nr_pages) + VSTORE_LEVELS_MAX &&
	       nr_blocks <= 1ULL << VSTORE_LEVELS_MAX * VSTORE_FANOUT_SHIFT;
}

/**
 * vstore_header_format() - make an empty store
 * @base: the PRAM
 * @nr_pages: of it
 * @nr_blocks: of the disk
 * @uuid: 16 random bytes, by which old entries are told from new ones
 *
 * Return: 0, or -EINVAL if the sizes cannot be.
 */
int vstore_header_format(void *base, u32 nr_pages, u64 nr_blocks, const u8 *uuid)
{
	struct vstore_header header = {
		.magic = VSTORE_MAGIC, .version = VSTORE_VERSION,
		.block_size = VSTORE_BLOCK_SIZE,
		.nr_pages = nr_pages, .nr_blocks = nr_blocks,
	};
	struct vstore_map map = { .base = base };

	if (!sizes_are_possible(nr_pages, nr_blocks))
		return -EINVAL;
	memcpy(header.uuid, uuid, sizeof(header.uuid));
	header.crc = header_crc(&header);
	map.seed = vstore_header_seed(&header);
	vstore_node_clear(&map, VSTORE_ROOT_PAGE, vstore_tree_levels(nr_blocks) - 1, 0);
	vstore_records_clear(base, nr_pages);
	vstore_pram_copy(base + sizeof(u64), &header.version,
			 sizeof(header) - sizeof(u64));
	vstore_pram_set(base + VSTORE_SEAL_OFFSET,
			vstore_seal_make(map.seed, (struct vstore_seal){ VSTORE_DISK_WHOLE, 0 }));
	/* The magic number comes last: with it, all the rest is there. */
	vstore_pram_fence();
	vstore_pram_set(base, VSTORE_MAGIC);
	vstore_pram_fence();
	return 0;
}

/**
 * vstore_refuse() - note why a store is refused
 * @report: gets the reason
 * @why: the reason
 * @block: the first one below the entry in question, or 0
 *
 * Return: -EINVAL.
 */
int vstore_refuse(struct vstore_report *report, const char *why, u64 block)
{
	report->why = why;
	report->block = block;
	return -EINVAL;
}

/**
 * vstore_header_check() - whether the header is that of a store for this disk
 * @base: the PRAM
 * @nr_pages: of it
 * @nr_blocks: of the disk
 * @report: gets the reason if it is not
 *
 * Return: 0 or -EINVAL.
 */
int vstore_header_check(const void *base, u32 nr_pages, u64 nr_blocks,
			struct vstore_report *report)
{
	struct vstore_header header;
	struct vstore_seal seal;

	if (vstore_pram_read(&header, base, sizeof(header)))
		return vstore_refuse(report, "the store's header cannot be read", 0);
	if (header.magic != VSTORE_MAGIC)
		return vstore_refuse(report, vstore_header_is_blank(base, nr_pages) ?
					    "no store in the PRAM: not formatted" :
					    "no store in the PRAM: something else is in it", 0);
	if (header.version != VSTORE_VERSION)
		return vstore_refuse(report, "a store of an unknown version", 0);
	if (header.crc != header_crc(&header) ||
	    header.block_size != VSTORE_BLOCK_SIZE || header.reserved ||
	    !sizes_are_possible(header.nr_pages, header.nr_blocks))
		return vstore_refuse(report, "the store's header is damaged", 0);
	if (header.nr_pages > nr_pages)
		return vstore_refuse(report, "the store is larger than the PRAM", 0);
	if (header.nr_blocks != nr_blocks) {
		report->nr_blocks = header.nr_blocks;
		return vstore_refuse(report, "the store is of a disk of another size", 0);
	}
	if (vstore_seal_read(base, &seal))
		return vstore_refuse(report, "the store's seal is damaged", 0);
	return 0;
}

/**
 * vstore_header_clear() - forget all blocks
 * @base: the PRAM; vstore_header_check() was passed
 * @nr_blocks: of the disk, which has everything: whatever part of this is done, is right
 */
void vstore_header_clear(void *base, u64 nr_blocks)
{
	struct vstore_map map = { .base = base, .seed = vstore_header_seed(base) };
	const struct vstore_header *header = base;

	/* If it is lost before something is written after a fence, it is done once more. */
	vstore_node_clear(&map, VSTORE_ROOT_PAGE, vstore_tree_levels(nr_blocks) - 1, 0);
	vstore_records_clear(base, header->nr_pages);
}

/**
 * vstore_header_uuid() - which store it is
 * @base: the PRAM; vstore_header_check() was passed
 * @uuid: gets the 16 bytes it was formatted with
 */
void vstore_header_uuid(const void *base, u8 *uuid)
{
	const struct vstore_header *header = base;

	memcpy(uuid, header->uuid, sizeof(header->uuid));
}
