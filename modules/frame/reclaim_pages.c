// SPDX-License-Identifier: GPL-2.0-only
/*
 * Evicting pages that are in use; include/memsuite/reclaim_pages.h.
 *
 * What has been written stays in the swap cache until somebody looks for
 * memory, and then looks at everybody's. So such pages are kept in mind, and
 * freed here: by their numbers, for the kernel writes and frees no page that
 * somebody else has a reference to.
 */

#include <linux/blkdev.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/string.h>

#include <compat/page.h>
#include <memsuite/reclaim_pages.h>

#include "kernel/text_file.h"
#include "kernel/unexported_calls.h"

bool memsuite_reclaim_usable(void)
{
	return memsuite_kcall_reclaim_there();
}
EXPORT_SYMBOL_GPL(memsuite_reclaim_usable);

bool memsuite_reclaim_may_swap(void)
{
	char text[8];

	return memsuite_text_file_read("/proc/sys/vm/swappiness", text, sizeof(text)) <= 0 ||
	       strcmp(text, "0\n");
}
EXPORT_SYMBOL_GPL(memsuite_reclaim_may_swap);

static bool reclaim_isolate(struct memsuite_reclaim *reclaim, struct page *page)
{
	/* Reclaim expects no unevictable ones. */
	if (!PageLRU(page) || memsuite_page_unevictable(page) ||
	    !memsuite_kcall_isolate_lru(page))
		return false;
	list_add_tail(&page->lru, &reclaim->pages);
	return true;
}

/* Marked, for what is in swap's cache and clean is taken for written. */
static void page_place_in_swap(struct page *page)
{
	if (!trylock_page(page))
		return;
	if (memsuite_page_anon(page) && memsuite_page_swap_backed(page) &&
	    PageUptodate(page) && !memsuite_page_in_swap_cache(page) &&
	    memsuite_kcall_add_to_swap(page))
		memsuite_page_mark_dirty(page);
	unlock_page(page);
}

/*
 * Pages get their places before the first is written: neighbouring ones, so that
 * they are one request, where there is a plug. Who writes may have to wait, and
 * others who reclaim take the next place meanwhile.
 */
static unsigned long reclaim_isolated(struct memsuite_reclaim *reclaim)
{
	struct blk_plug plug;
	unsigned long freed;
	struct page *page;

	if (list_empty(&reclaim->pages))
		return 0;
	list_for_each_entry(page, &reclaim->pages, lru)
		if (!memsuite_page_order(page))
			page_place_in_swap(page);
	blk_start_plug(&plug);
	freed = memsuite_kcall_reclaim_pages(&reclaim->pages);
	blk_finish_plug(&plug);
	return freed;
}

/* The page of a frame if it is on its way out still, with a reference. */
static struct page *reclaim_find(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);

	if (!page || !get_page_unless_zero(page))
		return NULL;
	/* The frame may be anybody's by now: what nobody maps and swap has is on its way out. */
	if (!PageCompound(page) && memsuite_page_swap_backed(page) &&
	    memsuite_page_in_swap_cache(page) && !memsuite_page_mapped(page))
		return page;
	put_page(page);
	return NULL;
}

unsigned long memsuite_reclaim_begin(struct memsuite_reclaim *reclaim)
{
	unsigned int i, left = 0;

	INIT_LIST_HEAD(&reclaim->pages);
	for (i = 0; i < reclaim->nr; i++) {
		struct page *page = reclaim_find(reclaim->pfn[i]);

		if (!page)
			continue;
		/* Off the LRU: not written yet, or with some CPU for a moment. */
		if (memsuite_page_writeback(page) || !reclaim_isolate(reclaim, page))
			reclaim->pfn[left++] = reclaim->pfn[i];
		put_page(page);
	}
	reclaim->nr = left;
	return reclaim_isolated(reclaim);
}
EXPORT_SYMBOL_GPL(memsuite_reclaim_begin);

bool memsuite_reclaim_add(struct memsuite_reclaim *reclaim, struct page *page)
{
	if (reclaim->nr >= MEMSUITE_RECLAIM_MAX || memsuite_page_pinned(page) ||
	    !reclaim_isolate(reclaim, page))
		return false;
	/* A large one is written in parts, or split. */
	if (!memsuite_page_order(page))
		reclaim->pfn[reclaim->nr++] = page_to_pfn(page);
	return true;
}
EXPORT_SYMBOL_GPL(memsuite_reclaim_add);

unsigned long memsuite_reclaim_run(struct memsuite_reclaim *reclaim)
{
	unsigned long freed = reclaim_isolated(reclaim);

	return freed + memsuite_reclaim_begin(reclaim);
}
EXPORT_SYMBOL_GPL(memsuite_reclaim_run);

void memsuite_reclaim_wait(struct memsuite_reclaim *reclaim, unsigned int room)
{
	unsigned int before;

	while (reclaim->nr > MEMSUITE_RECLAIM_MAX - room) {
		struct page *page = reclaim_find(reclaim->pfn[0]);

		if (page) {
			memsuite_page_wait_writeback(page);
			put_page(page);
		}
		before = reclaim->nr;
		memsuite_reclaim_begin(reclaim);
		/* What is neither written nor to be had is the kernel's. */
		if (reclaim->nr == before)
			reclaim->pfn[0] = reclaim->pfn[--reclaim->nr];
	}
}
EXPORT_SYMBOL_GPL(memsuite_reclaim_wait);
