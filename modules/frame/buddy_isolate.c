// SPDX-License-Identifier: GPL-2.0-only
/* Free page frames: out of the buddy lists, by physical address. */

#include <linux/export.h>
#include <linux/highmem.h>
#include <linux/jiffies.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/page_ref.h>

#include <compat/compat.h>
#include <memsuite/alloc_stats.h>
#include <memsuite/target_frames.h>

#include "frame/alloc_stats_private.h"
#include "frame/bank_map.h"
#include "frame/barren.h"
#include "frame/buddy_isolate.h"
#include "kernel/unexported_calls.h"

static bool withheld;
static unsigned long left_pfn = ULONG_MAX;

void memsuite_frames_leave(unsigned long pfn)
{
	WRITE_ONCE(left_pfn, pfn);
}

void memsuite_frames_withhold(bool on)
{
	WRITE_ONCE(withheld, on);
}

/* What of a zone is for those who can use no other one. */
static long zone_reserve(struct zone *zone)
{
	long reserve = 0;
	int i;

	for (i = 0; i < MAX_NR_ZONES; i++)
		reserve = max(reserve, zone->lowmem_reserve[i]);
	return reserve;
}

/*
 * The kernel's own isolation stops at the minimum watermark and knows no
 * lowmem reserve; testing and pooling must not be what wakes kswapd, which is at the low
 * watermark. Where memory is full of page cache, a zone is seldom above the high one.
 */
static bool zone_has_spare(struct zone *zone, unsigned int order, bool lends)
{
	unsigned long keep = lends ? low_wmark_pages(zone) :
				     high_wmark_pages(zone) + zone_reserve(zone);

	return !READ_ONCE(withheld) &&
	       zone_page_state(zone, NR_FREE_PAGES) > keep + (1UL << order);
}

static bool block_may_be_taken(const struct memsuite_scan *scan, struct page *page)
{
	int migratetype = memsuite_kcall_migratetype(page);

	return migratetype < MIGRATE_PCPTYPES &&
	       (scan->migratetypes & (1U << migratetype));
}

/*
 * Frames to skip when the page where the walk stands is not to be taken. A block
 * lies where its size says.
 */
static unsigned long scan_step(const struct memsuite_scan *scan, struct page *page)
{
	unsigned long least = 1UL << __ffs(scan->orders);
	unsigned long next = ALIGN(scan->pfn + 1, least);
	unsigned int order;

	/* Without the lock the order may be stale, so never trust it far. */
	if (PageBuddy(page)) {
		order = READ_ONCE(page->private);
		if (order <= MEMSUITE_MAX_ORDER)
			next = max(next, scan->pfn + (1UL << order));
	}
	return next - scan->pfn;
}

static bool block_age_is_wanted(const struct memsuite_scan *scan, unsigned long pfn,
				unsigned long nr)
{
	if (scan->min_age_s && !memsuite_alloc_stats_older(pfn, nr, scan->min_age_s))
		return false;
	return !scan->max_age_s || !memsuite_alloc_stats_older(pfn, nr, scan->max_age_s);
}

/* A block without a frame in the banks would be taken in vain, again and again. */
static bool block_has_banks(const struct memsuite_scan *scan, unsigned long pfn,
			    unsigned long nr)
{
	unsigned long i;

	if (!scan->banks)
		return true;
	for (i = 0; i < nr; i++)
		if (memsuite_bank_set_has(scan->banks, pfn + i))
			return true;
	return false;
}

static bool block_is_wanted(const struct memsuite_scan *scan, struct page *page,
			    unsigned int *order)
{
	if (!PageBuddy(page) ||
	    (scan->nid != NUMA_NO_NODE && scan->nid != page_to_nid(page)))
		return false;
	*order = page_private(page);
	if (*order > MEMSUITE_MAX_ORDER || !(scan->orders & BIT(*order)) ||
	    page_to_pfn(page) + (1UL << *order) > scan->end)
		return false;
	return block_may_be_taken(scan, page) &&
	       block_has_banks(scan, page_to_pfn(page), 1UL << *order) &&
	       block_age_is_wanted(scan, page_to_pfn(page), 1UL << *order);
}

static bool frames_are_poisoned(struct page *page, unsigned int order)
{
	unsigned long i;

	for (i = 0; i < 1UL << order; i++)
		if (PageHWPoison(page + i))
			return true;
	return false;
}

/* Where the kernel looks before it hands a page out, isolation does not. */
static bool block_is_poisoned(struct page *page, unsigned int order)
{
	return MEMSUITE_FREE_MAY_BE_POISONED && frames_are_poisoned(page, order);
}

static bool block_is_left(struct page *page, unsigned int order)
{
	return READ_ONCE(left_pfn) - page_to_pfn(page) < 1UL << order;
}

/* Returns 1 if the block at @page was taken; -ENOMEM if the zone has not one page to spare. */
static int block_isolate(struct memsuite_scan *scan, struct page *page,
			 struct memsuite_block *block)
{
	struct zone *zone = page_zone(page);
	unsigned long flags;
	unsigned int order;
	int taken = 0;

