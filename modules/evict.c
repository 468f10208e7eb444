// SPDX-License-Identifier: GPL-2.0-only
/*
 * Evicting pages that are in use; include/memsuite/evict.h.
 *
 * What has been written stays in the swap cache until somebody looks for
 * memory, and then looks at everybody's. So such pages are kept in mind, and
 * freed here.
 */

#include <linux/blkdev.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mm.h>

#include <compat/page.h>
#include <memsuite/evict.h>

#include "calls.h"

bool ms_evict_usable(void)
{
	return ms_call_reclaim_there();
}
EXPORT_SYMBOL_GPL(ms_evict_usable);

static bool isolate(struct ms_evict *evict, struct page *page)
{
	if (!PageLRU(page) || !ms_call_isolate_lru(page))
		return false;
	list_add_tail(&page->lru, &evict->pages);
	return true;
}

/* What is written at once goes to neighbouring slots: one request, where there is a plug. */
static void reclaim(struct ms_evict *evict)
{
	struct blk_plug plug;

	if (list_empty(&evict->pages))
		return;
	blk_start_plug(&plug);
	ms_call_reclaim_pages(&evict->pages);
	blk_finish_plug(&plug);
}

void ms_evict_begin(struct ms_evict *evict)
{
	unsigned int i, left = 0;

	INIT_LIST_HEAD(&evict->pages);
	for (i = 0; i < evict->nr; i++) {
		struct page *page = evict->page[i];

		if (ms_page_writeback(page)) {
			evict->page[left++] = page;
			continue;
		}
		if (!ms_page_mapped(page))
			isolate(evict, page);
		put_page(page);
	}
	evict->nr = left;
	reclaim(evict);
}
EXPORT_SYMBOL_GPL(ms_evict_begin);

bool ms_evict_add(struct ms_evict *evict, struct page *page)
{
	if (evict->nr >= MS_EVICT_MAX || ms_page_pinned(page) ||
	    !isolate(evict, page))
		return false;
	/* A large one may have to be split, which takes all references. */
	if (!ms_page_order(page)) {
		get_page(page);
		evict->page[evict->nr++] = page;
	}
	return true;
}
EXPORT_SYMBOL_GPL(ms_evict_add);

void ms_evict_run(struct ms_evict *evict)
{
	reclaim(evict);
	ms_evict_begin(evict);
}
EXPORT_SYMBOL_GPL(ms_evict_run);

void ms_evict_wait(struct ms_evict *evict, unsigned int room)
{
	while (evict->nr > MS_EVICT_MAX - room) {
		ms_page_wait_writeback(evict->page[0]);
		ms_evict_begin(evict);
	}
}
EXPORT_SYMBOL_GPL(ms_evict_wait);

void ms_evict_drop(struct ms_evict *evict)
{
	while (evict->nr)
		put_page(evict->page[--evict->nr]);
}
EXPORT_SYMBOL_GPL(ms_evict_drop);
