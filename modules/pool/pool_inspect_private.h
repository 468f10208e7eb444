/* SPDX-License-Identifier: GPL-2.0-only */
/* What pools ask of pool_inspect.c; all else is in memsuite/pool_inspect.h. */
#ifndef MEMSUITE_POOL_POOL_INSPECT_PRIVATE_H
#define MEMSUITE_POOL_POOL_INSPECT_PRIVATE_H

#include <linux/jump_label.h>

#include <memsuite/pool_inspect.h>

DECLARE_STATIC_KEY_FALSE(memsuite_pool_inspect_key);

bool __memsuite_pool_inspect_page(struct page *page);
u64 __memsuite_pool_good_for(unsigned long pfn, unsigned long nr);

#define MEMSUITE_POOL_GOOD_FOREVER	(U64_MAX / 2)

/* For how many jiffies no frame of a block need be inspected. Context: any. */
static inline u64 memsuite_pool_good_for(unsigned long pfn, unsigned long nr)
{
	return static_branch_unlikely(&memsuite_pool_inspect_key) ?
		__memsuite_pool_good_for(pfn, nr) : MEMSUITE_POOL_GOOD_FOREVER;
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
 * that are. May sleep.
 */
void memsuite_pool_inspect_block(unsigned long pfn, unsigned long nr, unsigned long *bad);

#endif
