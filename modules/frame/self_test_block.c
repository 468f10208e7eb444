// SPDX-License-Identifier: GPL-2.0-only
/*
 * The self-test of taking free memory. A block is allocated, written to and freed, its buddy held
 * meanwhile: so there is a free block, known by its address and with contents that are not zero.
 * It is taken as the suite takes blocks, and looked at.
 */

#include <linux/kernel.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/page_ref.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/vmstat.h>

#include <compat/calls.h>
#include <compat/page.h>
#include <compat/zone.h>

#include "frame/buddy_isolate.h"
#include "frame/self_test_private.h"
#include "kernel/unexported_calls.h"

/* CPUs keep none so large in lists of their own; and several, none of them 0. */
#define LEAST_ORDER	(PAGE_ALLOC_COSTLY_ORDER + 1)
#define NR_ORDERS	3

/* A block that was just freed lies at an end of its list, but for what came since. */
#define LIST_STEPS	32

struct free_counts {
	long counted;	/* by the zone's counter */
	long listed;	/* by the length of its lists */
};

/* Under zone->lock. What other CPUs have yet to add is left out before and after. */
static void free_counts_read(struct zone *zone, struct free_counts *counts)
{
	unsigned int order;

	counts->counted = atomic_long_read(&zone->vm_stat[NR_FREE_PAGES]) +
			  memsuite_zone_uncounted_free(zone);
	counts->listed = 0;
	for (order = 0; order <= MEMSUITE_MAX_ORDER; order++)
		counts->listed += zone->free_area[order].nr_free << order;
}

/* Whether isolation has no reason to refuse. */
static bool zone_has_plenty(struct zone *zone, unsigned int order)
{
	unsigned long keep = high_wmark_pages(zone) + zone->nr_reserved_highatomic + (2UL << order);
	long reserve = 0;
	int i;

	for (i = 0; i < MAX_NR_ZONES; i++)
		reserve = max(reserve, zone->lowmem_reserve[i]);
	return zone_page_state(zone, NR_FREE_PAGES) > keep + reserve;
}

/* The type of the list that a free block is on; -1: that takes too long to find out. */
static int block_list_type(struct zone *zone, struct page *page, unsigned int order)
{
	const struct list_head *heads = zone->free_area[order].free_list;
	const struct list_head *next = page->lru.next, *prev = page->lru.prev;
	int i;

	for (i = 0; i < LIST_STEPS; i++) {
		if (next >= heads && next < heads + MIGRATE_TYPES)
			return next - heads;
		if (prev >= heads && prev < heads + MIGRATE_TYPES)
			return prev - heads;
		next = next->next;
		prev = prev->prev;
	}
	return -1;
}

/* A block that is freed goes to the list of its pageblock's type. */
static int block_check_type(struct memsuite_self_test_finding *finding, struct zone *zone,
			    struct page *page, unsigned int order)
{
	int type = block_list_type(zone, page, order);

	if (type < 0)
		return -EAGAIN;
	return memsuite_self_test_expect(finding, MEMSUITE_MIGRATETYPE_SYMBOL, "migratetype",
					 memsuite_kcall_migratetype(page), type);
}

static int block_check_isolation(struct memsuite_self_test_finding *finding, struct zone *zone,
				 struct page *page, unsigned int order)
{
	static const char function[] = "__isolate_free_page";
	struct free_counts before, after;
	bool done;

	free_counts_read(zone, &before);
	done = memsuite_kcall_isolate_free_page(page, order);
	free_counts_read(zone, &after);
	return memsuite_self_test_expect(finding, function, "says that it took the block",
					 done, !PageBuddy(page)) ?:
	       memsuite_self_test_expect(finding, function, "takes a free block",
					 done, true) ?:
	       memsuite_self_test_expect(finding, function, "free pages off the lists",
					 before.listed - after.listed, 1L << order) ?:
	       memsuite_self_test_expect(finding, function, "free pages off the count",
					 before.counted - after.counted, 1L << order);
}

/* Sets *@taken if the block is no free one any more. */
static int block_take(struct memsuite_self_test_finding *finding, struct page *page,
		      unsigned int order, bool *taken)
{
	struct zone *zone = page_zone(page);
	unsigned long flags;
	int err = -EAGAIN;

	*taken = false;
	spin_lock_irqsave(&zone->lock, flags);
	if (PageBuddy(page) && page_private(page) == order && zone_has_plenty(zone, order)) {
		err = block_check_type(finding, zone, page, order) ?:
		      block_check_isolation(finding, zone, page, order);
		*taken = !PageBuddy(page);
	}
	spin_unlock_irqrestore(&zone->lock, flags);
	return err;
}

/* Writes to each page, at another place. */
static void block_write(struct page *page, unsigned int order)
{
	u64 *words = page_address(page);
	unsigned long i;

	for (i = 0; i < 1UL << order; i++)
		words[i * (PAGE_SIZE / sizeof(*words)) + i] = ~i;
}

static long block_other_references(struct page *page, unsigned int order)
{
	unsigned long i;
	long references = 0;

	for (i = 1; i < 1UL << order; i++)
		references += page_ref_count(page + i);
	return references;
}

static int block_check_allocated(struct memsuite_self_test_finding *finding, struct page *page,
				 unsigned int order)
{
	static const char function[] = "post_alloc_hook";

	return memsuite_self_test_expect(finding, function, "references to the first page",
					 page_ref_count(page), 1) ?:
	       memsuite_self_test_expect(finding, function, "references to the other pages",
					 block_other_references(page, order), 0) ?:
	       memsuite_self_test_expect(finding, function, "pages with somebody's data",
					 page_private(page) || page->mapping, 0) ?:
	       memsuite_self_test_expect(finding, function, "clears all pages",
					 !memchr_inv(page_address(page), 0, PAGE_SIZE << order), 1);
}

static int block_check_large(struct memsuite_self_test_finding *finding, struct page *page,
			     unsigned int order)
{
	static const char function[] = "prep_compound_page";

	return memsuite_self_test_expect(finding, function, "order of the page",
					 memsuite_page_order(page), order) ?:
	       memsuite_self_test_expect(finding, function, "the last page is a part of it",
					 compound_head(page + (1UL << order) - 1) == page, true) ?:
	       memsuite_self_test_expect(finding, function, "references",
					 page_ref_count(page), 1);
}

/* A block that is free. */
static int block_check(struct memsuite_self_test_finding *finding, struct page *page,
		       unsigned int order)
{
	bool taken;
	int err = block_take(finding, page, order, &taken);

	if (!taken)
		return err;
	memsuite_frames_prepare(page, order, true);
	if (!err)
		err = block_check_allocated(finding, page, order);
	if (err) {
		__free_pages(page, order);
		return err;
	}
	memsuite_kcall_make_large(page, order);
	err = block_check_large(finding, page, order);
	put_page(page);
	return err;
}

int memsuite_self_test_block(struct memsuite_self_test_finding *finding, int attempt)
{
	unsigned int order = LEAST_ORDER + attempt % NR_ORDERS;
	struct page *page = alloc_pages(MEMSUITE_SELF_TEST_GFP, order);
	struct page *buddy, *held = NULL;
	int err;

	if (!page)
		return -EAGAIN;
	block_write(page, order);
	buddy = pfn_to_online_page(page_to_pfn(page) ^ (1UL << order));
	/* What was cut off for the first block is the next to be handed out. */
	if (buddy && PageBuddy(buddy))
		held = alloc_pages(MEMSUITE_SELF_TEST_GFP, order);
	__free_pages(page, order);
	err = block_check(finding, page, order);
	if (held)
		__free_pages(held, order);
	return err;
}
