/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much pages have been used lately, by which they are evicted (evict.c). Pure logic.
 *
 * A page's usage is a byte. At each round of the clock hand a quarter of it fades, and
 * as much as fades of a full one is added if the page was touched since the round
 * before. So a page that was used now and then for some time counts more than one that
 * was used once, just now.
 */
#ifndef MRC_TARGET_PAGE_USAGE_H
#define MRC_TARGET_PAGE_USAGE_H

#include <linux/types.h>

/* The accessed bit was taken from the kernel, which has not been told yet. */
#define MRC_PAGE_USAGE_OWED		1
#define MRC_PAGE_USAGE_CLASSES	20

/**
 * struct mrc_page_usage - of all pages of a target
 * @pages: by class, as far as this round has come
 * @all: pages in the round before
 * @coldest: pages up to this class are evicted
 */
struct mrc_page_usage {
	u64 pages[MRC_PAGE_USAGE_CLASSES];
	u64 all;
	unsigned int coldest;
};

u8 mrc_page_usage_age(u8 usage, bool touched);
u8 mrc_page_usage_evict(u8 usage, bool touched);
unsigned int mrc_page_usage_class(u8 usage, bool touched);
void mrc_page_usage_count(struct mrc_page_usage *u, u8 usage, u64 pages);
bool mrc_page_usage_sparse(u64 found, u64 of);
void mrc_page_usage_round(struct mrc_page_usage *u);
bool mrc_page_usage_raise(struct mrc_page_usage *u);

#endif
