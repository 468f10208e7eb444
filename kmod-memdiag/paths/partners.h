/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Partners: free memory at addresses that differ in a few bits, taken together,
 * tested as one, and given back.
 */
#ifndef MEMDIAG_PATHS_PARTNERS_H
#define MEMDIAG_PATHS_PARTNERS_H

#include <linux/bitmap.h>

#include <memsuite/block.h>

#include "result/verdict.h"

/* Memory is taken by units, as large as a march goes over at once. */
#define MEMDIAG_UNIT_PAGES	MEMDIAG_VERDICT_MAX_PAGES
#define MEMDIAG_PARTNERS_MAX	8U

/**
 * struct memdiag_partners - units that are tested together
 * @nr: how many
 * @pfn: first frame of each, in ascending order
 * @online: bit i: unit i is there
 * @held: what of each unit is held
 * @block: the same, by block; as many as @joint has
 * @joint: how they are tested
 */
struct memdiag_partners {
	unsigned int nr;
	unsigned long pfn[MEMDIAG_PARTNERS_MAX];
	unsigned long online;
	DECLARE_BITMAP(held[MEMDIAG_PARTNERS_MAX], MEMDIAG_UNIT_PAGES);
	struct memsuite_block block[MEMDIAG_JOINT_BLOCKS];
	struct memdiag_joint joint;
};

/**
 * struct memdiag_pair - two addresses that are one cell, or cells that disturb each other
 * @victim: physical address of a word
 * @aggressor: likewise; writing it changes @victim
 */
struct memdiag_pair {
	u64 victim;
	u64 aggressor;
};

/**
 * memdiag_partners_take() - take what is free of units
 * @partners: @nr and @pfn tell which; the rest is set
 *
 * Large free blocks only, and none that others may soon need: see memsuite_block_take().
 * To be called between memsuite_hold_begin() and memsuite_hold_end(), as what follows.
 *
 * Context: may sleep.
 * Return: true if there is something of two units at least.
 */
bool memdiag_partners_take(struct memdiag_partners *partners);

/**
 * memdiag_partners_find_pair() - look who changed a word that failed in the test of them
 * @partners: tested, and still held
 * @pair: result
 *
 * Tries what lies at the same place in the other units: where the address differs in the bits
 * of the group alone.
 *
 * Context: may sleep.
 * Return: false if it was none of these.
 */
bool memdiag_partners_find_pair(const struct memdiag_partners *partners,
				struct memdiag_pair *pair);

/**
 * memdiag_partners_give() - give all of it back, but what the test found bad
 * @partners: what was taken
 *
 * Bad pages are put on the list, and retired.
 *
 * Context: may sleep.
 * Return: number of bad pages.
 */
unsigned long memdiag_partners_give(struct memdiag_partners *partners);

/**
 * memdiag_partners_pairs() - how many pages of two units are held whose partner is, too
 * @partners: what was taken
 * @a: index of a unit
 * @b: of another
 *
 * Return: pages, of both.
 */
unsigned long memdiag_partners_pairs(const struct memdiag_partners *partners, unsigned int a,
				     unsigned int b);

#endif
