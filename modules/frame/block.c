// SPDX-License-Identifier: GPL-2.0-only
/* Blocks that somebody holds: taking, giving back, retiring. */

#include <linux/bitmap.h>
#include <linux/export.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include <compat/compat.h>
#include <memsuite/block.h>

#include "frame/alloc_stats_private.h"
#include "frame/block_private.h"
#include "frame/buddy_isolate.h"
#include "frame/held_pages_private.h"
#include "frame/hwpoison.h"
#include "kernel/unexported_calls.h"

/* Frames looked at between two chances for others to run. */
#define TAKE_BUDGET	4096

static void block_mark_offline(struct memsuite_block *block, bool offline)
{
	unsigned long i;

	for (i = 0; i < 1UL << block->order; i++) {
		if (offline)
			__SetPageOffline(block->page + i);
		else
			__ClearPageOffline(block->page + i);
	}
}

int memsuite_block_take(struct memsuite_scan *scan, struct memsuite_block *block)
{
	int err;

	scan->lends = true;
	do {
		cond_resched();
		err = memsuite_frames_isolate(scan, TAKE_BUDGET, block);
	} while (err == -EAGAIN && !memsuite_hold_wanted());
	if (err)
		return err == -ENOMEM ? -EAGAIN : err == -EAGAIN ? -EBUSY : err;
	memsuite_frames_prepare(block->page, block->order, false);
	block_mark_offline(block, true);
	memsuite_held_pages_add(1L << block->order);
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_block_take);

/* First frame of the free block that a frame lies in; @pfn itself if none. */
static unsigned long free_block_start(unsigned long pfn, unsigned int *order)
{
	unsigned int i;

	for (i = 0; i <= MEMSUITE_MAX_ORDER; i++) {
		unsigned long head = ALIGN_DOWN(pfn, 1UL << i);
		struct page *page = pfn_to_online_page(head);

		/* Without the zone's lock a guess; it is checked when taken. */
		if (page && PageBuddy(page) && READ_ONCE(page->private) >= i) {
			*order = min_t(unsigned long, page->private, MEMSUITE_MAX_ORDER);
			return head;
		}
	}
	*order = 0;
	return pfn;
}

static bool block_has(const struct memsuite_block *block, unsigned long pfn)
{
	return pfn - page_to_pfn(block->page) < 1UL << block->order;
}

int memsuite_block_take_at(unsigned long pfn, struct memsuite_block *block)
{
	struct memsuite_scan scan;
	unsigned long start;
	unsigned int order;

	for (;;) {
		start = free_block_start(pfn, &order);
		scan = (struct memsuite_scan) {
			.pfn = start,
			.end = start + (1UL << order),
			.orders = MEMSUITE_ANY_ORDER,
			.nid = NUMA_NO_NODE,
			.migratetypes = MEMSUITE_ANY_MIGRATETYPE,
		};
		if (memsuite_block_take(&scan, block))
			return -EBUSY;
		if (block_has(block, pfn))
			return 0;
		memsuite_block_give(block);
	}
}
EXPORT_SYMBOL_GPL(memsuite_block_take_at);

void memsuite_block_drain(void)
{
	memsuite_kcall_drain_all_pages(NULL);
}
EXPORT_SYMBOL_GPL(memsuite_block_drain);

void memsuite_block_give(struct memsuite_block *block)
{
	block_mark_offline(block, false);
	memsuite_held_pages_add(-(1L << block->order));
	memsuite_frames_free(block->page, block->order);
}
EXPORT_SYMBOL_GPL(memsuite_block_give);

void memsuite_block_split(struct memsuite_block *block)
{
	block_mark_offline(block, false);
	memsuite_held_pages_add(-(1L << block->order));
	split_page(block->page, block->order);
}

void memsuite_block_retire(struct memsuite_block *block, const unsigned long *bad)
{
	unsigned long i, nr = 1UL << block->order;

	/* A poisoned page inside a free block could be handed out: cut it up. */
	memsuite_block_split(block);
	for (i = 0; i < nr; i++) {
		if (test_bit(i, bad))
			memsuite_hwpoison_set(block->page + i);
		else
			memsuite_alloc_stats_free(block->page + i, 0, __free_pages);
	}
}
EXPORT_SYMBOL_GPL(memsuite_block_retire);
