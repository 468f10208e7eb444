/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mattson's LRU stack in groups of pages (paper 001, section 3; Kim and Hill):
 * touches are counted by the group that they find the page in. The paper's moves a
 * page over each border of groups that a touched page crosses; this one takes the
 * logarithm of the number of pages. Pure logic, like curve.h.
 */
#ifndef MRC_CURVE_LRU_STACK_H
#define MRC_CURVE_LRU_STACK_H

#include <linux/bits.h>
#include <linux/types.h>

#define MRC_LRU_NIL	U32_MAX

/* What whoever keeps the stack notes of a page. */
#define MRC_LRU_PROTECTED	BIT(0)	/* its next touch faults */
#define MRC_LRU_STUCK	BIT(1)	/* cannot be protected */
#define MRC_LRU_HUGE	BIT(2)	/* part of a huge page */
#define MRC_LRU_FRESH	BIT(3)	/* counted in this epoch */
#define MRC_LRU_YOUNG	BIT(4)	/* found touched, not yet counted */
#define MRC_LRU_UNKNOWN	BIT(5)	/* never touched since it is known */
#define MRC_LRU_MAPPED	BIT(6)	/* seen by the last enumeration */

/**
 * struct mrc_lru_node - a page in the stack
 * @addr: its address
 * @slot: the higher, the later its last touch
 * @chain: the next one with the same hash; of a free node, the next free one
 * @flags: MRC_LRU_*
 */
struct mrc_lru_node {
	unsigned long addr;
	u32 slot;
	u32 chain;
	u32 flags;
};

/**
 * struct mrc_lru_stack - the pages of a process, latest touch first
 * @group_pages: pages in a group; the last one may have fewer
 * @capacity: most pages that there may be
 * @n: how many there are
 * @used: nodes that have ever been in use
 * @low: the lowest slot that was given away
 * @high: the slot above the highest one that was
 * @words: words of @taken
 * @free: free nodes
 * @hash_bits: log2 of the size of @hash
 * @cold: touches of pages that were not in the stack: misses at any size
 * @hits: touches by group: hits with group + 1 groups of memory, and not less
 * @node: the pages
 * @taken: a bit for each slot that a page has
 * @page: which one
 * @tree: Fenwick tree of the pages in words of @taken
 * @hash: first node of each chain
 */
struct mrc_lru_stack {
	u32 group_pages;
	u32 capacity;
	u32 n;
	u32 used;
	u32 low;
	u32 high;
	u32 words;
	u32 free;
	u32 hash_bits;
	u64 cold;
	u64 *hits;
	struct mrc_lru_node *node;
	unsigned long *taken;
	u32 *page;
	u32 *tree;
	u32 *hash;
};

size_t mrc_lru_stack_size(u32 capacity, u32 group_pages);
void mrc_lru_stack_init(struct mrc_lru_stack *s, void *memory, u32 capacity,
			u32 group_pages);
void mrc_lru_stack_copy(struct mrc_lru_stack *to, const struct mrc_lru_stack *from);

u32 mrc_lru_stack_find(const struct mrc_lru_stack *s, unsigned long addr);
u32 mrc_lru_stack_at(const struct mrc_lru_stack *s, u32 place);
u32 mrc_lru_stack_place(const struct mrc_lru_stack *s, u32 i);
u32 mrc_lru_stack_above(const struct mrc_lru_stack *s, u32 i);
u32 mrc_lru_stack_below(const struct mrc_lru_stack *s, u32 i);
u32 mrc_lru_stack_touch(struct mrc_lru_stack *s, unsigned long addr);
u32 mrc_lru_stack_raise(struct mrc_lru_stack *s, u32 i);
u32 mrc_lru_stack_append(struct mrc_lru_stack *s, unsigned long addr);
void mrc_lru_stack_remove(struct mrc_lru_stack *s, u32 i);

/* The least recently touched page, or MRC_LRU_NIL. */
static inline u32 mrc_lru_stack_bottom(const struct mrc_lru_stack *s)
{
	return mrc_lru_stack_at(s, s->n - 1);
}

u32 mrc_lru_stack_groups(const struct mrc_lru_stack *s);
void mrc_lru_stack_forget_hits(struct mrc_lru_stack *s);
u64 mrc_lru_stack_touches(const struct mrc_lru_stack *s);
void mrc_lru_stack_misses(const struct mrc_lru_stack *s, const u64 *pages, u64 *misses,
			  unsigned int n);

#endif
