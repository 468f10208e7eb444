// SPDX-License-Identifier: GPL-2.0-only
/* Moving pages that are in use; include/memsuite/migrate.h. */

#include <linux/export.h>
#include <linux/list.h>
#include <linux/mm.h>

#include <compat/page.h>
#include <memsuite/migrate.h>

#include "kernel/unexported_calls.h"

void memsuite_migrate_init(struct memsuite_migrate *migrate,
			   struct page *(*target)(struct page *old, void *context),
			   void *context)
{
	*migrate = (struct memsuite_migrate) { .target = target, .context = context };
	INIT_LIST_HEAD(&migrate->pages);
}
EXPORT_SYMBOL_GPL(memsuite_migrate_init);

void memsuite_migrate_settle(void)
{
	memsuite_kcall_lru_add_drain_all();
}
EXPORT_SYMBOL_GPL(memsuite_migrate_settle);

bool memsuite_migrate_add(struct memsuite_migrate *migrate, struct page *page)
{
	unsigned long nr = 1UL << memsuite_page_order(page);

	/* Isolation and unmapping would be in vain. */
	if (memsuite_page_pinned(page)) {
		migrate->outcome[MEMSUITE_MIGRATE_PINNED] += nr;
		return false;
	}
	/* Whoever reads or writes it may wait for a disk, or a server, for long. */
	if (!migrate->keep && (PageLocked(page) || PageWriteback(page))) {
		migrate->outcome[MEMSUITE_MIGRATE_BUSY] += nr;
		return false;
	}
	if (!PageLRU(page) || !memsuite_kcall_isolate_lru(page)) {
		migrate->outcome[MEMSUITE_MIGRATE_BUSY] += nr;
		return false;
	}
	/*
	 * The kernel counts isolated pages to throttle reclaim, and takes them
	 * off the count when it has moved them or put them back.
	 */
	mod_node_page_state(page_pgdat(page),
			    NR_ISOLATED_ANON + memsuite_page_is_file(page), nr);
	list_add_tail(&page->lru, &migrate->pages);
	migrate->nr += nr;
	return true;
}
EXPORT_SYMBOL_GPL(memsuite_migrate_add);

static memsuite_migrate_unit *migrate_get_target(memsuite_migrate_unit *old, unsigned long private)
{
	struct memsuite_migrate *migrate = (struct memsuite_migrate *)private;
	unsigned int order = memsuite_page_order(memsuite_unit_page(old));
	struct page *page = migrate->target(memsuite_unit_page(old), migrate->context);

	if (!page) {
		migrate->full |= !order;
		return NULL;
	}
	migrate->used += 1UL << order;
	return memsuite_page_unit(page);
}

static void migrate_put_target(memsuite_migrate_unit *unit, unsigned long private)
{
	struct memsuite_migrate *migrate = (struct memsuite_migrate *)private;
	struct page *page = memsuite_unit_page(unit);

	migrate->used -= 1UL << memsuite_page_order(page);
	if (migrate->put && !memsuite_page_order(page))
		migrate->put(page, migrate->context);
	else
		put_page(page);
}

/*
 * With large folios, the results of migrate_pages() mean something else on
 * each kernel; the targets that were used do not.
 */
unsigned long memsuite_migrate_run(struct memsuite_migrate *migrate)
{
	unsigned long nr = migrate->nr, left = 0;
	struct page *page;
	int failed;

	if (!nr)
		return 0;
	migrate->used = 0;
	migrate->full = false;
	failed = memsuite_kcall_migrate_pages(&migrate->pages, migrate_get_target,
					      migrate_put_target, (unsigned long)migrate,
					      migrate->keep ? MIGRATE_SYNC :
						    MIGRATE_SYNC_LIGHT,
					      migrate->keep ? MR_MEMORY_FAILURE :
						    MR_SYSCALL);
	list_for_each_entry(page, &migrate->pages, lru)
		left += 1UL << memsuite_page_order(page);
	migrate->outcome[MEMSUITE_MIGRATED] += migrate->used;
	migrate->outcome[migrate->full ? MEMSUITE_MIGRATE_FULL : MEMSUITE_MIGRATE_BUSY] += left;
	migrate->outcome[MEMSUITE_MIGRATE_GONE] += nr - migrate->used - left;
	if (left)
		memsuite_kcall_putback_movable_pages(&migrate->pages);
	INIT_LIST_HEAD(&migrate->pages);
	migrate->nr = 0;
	return failed < 0 ? 0 : nr - failed;
}
EXPORT_SYMBOL_GPL(memsuite_migrate_run);

struct page *memsuite_page_alloc_small(int nid)
{
	return alloc_pages_node(nid, (GFP_HIGHUSER_MOVABLE & ~__GFP_RECLAIM) | __GFP_THISNODE |
				__GFP_NOWARN, 0);
}
EXPORT_SYMBOL_GPL(memsuite_page_alloc_small);

struct page *memsuite_page_alloc_large(unsigned int order, int nid, bool compact)
{
	gfp_t gfp = (compact ? GFP_TRANSHUGE : GFP_TRANSHUGE_LIGHT & ~__GFP_RECLAIM) |
		    __GFP_THISNODE;
	struct page *page = memsuite_alloc_large(gfp, order, nid);

	if (page)
		memsuite_kcall_prep_large(page);
	return page;
}
EXPORT_SYMBOL_GPL(memsuite_page_alloc_large);
