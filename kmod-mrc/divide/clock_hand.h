/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hands go over the pages of a target, as those of a clock. One goes round all the
 * time, clears accessed bits, and tells from them how much each page is used (aging.c,
 * page_usage.c). The other evicts the pages that are used least (evict.c).
 */
#ifndef MRC_DIVIDE_CLOCK_HAND_H
#define MRC_DIVIDE_CLOCK_HAND_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include <memsuite/pagewalk.h>

struct mrc_target;

/**
 * struct mrc_clock_hand - a hand, for one run over some pages
 * @walk: over them; each page that @see looks at takes one off what is left
 * @t: whose pages
 * @see: what to do with one, under the lock of its page table; takes a look
 * @use_map: the usage of pages is looked up
 * @fill_map: and room is made for it where there is none
 * @usage: of the pages of the page table where the hand is; or NULL
 * @tables: page tables that it went over so far
 * @batch: it stops when so many pages were picked; 0: it picks none
 * @picked: pages that @see picked
 * @any: @see picks what is in use, too
 * @no_swap: there is no room in swap
 */
struct mrc_clock_hand {
	struct memsuite_walk walk;
	struct mrc_target *t;
	void (*see)(struct mrc_clock_hand *h, struct page *page, unsigned long addr,
		    unsigned long *entry, unsigned int order);
	bool use_map;
	bool fill_map;
	u8 *usage;
	u64 tables;
	u64 batch;
	u64 picked;
	bool any;
	bool no_swap;
};

bool mrc_clock_hand_is_whole(struct page *page, unsigned int order);
u8 *mrc_clock_hand_usage(const struct mrc_clock_hand *h, unsigned long addr);
bool mrc_clock_hand_take(struct mrc_clock_hand *h, unsigned long addr, unsigned long *entry,
			 unsigned int order);
u64 mrc_clock_hand_go(struct mrc_clock_hand *h, struct mm_struct *mm, unsigned long *at);

#endif
