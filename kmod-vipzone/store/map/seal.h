/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The seal of a disk. As long as PRAM has blocks that the disk has not, the disk alone is not the
 * whole. So that nobody takes it for that, its first and last blocks, where file systems, volume
 * managers and partition tables have their signatures, lie in PRAM, and on the disk a label and
 * zeroes stand in their place: the disk is sealed. Which it is, one word in PRAM tells:
 *
 *	WHOLE	the disk has everything. It may be used alone: what PRAM has is dropped
 *		when the store is opened.
 *	MOVING	the blocks are on their way to the disk, or the label is. PRAM has them all; each
 *		sector of the disk has one or the other.
 *	SEALED	the disk has the label of this generation, durably.
 *
 * A block may become dirty only while the disk is SEALED. Pure logic: also built in user space.
 */
#ifndef VSTORE_MAP_SEAL_H
#define VSTORE_MAP_SEAL_H

#include "store/map/header.h"
#include "store/map/map.h"

#ifndef VSTORE_SEAL_BLOCKS	/* a test may have a small PRAM */
/* At each end of the disk: btrfs begins at 64 KiB, md 0.90 ends up to 128 KiB before the end. */
#define VSTORE_SEAL_BLOCKS	32u
#endif

#define VSTORE_LABEL_MAGIC	0x314c4145534d4dULL	/* "MMSEAL1" */
#define VSTORE_SECTOR_SIZE	512u

enum vstore_seal_state { VSTORE_DISK_WHOLE = 1, VSTORE_DISK_MOVING, VSTORE_DISK_SEALED };

struct vstore_seal {
	enum vstore_seal_state state;
	u32 generation;		/* of the label: one more each time that the disk is sealed */
};

/* What the first sector of a sealed disk has, in the processor's byte order; then zeroes. */
struct vstore_label {
	u64 magic;
	u32 version;
	u32 generation;
	u64 nr_blocks;
	u8 uuid[16];		/* of the store */
	u32 reserved;
	u32 crc;		/* of all before it */
	char text[80];		/* for who looks at the disk */
};

/* Blocks in a row that are sealed. */
struct vstore_seal_run {
	u64 block;
	u32 nr;
};

/**
 * vstore_seal_first() - the blocks at the beginning of a disk that are sealed
 * @nr_blocks: of the disk
 *
 * Return: them.
 */
static inline struct vstore_seal_run vstore_seal_first(u64 nr_blocks)
{
	u32 nr = nr_blocks < VSTORE_SEAL_BLOCKS ? nr_blocks : VSTORE_SEAL_BLOCKS;

	return (struct vstore_seal_run){ 0, nr };
}

/**
 * vstore_seal_last() - the blocks at the end of a disk that are sealed
 * @nr_blocks: of the disk
 *
 * Return: them; none if all are among the first.
 */
static inline struct vstore_seal_run vstore_seal_last(u64 nr_blocks)
{
	u64 rest = nr_blocks - vstore_seal_first(nr_blocks).nr;
	u32 nr = rest < VSTORE_SEAL_BLOCKS ? rest : VSTORE_SEAL_BLOCKS;

	return (struct vstore_seal_run){ nr_blocks - nr, nr };
}

/**
 * vstore_seal_touches() - whether some of these blocks are sealed when the disk is
 * @nr_blocks: of the disk
 * @block: the first one
 * @nr: how many
 *
 * Return: true if any is.
 */
static inline bool vstore_seal_touches(u64 nr_blocks, u64 block, u64 nr)
{
	return block < vstore_seal_first(nr_blocks).nr ||
	       block + nr > vstore_seal_last(nr_blocks).block;
}

u64 vstore_seal_make(u32 seed, struct vstore_seal seal);
int vstore_seal_read(const void *base, struct vstore_seal *seal);
void vstore_seal_write(void *base, struct vstore_seal seal);
void vstore_label_make(const void *base, u32 generation, struct vstore_label *label);
bool vstore_label_is_there(const void *block);
bool vstore_label_is_right(const void *base, u32 generation, const void *block);
bool vstore_seal_is_moved(const void *base, u32 generation, u64 block, const void *on_disk,
			  const void *in_pram);

#endif
