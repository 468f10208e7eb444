/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocks: free memory taken out of the buddy lists, held, and given back
 * (COMeT, appendix A.1.1).
 *
 * A held block has a reference count of 1 and every page of it is marked
 * PageOffline, so that dump tools leave it alone and memory offlining knows
 * that somebody will let go of it.
 */
#ifndef MEMSUITE_BLOCK_H
#define MEMSUITE_BLOCK_H

#include <linux/mm_types.h>
#include <linux/mmzone.h>

#include <compat/compat.h>
#include <memsuite/held_pages.h>

struct memsuite_bank_set;
struct memsuite_barren;

/**
 * struct memsuite_scan - a walk over physical memory for free blocks
 * @pfn: where the walk stands; advanced past what it has looked at
 * @end: first PFN behind the range
 * @orders: bit mask of 1 << order
 * @nid: node to keep to, or NUMA_NO_NODE
 * @migratetypes: bit mask of 1 << MIGRATE_*; isolated, CMA and HIGHATOMIC
 *	pageblocks are skipped in any case
 * @min_age_s: take only blocks with a page whose test is so long ago; 0: all
 * @max_age_s: take only blocks with no page whose test is so long ago; 0: all
 * @banks: take only blocks with a frame in these banks; NULL: all
 * @barren: of a walk over all of a range: which pageblocks to leave out; NULL: none
 * @vain_pfn: with @barren: nothing was found from here on
 * @lends: what is taken goes back at once, or as much: the zone need stay above its low
 *	watermark alone, and not above the high one and the lowmem reserve, which keeps it for
 *	those who can use no other, and can be all of it. memsuite_block_take() sets it
 * @was_short: a zone was left out that has no more than its watermarks: what is free there was
 *	not taken
 */
struct memsuite_scan {
	unsigned long pfn;
	unsigned long end;
	unsigned int orders;
	int nid;
	unsigned int migratetypes;
	unsigned int min_age_s;
	unsigned int max_age_s;
	const struct memsuite_bank_set *banks;
	struct memsuite_barren *barren;
	unsigned long vain_pfn;
	bool lends;
	bool was_short;
};

#define MEMSUITE_ANY_MIGRATETYPE	((1U << MIGRATE_PCPTYPES) - 1)
#define MEMSUITE_ANY_ORDER		((2U << MEMSUITE_MAX_ORDER) - 1)

/**
 * struct memsuite_block - a held block of 2^order pages
 * @page: its first page
 * @order: its order
 */
struct memsuite_block {
	struct page *page;
	unsigned int order;
};

/**
 * memsuite_block_take() - take the next free block out of the buddy lists
 * @scan: where to look; stands behind the block on return
 * @block: the block taken
 *
 * Takes nothing that would bring the zone's free pages under the low
 * watermark, and passes blocks that are too large for that. The contents are undefined. Every
 * block taken must be given back or retired between memsuite_hold_begin() and
 * memsuite_hold_end().
 *
 * Context: may sleep.
 * Return: 0, -ENOENT (end of range), -EAGAIN (the zone at @scan->pfn is
 * short of memory; the walk has not moved past it), or -EBUSY (memsuite_hold_wanted();
 * the walk may go on where it is).
 */
int memsuite_block_take(struct memsuite_scan *scan, struct memsuite_block *block);

/**
 * memsuite_block_take_at() - take the free block that a frame lies in
 * @pfn: the frame
 * @block: the block taken
 *
 * As memsuite_block_take().
 *
 * Context: may sleep.
 * Return: 0, or -EBUSY: the frame is not free, or may not be taken now.
 */
int memsuite_block_take_at(unsigned long pfn, struct memsuite_block *block);

/**
 * memsuite_block_drain() - give to the buddy lists what CPUs keep at hand
 *
 * The free pages in the kernel's per-CPU lists are no block's, and so nobody
 * can take them.
 *
 * Context: may sleep.
 */
void memsuite_block_drain(void);

/**
 * memsuite_block_give() - give a block back to the buddy lists
 * @block: a block from memsuite_block_take(), with any contents
 *
 * Context: any in which pages may be freed.
 */
void memsuite_block_give(struct memsuite_block *block);

/**
 * memsuite_block_retire() - give a block back but for its bad pages
 * @block: a block from memsuite_block_take()
 * @bad: bitmap of its bad pages, bit 0 is @block->page
 *
 * A bad page is marked PG_hwpoison through memory_failure(), which counts it
 * in HardwareCorrupted, and keeps the reference that held it: it is never
 * handed out again, not even after the suite is unloaded.
 *
 * Context: may sleep.
 */
void memsuite_block_retire(struct memsuite_block *block, const unsigned long *bad);

#endif
