// SPDX-License-Identifier: GPL-2.0-only
/*
 * The word in PRAM that tells whether the disk is whole or sealed, and the label that a sealed
 * disk has; seal.h. Pure logic: also built in user space.
 */

#include <linux/crc32.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "store/map/header.h"
#include "store/map/pram.h"
#include "store/map/seal.h"

#define LABEL_VERSION	1
#define STATE_SHIFT	32
#define CHECK_SHIFT	40

static u64 *seal_word(void *base)
{
	return base + VSTORE_SEAL_OFFSET;
}

/**
 * vstore_seal_make() - the word that stands for a seal in PRAM
 * @seed: of the store's checksums
 * @seal: it
 *
 * Return: the word, with a checksum: zeroes are none.
 */
u64 vstore_seal_make(u32 seed, struct vstore_seal seal)
{
	u64 word = seal.generation | (u64)seal.state << STATE_SHIFT;
	u64 check = crc32_le(~seed, (const u8 *)&word, sizeof(word));

	return word | check << CHECK_SHIFT;
}

/**
 * vstore_seal_read() - whether the disk is sealed
 * @base: the PRAM; its header is right
 * @seal: gets it
 *
 * Return: 0, or -EINVAL if the word cannot be read, or is damaged.
 */
int vstore_seal_read(const void *base, struct vstore_seal *seal)
{
	u64 word;

	if (vstore_pram_read(&word, base + VSTORE_SEAL_OFFSET, sizeof(word)))
		return -EINVAL;
	seal->generation = (u32)word;
	seal->state = word >> STATE_SHIFT & 0xff;
	if (seal->state < VSTORE_DISK_WHOLE || seal->state > VSTORE_DISK_SEALED ||
	    word != vstore_seal_make(vstore_header_seed(base), *seal))
		return -EINVAL;
	return 0;
}

/**
 * vstore_seal_write() - note in PRAM whether the disk is sealed, durably
 * @base: the PRAM
 * @seal: it
 */
void vstore_seal_write(void *base, struct vstore_seal seal)
{
	/* That blocks are clean is durable before the word that nothing else is dirty. */
	vstore_pram_fence();
	vstore_pram_set(seal_word(base), vstore_seal_make(vstore_header_seed(base), seal));
	vstore_pram_fence();
}

/**
 * vstore_label_make() - what the first sector of a sealed disk has
 * @base: the PRAM; its header is right
 * @generation: of the seal
 * @label: gets it
 */
void vstore_label_make(const void *base, u32 generation, struct vstore_label *label)
{
	const struct vstore_header *header = base;

	*label = (struct vstore_label){
		.magic = VSTORE_LABEL_MAGIC, .version = LABEL_VERSION,
		.generation = generation, .nr_blocks = header->nr_blocks,
		.text = "Part of this disk is in PRAM: open it by `memsuite store open`.\n",
	};
	memcpy(label->uuid, header->uuid, sizeof(label->uuid));
	label->crc = crc32_le(~0u, (const u8 *)label, offsetof(struct vstore_label, crc));
}

/**
 * vstore_label_is_right() - whether a disk was sealed by this store, and not written since
 * @base: the PRAM; its header is right
 * @generation: of the seal
 * @block: the disk's first
 *
 * Return: true if it has the label.
 */
bool vstore_label_is_right(const void *base, u32 generation, const void *block)
{
	struct vstore_label label;

	vstore_label_make(base, generation, &label);
	return !memcmp(block, &label, sizeof(label)) &&
	       !memchr_inv(block + sizeof(label), 0, VSTORE_BLOCK_SIZE - sizeof(label));
}

/**
 * vstore_label_is_there() - whether a disk was sealed, by whatever store
 * @block: the disk's first
 *
 * Return: true if it has a label.
 */
bool vstore_label_is_there(const void *block)
{
	const struct vstore_label *label = block;

	return label->magic == VSTORE_LABEL_MAGIC &&
	       label->crc == crc32_le(~0u, block, offsetof(struct vstore_label, crc));
}

/* Whether a sector is as a sealed disk has it. */
static bool sector_is_sealed(const void *base, u32 generation, bool first, const void *sector)
{
	struct vstore_label label;

	if (!first)
		return !memchr_inv(sector, 0, VSTORE_SECTOR_SIZE);
	vstore_label_make(base, generation, &label);
	return !memcmp(sector, &label, sizeof(label)) &&
	       !memchr_inv(sector + sizeof(label), 0, VSTORE_SECTOR_SIZE - sizeof(label));
}

/**
 * vstore_seal_is_moved() - whether nobody but the store wrote a block that was on its way
 * @base: the PRAM; its header is right
 * @generation: of the seal
 * @block: it
 * @on_disk: its contents on the disk
 * @in_pram: and in PRAM
 *
 * Return: true if each sector is that of the one or of the other.
 */
bool vstore_seal_is_moved(const void *base, u32 generation, u64 block, const void *on_disk,
			  const void *in_pram)
{
	u8 sector[VSTORE_SECTOR_SIZE];
	u32 at;

	for (at = 0; at < VSTORE_BLOCK_SIZE; at += sizeof(sector)) {
		if (sector_is_sealed(base, generation, !block && !at, on_disk + at))
			continue;
		if (vstore_pram_read(sector, in_pram + at, sizeof(sector)) ||
		    memcmp(on_disk + at, sector, sizeof(sector)))
			return false;
	}
	return true;
}
