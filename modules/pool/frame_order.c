// SPDX-License-Identifier: GPL-2.0-only
/* The order of frames in a container. Pure logic: also built in user space. */

#include <linux/kernel.h>
#include <linux/sort.h>

#include "pool/frame_order.h"

/* Bits of a frame number; the others are free to sort it by. */
#define PFN_BITS	40
#define PFN_MASK	((1ULL << PFN_BITS) - 1)

/* Of those others, the lower ones: chance decides among what is equal above. */
#define BANK_SHIFT	14	/* MEMSUITE_MAX_BANKS */
#define TURN_SHIFT	12	/* as many as frames in a container */

/* splitmix64 (Steele, Lea, Flood, 2014). */
static u64 seed_mix(u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static int frame_compare(const void *a, const void *b)
{
	u64 left = *(const u64 *)a, right = *(const u64 *)b;

	return left < right ? -1 : left > right;
}

static u64 frame_row(const struct memsuite_bank_map *map, u64 pfn)
{
	return map ? pfn / map->row_frames : pfn;
}

/* The frames of a row get the same one. */
static u64 seed_dice(const struct memsuite_bank_map *map, u64 pfn, u64 seed,
		     unsigned int bits)
{
	return seed_mix(seed ^ frame_row(map, pfn)) >> (64 - bits);
}

static void sort_and_strip(u64 *pfns, unsigned int nr)
{
	unsigned int i;

	sort(pfns, nr, sizeof(*pfns), frame_compare, NULL);
	for (i = 0; i < nr; i++)
		pfns[i] &= PFN_MASK;
}

/* Bank after bank, the rows of each in a random order. */
static void sort_banks(u64 *pfns, unsigned int nr,
		       const struct memsuite_bank_map *map, u64 seed)
{
	unsigned int i;
	u64 bank;

	for (i = 0; i < nr; i++) {
		bank = map ? memsuite_bank_of(map, pfns[i]) : 0;
		pfns[i] |= (bank << BANK_SHIFT |
			    seed_dice(map, pfns[i], seed, BANK_SHIFT)) << PFN_BITS;
	}
	sort_and_strip(pfns, nr);
}

/* Of what is sorted by banks, the first row of each, then the second of each. */
static void take_turns(u64 *pfns, unsigned int nr,
		       const struct memsuite_bank_map *map, u64 seed)
{
	u64 pfn, before = pfns[0], turn = 0;
	unsigned int i;

	for (i = 0; i < nr; before = pfn, i++) {
		pfn = pfns[i];
		if (map && memsuite_bank_of(map, pfn) != memsuite_bank_of(map, before))
			turn = 0;
		else if (frame_row(map, pfn) != frame_row(map, before))
			turn++;
		pfns[i] |= (turn << TURN_SHIFT |
			    seed_dice(map, pfn, seed, TURN_SHIFT)) << PFN_BITS;
	}
	sort_and_strip(pfns, nr);
}

void memsuite_frame_order_shuffle(u64 *pfns, unsigned int nr,
				  const struct memsuite_bank_map *map, u64 seed)
{
	sort_banks(pfns, nr, map, seed);
	take_turns(pfns, nr, map, seed);
}
