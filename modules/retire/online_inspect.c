// SPDX-License-Identifier: GPL-2.0-only
/* Memory that comes online; include/memsuite/online_inspect.h. */

#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/page_ref.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <compat/hotplug.h>
#include <memsuite/block.h>
#include <memsuite/online_inspect.h>

#include "frame/alloc_stats_private.h"
#include "frame/hwpoison.h"
#include "retire/online_inspect_private.h"

static void (*inspector)(unsigned long pfn, unsigned long nr,
			 unsigned long *bad);
static DECLARE_BITMAP(bad, 1UL << MEMSUITE_MAX_ORDER);	/* hotplug is serial */
static LIST_HEAD(rejected);
static DEFINE_SPINLOCK(rejected_lock);

static void hotplug_retire_rejected(struct work_struct *unused)
{
	struct page *page;

	for (;;) {
		spin_lock(&rejected_lock);
		page = list_first_entry_or_null(&rejected, struct page, lru);
		if (page)
			list_del_init(&page->lru);
		spin_unlock(&rejected_lock);
		if (!page)
			break;
		memsuite_hwpoison_set(page);
	}
}

static DECLARE_WORK(retire_work, hotplug_retire_rejected);

/* Not earlier: memory_failure() wants the memory to be online. */
void memsuite_online_inspect_retire(void)
{
	if (!list_empty_careful(&rejected))
		schedule_work(&retire_work);
}

void memsuite_online_inspect_flush(void)
{
	flush_work(&retire_work);
}

/* As the kernel does with a page that it onlines, but for giving it away. */
static void page_reject(struct page *page)
{
	ClearPageReserved(page);
	if (PageOffline(page))
		__ClearPageOffline(page);
	set_page_count(page, 1);
	adjust_managed_page_count(page, 1);
	spin_lock(&rejected_lock);
	list_add_tail(&page->lru, &rejected);
	spin_unlock(&rejected_lock);
}

static void hotplug_online_page(struct page *page, unsigned int order)
{
	unsigned long nr = 1UL << order, i;

	bitmap_zero(bad, nr);
	inspector(page_to_pfn(page), nr, bad);
	if (bitmap_empty(bad, nr)) {
		memsuite_alloc_stats_free(page, order, generic_online_page);
		return;
	}
	for (i = 0; i < nr; i++) {
		if (test_bit(i, bad))
			page_reject(page + i);
		else
			memsuite_alloc_stats_free(page + i, 0, generic_online_page);
	}
}

int memsuite_online_inspect_start(void (*inspect)(unsigned long pfn, unsigned long nr,
						  unsigned long *bad))
{
	if (debug_pagealloc_enabled() || !IS_ENABLED(CONFIG_MEMORY_HOTPLUG))
		return -EOPNOTSUPP;
	/* Whoever is there before us has an inspector, or none of ours. */
	if (cmpxchg(&inspector, NULL, inspect))
		return -EBUSY;
	if (set_online_page_callback(hotplug_online_page)) {
		WRITE_ONCE(inspector, NULL);
		return -EBUSY;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_online_inspect_start);

void memsuite_online_inspect_stop(void)
{
	/* Waits for memory that is being onlined; it is online then. */
	restore_online_page_callback(hotplug_online_page);
	memsuite_online_inspect_flush();
	WRITE_ONCE(inspector, NULL);
}
EXPORT_SYMBOL_GPL(memsuite_online_inspect_stop);
