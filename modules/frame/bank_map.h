/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bank maps: which banks of the DRAM a page frame lies in.
 *
 * A memory controller selects channel, rank and bank either by parities of
 * physical address bits or by interleaving at fixed sizes. Where it selects
 * below the page as well, a frame lies in several banks; what remains to tell
 * frames apart is what is called a bank here.
 */
#ifndef MEMSUITE_FRAME_BANK_MAP_H
#define MEMSUITE_FRAME_BANK_MAP_H

#include <linux/bitops.h>
#include <linux/types.h>

#include <memsuite/region.h>

#define MEMSUITE_BANK_MASKS	16
#define MEMSUITE_BANK_LEVELS	8

/* The text of a map, its name not counted. */
#define MEMSUITE_BANK_TEXT	320

/**
 * struct memsuite_bank_level - banks that follow one another
 * @frames: page frames in each
 * @count: how many banks; then comes the first one again
 */
struct memsuite_bank_level {
	u64 frames;
	u64 count;
};

/**
 * struct memsuite_bank_map - what a frame number tells about banks
 * @name: letters, digits, '_', '-', '.'
 * @text: the map as it was written, without the name
 * @nr_masks: how many @masks
 * @masks: bit i of the bank is the parity of these bits of the frame number
 * @nr_levels: how many @levels
 * @levels: digits of the bank, the lowest first
 * @nr_banks: banks that frames can be told apart by
 * @banks_a_frame: banks of the DRAM that each frame lies in
 * @row_frames: frames of successive numbers that share bank and row
 */
struct memsuite_bank_map {
	char name[MEMSUITE_REGION_NAME];
	char text[MEMSUITE_BANK_TEXT];
	unsigned int nr_masks;
	u64 masks[MEMSUITE_BANK_MASKS];
	unsigned int nr_levels;
	struct memsuite_bank_level levels[MEMSUITE_BANK_LEVELS];
	unsigned int nr_banks;
	unsigned int banks_a_frame;
	u64 row_frames;
};

/**
 * struct memsuite_bank_set - some banks of a map
 * @map: the map
 * @banks: bitmap of MEMSUITE_MAX_BANKS
 */
struct memsuite_bank_set {
	const struct memsuite_bank_map *map;
	const unsigned long *banks;
};

/**
 * memsuite_bank_map_parse() - parse "NAME xor=MASK[,MASK...] [row=MASK]" or
 *	"NAME interleave=SIZExCOUNT[,SIZExCOUNT...]"
 * @line: what the administrator wrote; is cut up
 * @map: result
 *
 * A MASK is of physical address bits, hexadecimal with 0x. SIZE is in bytes,
 * with an optional K, M or G, and a multiple of the SIZE times the COUNT of the
 * level before.
 *
 * Pure.
 * Return: 0; -EINVAL (malformed; masks that are not independent; levels
 * that overlap); -E2BIG (too many masks, levels or banks); -ERANGE (a number
 * too large); -ENAMETOOLONG; -EOPNOTSUPP (no two page frames can be told apart).
 */
int memsuite_bank_map_parse(char *line, struct memsuite_bank_map *map);

/* The bank of a frame, less than @nr_banks. Pure. */
unsigned int memsuite_bank_of(const struct memsuite_bank_map *map, unsigned long pfn);

/* Whether a frame lies in one of the banks of a set. Pure. */
static inline bool memsuite_bank_set_has(const struct memsuite_bank_set *set,
					 unsigned long pfn)
{
	return test_bit(memsuite_bank_of(set->map, pfn), set->banks);
}

#endif
