// SPDX-License-Identifier: GPL-2.0-only
/* Which pageblocks have nothing to take; barren.h. */

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmzone.h>

#include <compat/compat.h>

#include "frame/barren.h"

int memsuite_barren_init(struct memsuite_barren *barren, unsigned long start_pfn,
			 unsigned long end_pfn)
{
	barren->start_pfn = start_pfn;
	barren->end_pfn = end_pfn;
	barren->first = start_pfn >> pageblock_order;
	barren->nr = DIV_ROUND_UP(end_pfn, pageblock_nr_pages) - barren->first;
	barren->again = 0;
	barren->again_head = 0;
	barren->bits = kvcalloc(BITS_TO_LONGS(barren->nr), sizeof(long), GFP_KERNEL);
	return barren->bits ? 0 : -ENOMEM;
}

void memsuite_barren_exit(struct memsuite_barren *barren)
{
	kvfree(barren->bits);
}

unsigned long memsuite_barren_skip(const struct memsuite_barren *barren, unsigned long pfn)
{
	unsigned long block = (pfn >> pageblock_order) - barren->first;

	if (likely(!test_bit(block, barren->bits)))
		return pfn;
	block = find_next_zero_bit(barren->bits, barren->nr, block);
	return min((barren->first + block) << pageblock_order, barren->end_pfn);
}

/* The range's own ends may lie within a pageblock. */
void memsuite_barren_note(struct memsuite_barren *barren, unsigned long from, unsigned long to)
{
	unsigned long block, end;

	block = from <= barren->start_pfn ? barren->first :
					    DIV_ROUND_UP(from, pageblock_nr_pages);
	end = to >= barren->end_pfn ? barren->first + barren->nr : to >> pageblock_order;
	for (; block < end; block++)
		set_bit(block - barren->first, barren->bits);
}

void memsuite_barren_forget(struct memsuite_barren *barren)
{
	bitmap_zero(barren->bits, barren->nr);
}

/* The next barren one from *@at on, which moves on behind it; false, once, at the end. */
static bool next_barren(const struct memsuite_barren *barren, unsigned long *at,
			unsigned long *block)
{
	*block = find_next_bit(barren->bits, barren->nr, READ_ONCE(*at));
	WRITE_ONCE(*at, *block < barren->nr ? *block + 1 : 0);
	return *block < barren->nr;
}

/* Part of a free block that is as large or larger, as far as can be told without a lock. */
static bool block_is_free(struct memsuite_barren *barren, unsigned long block)
{
	unsigned long pfn = (barren->first + block) << pageblock_order, head;
	unsigned int order;
	struct page *page;

	for (order = pageblock_order; order <= MEMSUITE_MAX_ORDER; order++) {
		head = ALIGN_DOWN(pfn, 1UL << order);
		page = pfn_to_online_page(head);
		if (page && PageBuddy(page) && READ_ONCE(page->private) >= order)
			return true;
	}
	return false;
}

void memsuite_barren_look_again(struct memsuite_barren *barren, unsigned int nr,
				unsigned int nr_heads)
{
	unsigned long block;

	while (nr-- && next_barren(barren, &barren->again, &block))
		clear_bit(block, barren->bits);
	while (nr_heads-- && next_barren(barren, &barren->again_head, &block))
		if (block_is_free(barren, block))
			clear_bit(block, barren->bits);
}

static void peek_block(struct memsuite_barren *barren, struct page *page, unsigned int order)
{
	unsigned long pfn = page_to_pfn(page), end = pfn + (1UL << order);

	for (; pfn < end; pfn += pageblock_nr_pages)
		if (pfn >= barren->start_pfn && pfn < barren->end_pfn)
			clear_bit((pfn >> pageblock_order) - barren->first, barren->bits);
}

/* Most of what is freed comes first in a list, and what may soon be part of a larger block last. */
static void peek_list(struct memsuite_barren *barren, struct list_head *list, unsigned int order,
		      int blocks)
{
	struct page *page;
	int left = blocks;

	list_for_each_entry(page, list, lru) {
		if (!left--)
			break;
		peek_block(barren, page, order);
	}
	left = blocks;
	list_for_each_entry_reverse(page, list, lru) {
		if (!left--)
			break;
		peek_block(barren, page, order);
	}
}

/* Most lists of a zone that is full are empty: these are left alone, without its lock. */
static void peek_zone(struct memsuite_barren *barren, struct zone *zone, int blocks)
{
	unsigned int order, type;
	struct list_head *list;
	unsigned long flags;

	for (order = 0; order <= MEMSUITE_MAX_ORDER; order++)
		for (type = 0; type < MIGRATE_PCPTYPES; type++) {
			list = &zone->free_area[order].free_list[type];
			if (list_empty(list))
				continue;
			spin_lock_irqsave(&zone->lock, flags);
			peek_list(barren, list, order, blocks);
			spin_unlock_irqrestore(&zone->lock, flags);
		}
}

void memsuite_barren_peek(struct memsuite_barren *barren, int blocks)
{
	struct zone *zone;
	int nid, i;

	for_each_online_node(nid)
		for (i = 0; i < MAX_NR_ZONES; i++) {
			zone = &NODE_DATA(nid)->node_zones[i];
			if (populated_zone(zone) && zone->zone_start_pfn < barren->end_pfn &&
			    zone_end_pfn(zone) > barren->start_pfn)
				peek_zone(barren, zone, blocks);
		}
}
