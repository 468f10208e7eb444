// SPDX-License-Identifier: GPL-2.0-only
/* A clock hand goes over the pages of a target; clock_hand.h. */

#include <linux/mm.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <memsuite/page_map.h>
#include <memsuite/pagewalk.h>

#include "divide/clock_hand.h"
#include "target/target.h"
#include "track/young_notifier.h"
#include "track/young_shadow.h"

/* Pages looked at in one hold of mmap_lock. */
#define LOOKS_BATCH	2048

static bool hand_is_done(const struct mrc_clock_hand *h)
{
	return h->walk.left <= 0 || (h->batch && h->picked >= h->batch);
}

static void hand_enter(struct memsuite_walk *walk, unsigned long addr)
{
	struct mrc_clock_hand *h = container_of(walk, struct mrc_clock_hand, walk);

	walk->left--;
	h->tables++;
	if (h->fill_map)
		memsuite_page_map_make(&h->t->share.usage_map, addr,
				       GFP_NOWAIT | __GFP_NOWARN);
}

/* Under RCU, by which tables of usage are freed. */
static void hand_find_usage(struct mrc_clock_hand *h, unsigned long addr)
{
	h->usage = h->use_map ? memsuite_page_map_find(&h->t->share.usage_map, addr) : NULL;
}

static unsigned long hand_ptes(struct memsuite_walk *walk, pte_t *pte,
			       unsigned long addr, unsigned long end)
{
	struct mrc_clock_hand *h = container_of(walk, struct mrc_clock_hand, walk);

	hand_find_usage(h, addr);
	for (; addr < end && !hand_is_done(h); addr += PAGE_SIZE, pte++) {
		struct page *page = memsuite_walk_pte_page(READ_ONCE(*pte));

		if (page)
			h->see(h, page, addr, (unsigned long *)pte, 0);
	}
	walk->stop = hand_is_done(h);
	return addr;
}

static void hand_huge(struct memsuite_walk *walk, pmd_t *pmd, unsigned long addr,
		      unsigned long end)
{
	struct mrc_clock_hand *h = container_of(walk, struct mrc_clock_hand, walk);
	struct page *page = memsuite_walk_pmd_page(READ_ONCE(*pmd));

	hand_find_usage(h, addr);
	if (page)
		h->see(h, page, addr, (unsigned long *)pmd, PMD_SHIFT - PAGE_SHIFT);
	walk->stop = hand_is_done(h);
}

static const struct memsuite_walk_ops hand_ops = {
	.enter = hand_enter,
	.pte_range = hand_ptes,
	.huge_pmd = hand_huge,
};

/**
 * mrc_clock_hand_is_whole() - whether an entry maps all of a page
 * @page: that it maps
 * @order: of what it maps
 *
 * Large folios that are mapped page by page have more accessed bits than one.
 *
 * Return: whether it does.
 */
bool mrc_clock_hand_is_whole(struct page *page, unsigned int order)
{
	return page == compound_head(page) && memsuite_page_order(page) == order;
}

/**
 * mrc_clock_hand_usage() - the usage of a page; of a huge one, and behind it of its parts
 * @h: the hand, at this page
 * @addr: of the page
 *
 * Return: its byte of the usage map, or NULL if there was no memory for it.
 */
u8 *mrc_clock_hand_usage(const struct mrc_clock_hand *h, unsigned long addr)
{
	return h->usage ? h->usage + pte_index(addr) : NULL;
}

/**
 * mrc_clock_hand_take() - take the accessed bit of a page; the ladder hears of it
 * @h: the hand, at this page
 * @addr: of the page
 * @entry: of the page table
 * @order: of what it maps
 *
 * Return: whether it was touched.
 */
bool mrc_clock_hand_take(struct mrc_clock_hand *h, unsigned long addr, unsigned long *entry,
			 unsigned int order)
{
	bool young = READ_ONCE(*entry) & _PAGE_ACCESSED &&
		     test_and_clear_bit(_PAGE_BIT_ACCESSED, entry);

	young |= mrc_young_elsewhere(h->t, h->walk.mm, addr, PAGE_SIZE << order, true);
	return mrc_young_shadow_age(h->t, addr, young);
}

/**
 * mrc_clock_hand_go() - go on over the pages of a target
 * @h: the hand
 * @mm: the address space of its target
 * @at: where it is; 0 when the end has been reached
 *
 * Context: may sleep; one at a time for each @at.
 * Return: looks that were made; 0: mmap_lock could not be had.
 */
u64 mrc_clock_hand_go(struct mrc_clock_hand *h, struct mm_struct *mm, unsigned long *at)
{
	h->walk = (struct memsuite_walk) {
		.ops = &hand_ops,
		.mm = mm,
		.flags = MEMSUITE_WALK_EVICTABLE,
		.batch = LOOKS_BATCH,
		.addr = *at,
	};
	if (memsuite_walk_batch(&h->walk))
		return 0;
	*at = h->walk.addr;
	/* Where nothing is mapped there is nothing to look at. */
	return LOOKS_BATCH - max(h->walk.left, 0L) + 1;
}
