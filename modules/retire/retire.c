// SPDX-License-Identifier: GPL-2.0-only
/* Retiring pages by their frame number; include/memsuite/retire.h. */

#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>

#include <compat/compat.h>
#include <compat/poison.h>
#include <memsuite/block.h>
#include <memsuite/contig_range.h>
#include <memsuite/migrate.h>
#include <memsuite/retire.h>

#include "frame/hwpoison.h"
#include "kernel/unexported_calls.h"
#include "pool/pool_drain.h"

static int retire_free(unsigned long pfn)
{
	DECLARE_BITMAP(bad, 1UL << MEMSUITE_MAX_ORDER);
	int token = memsuite_hold_begin();
	struct memsuite_block block;
	int err = memsuite_block_take_at(pfn, &block);

	if (!err) {
		bitmap_zero(bad, 1UL << MEMSUITE_MAX_ORDER);
		__set_bit(pfn - page_to_pfn(block.page), bad);
		memsuite_block_retire(&block, bad);
	}
	memsuite_hold_end(token);
	return err;
}

static struct page *page_alloc_same_node(struct page *old, void *unused)
{
	return alloc_pages_node(page_to_nid(old), GFP_HIGHUSER_MOVABLE |
				__GFP_NOWARN, 0);
}

static int retire_used(unsigned long pfn)
{
	struct page *page = pfn_to_page(pfn);
	struct memsuite_migrate move;

	if (!get_page_unless_zero(page))
		return -EBUSY;
	memsuite_migrate_init(&move, page_alloc_same_node, NULL);
	move.keep = true;
	if (!PageCompound(page))
		memsuite_migrate_add(&move, page);
	put_page(page);
	if (!memsuite_migrate_run(&move))
		return -EBUSY;
	memsuite_kcall_uncharge_moved(page);
	memsuite_hwpoison_set(page);
	return 0;
}

/*
 * What was freed a moment ago, as the rest of a block of which another page was retired, or
 * is in a pool.
 */
static int retire_drained(unsigned long pfn)
{
	struct page *page = pfn_to_page(pfn);

	/* A guess, without a lock: it is the suite's. */
	if (PageOffline(page))
		memsuite_pools_drain_frame(pfn);
	if (page_ref_count(page))
		return -EBUSY;
	memsuite_kcall_drain_all_pages(NULL);
	return retire_free(pfn);
}

/* Huge pages. A retired page in the same pageblock, which is never free, keeps it from that. */
static int retire_claimed(unsigned long pfn)
{
	unsigned long start = ALIGN_DOWN(pfn, pageblock_nr_pages);
	unsigned long end = start + pageblock_nr_pages;
	unsigned long *bad = bitmap_zalloc(pageblock_nr_pages, GFP_KERNEL);
	int err, token;

	if (!bad)
		return -ENOMEM;
	__set_bit(pfn - start, bad);
	memsuite_pools_drain(start, end);
	token = memsuite_hold_begin();
	err = memsuite_contig_range_claim(start, end);
	if (!err)
		memsuite_contig_range_release(start, end, bad);
	memsuite_hold_end(token);
	bitmap_free(bad);
	return err == -EINVAL ? -EBUSY : err;
}

int memsuite_page_retire(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);
	int err;

	if (!page)
		return -ENXIO;
	if (memsuite_page_is_bad(page))
		return -EEXIST;
	if (PageReserved(page))
		return -EBUSY;
	err = retire_free(pfn);
	if (err)
		err = retire_used(pfn);
	if (err)
		err = retire_drained(pfn);
	if (err)
		err = retire_claimed(pfn);
	return err;
}
EXPORT_SYMBOL_GPL(memsuite_page_retire);

int memsuite_page_unretire(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);

	return page ? memsuite_hwpoison_clear(page) : -ENXIO;
}
EXPORT_SYMBOL_GPL(memsuite_page_unretire);

bool memsuite_page_retired(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);

	return page && memsuite_page_is_bad(page);
}
EXPORT_SYMBOL_GPL(memsuite_page_retired);
