// SPDX-License-Identifier: GPL-2.0-only
/* Stocks of single frames; include/memsuite/target_frames.h. */

#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include <compat/compat.h>
#include <memsuite/pool_inspect.h>
#include <memsuite/target_frames.h>

#include "frame/bank_map.h"
#include "frame/hwpoison.h"
#include "frame/isolate.h"
#include "kernel/alloc_stats.h"
#include "retire/give_back.h"

/* Frames looked at between two chances for others to run. */
#define STOCK_BUDGET	4096

void memsuite_target_frames_init(struct memsuite_target_frames *stock, unsigned long start_pfn,
				 unsigned long end_pfn, int nid)
{
	*stock = (struct memsuite_target_frames) {
		.scan = {
			.pfn = start_pfn,
			.end = end_pfn,
			.orders = MEMSUITE_ANY_ORDER,
			.nid = nid,
			.migratetypes = MEMSUITE_ANY_MIGRATETYPE,
		},
		.start = start_pfn,
	};
}
EXPORT_SYMBOL_GPL(memsuite_target_frames_init);

/* Goes on where the last block was found, once around the range. */
static bool restock(struct memsuite_target_frames *stock)
{
	struct memsuite_block block;
	int rounds = 2, err;

	while (rounds && !stock->empty) {
		cond_resched();
		err = memsuite_frames_isolate(&stock->scan, STOCK_BUDGET, &block);
		if (!err) {
			stock->bare = block.page;
			stock->nr_bare = 1UL << block.order;
			memsuite_held_pages_add(stock->nr_bare);
			return true;
		}
		if (err == -ENOENT) {
			stock->scan.pfn = stock->start;
			rounds--;
			memsuite_frames_gather();
		} else if (err == -ENOMEM) {
			/* Another zone may have more. */
			stock->scan.pfn = ALIGN(stock->scan.pfn + 1,
						pageblock_nr_pages);
		}
	}
	stock->empty = true;
	return false;
}

static struct page *skip_first(struct memsuite_target_frames *stock)
{
	stock->nr_bare--;
	memsuite_held_pages_add(-1);
	return stock->bare++;
}

static struct page *take_first(struct memsuite_target_frames *stock)
{
	struct page *page = skip_first(stock);

	memsuite_frames_prepare(page, 0, false);
	return page;
}

static bool is_of_stock(const struct memsuite_target_frames *stock, struct page *page)
{
	return !stock->scan.banks ||
	       memsuite_bank_set_has(stock->scan.banks, page_to_pfn(page));
}

/*
 * What is bad is kept until pages may be retired: who moves others has them
 * locked, and memory_failure() may be waiting for one of them elsewhere.
 */
static bool passes(struct memsuite_target_frames *stock, struct page *page)
{
	if (!stock->inspected || memsuite_pool_inspect_held(page, 0))
		return true;
	set_page_private(page, (unsigned long)stock->bad);
	stock->bad = page;
	return false;
}

static void retire_bad(struct memsuite_target_frames *stock)
{
	struct page *page;

	while ((page = stock->bad)) {
		stock->bad = (struct page *)page_private(page);
		set_page_private(page, 0);
		memsuite_hwpoison(page);
	}
}

/* What lies in front of the next frame of the banks goes back. */
struct page *memsuite_target_frames_take(struct memsuite_target_frames *stock)
{
	struct page *page;

	while (stock->nr_bare || restock(stock)) {
		/* What the kernel has found bad meanwhile is left as it is. */
		if (PageHWPoison(stock->bare)) {
			skip_first(stock);
			continue;
		}
		if (!is_of_stock(stock, stock->bare)) {
			memsuite_alloc_stats_free(take_first(stock), 0, __free_pages);
			continue;
		}
		page = take_first(stock);
		if (passes(stock, page))
			return page;
	}
	return NULL;
}
EXPORT_SYMBOL_GPL(memsuite_target_frames_take);

/* The largest block that begins at the first frame left. */
static unsigned int first_order(const struct memsuite_target_frames *stock)
{
	unsigned long pfn = page_to_pfn(stock->bare);

	return min3((unsigned long)ilog2(stock->nr_bare),
		    pfn ? __ffs(pfn) : MEMSUITE_MAX_ORDER,
		    (unsigned long)MEMSUITE_MAX_ORDER);
}

void memsuite_target_frames_return(struct memsuite_target_frames *stock)
{
	struct memsuite_block block;

	retire_bad(stock);
	while (stock->nr_bare) {
		block.page = stock->bare;
		block.order = first_order(stock);
		stock->bare += 1UL << block.order;
		stock->nr_bare -= 1UL << block.order;
		/* Bare frames cannot be freed: they were never allocated. */
		memsuite_frames_prepare(block.page, block.order, false);
		memsuite_held_pages_add(-(1L << block.order));
		memsuite_alloc_stats_free(block.page, block.order, __free_pages);
	}
}
EXPORT_SYMBOL_GPL(memsuite_target_frames_return);
