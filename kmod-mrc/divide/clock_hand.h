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

#include <memsuite/pagewalk.h>

struct mrc_target;

/**
 * struct mrc_hand - one sweep of a hand
 * @walk: over them; each page that @see looks at takes one off what is left
 * @t: whose pages
 * @see: what to do with one, under the lock of its page table; takes a look
 * @noted: how much they are used is noted
 * @keeps: and notes are made where there are none
 * @usage: the notes on the page table where it is; NULL: nothing is noted
 * @tables: page tables that it went over
 * @batch: it stops when so many pages were picked; 0: it picks none
 * @picked: pages that @see picked
 * @any: what is in use, too
 * @no_swap: there is no room in swap
 */
struct mrc_hand {
	struct memsuite_walk walk;
	struct mrc_target *t;
	void (*see)(struct mrc_hand *h, struct page *page, unsigned long addr,
		    unsigned long *entry, unsigned int order);
	bool noted;
	bool keeps;
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
