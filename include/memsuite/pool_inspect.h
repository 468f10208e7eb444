/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inspection: a module looks at the memory of all pools before it is handed out,
 * so that what a program gets has been tested.
 */
#ifndef MEMSUITE_POOL_INSPECT_H
#define MEMSUITE_POOL_INSPECT_H

#include <linux/mm_types.h>

/**
 * struct memsuite_pool_inspector - looks at memory on its way into and out of pools
 * @block: test an aligned power of two of frames; set the bits of those that
 *	are bad, and leave the others zero, as they come. A bit that is set
 *	already stays so: @page found it bad. False if memsuite_hold_wanted() has ended
 *	it: what was not found bad may be so. May sleep; called between
 *	memsuite_hold_begin() and memsuite_hold_end().
 * @is_fresh: whether faults may have any of these frames as they are for a second more, for all
 *	were tested lately. Called in a page fault with interrupts off.
 * @page: the same of one page, or else test it at once; leave it zero; false if it is
 *	bad, which @block is told later. Called likewise.
 */
struct memsuite_pool_inspector {
	bool (*block)(unsigned long pfn, unsigned long nr, unsigned long *bad);
	bool (*is_fresh)(unsigned long pfn, unsigned long nr);
	bool (*page)(struct page *page);
};

/**
 * memsuite_pool_inspect_start() - have the memory of pools looked at
 * @inspector: by whom; must stay valid until memsuite_pool_inspect_stop()
 *
 * Pages that lie in pools already go back to the kernel. Those that the
 * inspector finds bad are retired.
 *
 * Context: may sleep.
 * Return: 0 or -EBUSY (somebody does already).
 */
int memsuite_pool_inspect_start(const struct memsuite_pool_inspector *inspector);

/**
 * memsuite_pool_inspect_stop() - end inspection, and wait for those that run
 *
 * Context: may sleep.
 */
void memsuite_pool_inspect_stop(void);

/**
 * memsuite_pool_inspect_held() - have memory looked at that goes to a user past the pools
 * @page: first of 2^@order pages that the caller holds
 * @order: at most MEMSUITE_MAX_ORDER
 *
 * Their contents are undefined afterwards.
 *
 * Context: may sleep; between memsuite_hold_begin() and memsuite_hold_end().
 * Return: 0, also if nobody inspects; -EIO: one is bad; -EAGAIN: memsuite_hold_wanted() has
 *	ended it before that was known, and the pages are to be given back.
 */
int memsuite_pool_inspect_held(struct page *page, unsigned int order);

/**
 * memsuite_pools_recycle() - exchange the pages in all pools
 *
 * For an inspector whose word about them expires.
 *
 * Context: may sleep.
 */
void memsuite_pools_recycle(void);

/**
 * memsuite_pools_prefill() - whether pools are filled ahead of need
 * @on: if not, they are emptied, and each page is taken, and inspected, when it
 *	is handed out
 *
 * Context: may sleep.
 */
void memsuite_pools_prefill(bool on);

#endif
