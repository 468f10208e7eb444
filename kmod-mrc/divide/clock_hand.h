/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hands that go over the pages of a target, as those of a clock. One goes round all
 * the time, clears accessed bits, and keeps account of how much each page is used
 * (aging.c, page_usage.c). The other evicts those that are used least (evict.c).
 */
#ifndef MRC_DIVIDE_CLOCK_HAND_H
#define MRC_DIVIDE_CLOCK_HAND_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include <memsuite/page_map.h>

struct mrc_target;

/**
 * struct mrc_hand - one sweep of a hand
 * @t: whose pages
 * @see: what to do with one, under the lock of its page table; takes a look
 * @table: where usage is noted, of the pages of a page table; may not sleep; NULL:
 *	nowhere
 * @looks: pages that may still be looked at in this hold of mmap_lock
 * @usage: of @table, for the page table where it is; NULL: nothing is noted
 * @tables: page tables that it went over
 * @batch: it stops when so many pages were picked; 0: it picks none
 * @picked: pages that @see picked
 * @any: what is in use, too
 * @no_swap: there is no room in swap
 */
struct mrc_hand {
	struct mrc_target *t;
	void (*see)(struct mrc_hand *h, struct page *page, unsigned long addr,
		    unsigned long *entry, unsigned int order);
	void *(*table)(struct memsuite_page_map *notes, unsigned long addr);
	s64 looks;
	u8 *usage;
	u64 tables;
	u64 batch;
	u64 picked;
	bool any;
	bool no_swap;
};

bool mrc_hand_is_whole(struct page *page, unsigned int order);
u8 *mrc_hand_usage(const struct mrc_hand *h, unsigned long addr);
bool mrc_hand_take(struct mrc_hand *h, unsigned long addr, unsigned long *entry);
u64 mrc_hand_go(struct mrc_hand *h, struct mm_struct *mm, unsigned long *at);

#endif