	spin_lock_irqsave(&zone->lock, flags);
	if (block_is_wanted(scan, page, &order) && !block_is_poisoned(page, order) &&
	    !block_is_left(page, order)) {
		if (!zone_has_spare(zone, 0, scan->lends)) {
			taken = -ENOMEM;
		} else if (zone_has_spare(zone, order, scan->lends) &&
			   memsuite_kcall_isolate_free_page(page, order)) {
			block->page = page;
			block->order = order;
			taken = 1;
		}
	}
	spin_unlock_irqrestore(&zone->lock, flags);
	return taken;
}

int memsuite_frames_isolate(struct memsuite_scan *scan, unsigned long budget,
			    struct memsuite_block *block)
{
	return memsuite_frames_isolate_within(scan, &budget, block);
}

/* Each frame of a block that is passed may have been asked for its bank. */
static void scan_pass(struct memsuite_scan *scan, struct page *page, unsigned long *budget)
{
	unsigned long frames = scan_step(scan, page);

	if (scan->banks)
		*budget -= min(*budget, frames - 1);
	scan->pfn += frames;
}

/* At a new pageblock. What only looks for some blocks cannot say that there is none. */
static void scan_skip_barren(struct memsuite_scan *scan)
{
	unsigned long next;

	if (!scan->barren)
		return;
	if (scan->orders == MEMSUITE_ANY_ORDER) {
		memsuite_barren_note(scan->barren, scan->vain_pfn, scan->pfn);
		scan->vain_pfn = max(scan->vain_pfn, ALIGN_DOWN(scan->pfn, pageblock_nr_pages));
	}
	if (scan->pfn >= scan->end)
		return;
	next = memsuite_barren_skip(scan->barren, scan->pfn);
	if (next != scan->pfn)
		memsuite_frames_go(scan, next);
}

int memsuite_frames_find(struct memsuite_scan *scan, unsigned long *budget, struct page **page)
{
	struct page *block = NULL;
	unsigned long first = 0, known_to = 0;
	unsigned int order;

	while (scan->pfn < scan->end) {
		if (!*budget)
			return -EAGAIN;
		(*budget)--;
		if (scan->pfn >= known_to) {
			scan_skip_barren(scan);
			if (scan->pfn >= scan->end)
				break;
			first = scan->pfn;
			known_to = ALIGN(first + 1, pageblock_nr_pages);
			block = pfn_to_online_page(first);
		}
		if (!block) {
			scan->pfn = known_to;
			continue;
		}
		*page = block + (scan->pfn - first);
		if (block_is_wanted(scan, *page, &order))
			return 0;
		scan_pass(scan, *page, budget);
	}
	scan_skip_barren(scan);
	return -ENOENT;
}

int memsuite_frames_isolate_within(struct memsuite_scan *scan, unsigned long *budget,
				   struct memsuite_block *block)
{
	struct page *page;
	int err, taken;

	while (!(err = memsuite_frames_find(scan, budget, &page))) {
		taken = block_isolate(scan, page, block);
		if (taken < 0)
			return taken;
		if (taken) {
			memsuite_frames_go(scan, scan->pfn + (1UL << block->order));
			return 0;
		}
		scan_pass(scan, page, budget);
	}
	return err;
}

void memsuite_frames_skip_zone(struct memsuite_scan *scan)
{
	struct zone *zone = page_zone(pfn_to_page(scan->pfn));

	scan->was_short = true;
	memsuite_frames_go(scan, max(scan->pfn + 1, zone_end_pfn(zone)));
}

void memsuite_frames_prepare(struct page *page, unsigned int order, bool zero)
{
	unsigned long i;

	/* Page owner allocates with these, and this may be an interrupt. */
	memsuite_kcall_post_alloc_hook(page, order,
				       (GFP_HIGHUSER_MOVABLE & ~__GFP_DIRECT_RECLAIM) |
				       (zero ? __GFP_ZERO : 0));
	/* Also where everything is to be cleared, init_on_alloc. */
	if (!MEMSUITE_POST_ALLOC_HOOK_CLEARS &&
	    want_init_on_alloc(zero ? __GFP_ZERO : 0))
		for (i = 0; i < 1UL << order; i++)
			clear_highpage(page + i);
	/*
	 * Up to 6.11 post_alloc_hook() has done so. Who looked the page up in the
	 * page cache before it was freed may hold it since, for a moment.
	 */
	if (!page_ref_count(page))
		set_page_count(page, 1);
}

void memsuite_frames_free(struct page *page, unsigned int order)
{
	unsigned long i;

	if (likely(!order || !frames_are_poisoned(page, order))) {
		memsuite_alloc_stats_free(page, order, __free_pages);
		return;
	}
	split_page(page, order);
	for (i = 0; i < 1UL << order; i++)
		memsuite_alloc_stats_free(page + i, 0, __free_pages);
}

void memsuite_frames_gather(void)
{
	static unsigned long next = INITIAL_JIFFIES;
	unsigned long due = READ_ONCE(next);

	if (time_before(jiffies, due) ||
	    cmpxchg(&next, due, jiffies + HZ) != due)
		return;
	memsuite_kcall_drain_all_pages(NULL);
}
EXPORT_SYMBOL_GPL(memsuite_frames_gather);
