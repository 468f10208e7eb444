/* SPDX-License-Identifier: GPL-2.0-only */
/* What pools ask of pool_inspect.c; all else is in memsuite/pool_inspect.h. */
#ifndef MEMSUITE_POOL_POOL_INSPECT_PRIVATE_H
#define MEMSUITE_POOL_POOL_INSPECT_PRIVATE_H

#include <linux/jump_label.h>

#include <memsuite/pool_inspect.h>

DECLARE_STATIC_KEY_FALSE(memsuite_pool_inspect_key);

bool __memsuite_pool_inspect_page(struct page *page);
bool __memsuite_pool_is_fresh(unsigned long pfn, unsigned long nr);

/*
 * For so long a block that was fresh is taken to be: it is not asked for page by page, and what
 * the inspector is told to expect changes no later than that.
 */
#define MEMSUITE_POOL_FRESH_JIFFIES	HZ

/* Whether no frame of a block need be inspected now. Context: any. */
static inline bool memsuite_pool_is_fresh(unsigned long pfn, unsigned long nr)
{
	return !static_branch_unlikely(&memsuite_pool_inspect_key) ||
	       __memsuite_pool_is_fresh(pfn, nr);
}

/* For a page that is about to leave a pool, uninspected. Interrupts are off. */
static inline bool memsuite_pool_inspect_page(struct page *page)
{
	return !static_branch_unlikely(&memsuite_pool_inspect_key) ||
	       __memsuite_pool_inspect_page(page);
}

/*
 * For frames that enter a pool, zero and held, and for those that
 * memsuite_pool_inspect_page() found bad, whose bits are set in @bad; sets those of others
 * that are. False if it was ended, since somebody waits for what is held: no other frame may
 * enter the pool then. May sleep.
 */
bool memsuite_pool_inspect_block(unsigned long pfn, unsigned long nr, unsigned long *bad);

#endif
