// SPDX-License-Identifier: GPL-2.0-only
/* Moving pages that are in use; include/memsuite/migrate.h. */

#include <linux/export.h>
#include <linux/list.h>
#include <linux/mm.h>

#include <compat/page.h>
#include <memsuite/migrate.h>

#include "kernel/kcalls.h"

void ms_move_init(struct ms_move *move,
		  struct page *(*target)(struct page *old, void *context),
		  void *context)
{
	*move = (struct ms_move) { .target = target, .context = context };
	INIT_LIST_HEAD(&move->pages);
}
EXPORT_SYMBOL_GPL(ms_move_init);

void ms_move_settle(void)
{
	ms_call_lru_add_drain_all();
}
EXPORT_SYMBOL_GPL(ms_move_settle);

bool ms_move_add(struct ms_move *move, struct page *page)
{
	unsigned long nr = 1UL << ms_page_order(page);

	/* Isolation and unmapping would be in vain. */
	if (ms_page_pinned(page)) {
		move->outcome[MS_MOVE_PINNED] += nr;
		return false;
	}
	/* Whoever reads or writes it may wait for a disk, or a server, for long. */
	if (!move->keep && (PageLocked(page) || PageWriteback(page))) {
		move->outcome[MS_MOVE_BUSY] += nr;
		return false;
	}
	if (!PageLRU(page) || !ms_call_isolate_lru(page)) {
		move->outcome[MS_MOVE_BUSY] += nr;
		return false;
	}
	/*
	 * The kernel counts isolated pages to throttle reclaim, and takes them
	 * off the count when it has moved them or put them back.
	 */
	mod_node_page_state(page_pgdat(page),
			    NR_ISOLATED_ANON + ms_page_is_file(page), nr);
	list_add_tail(&page->lru, &move->pages);
	move->nr += nr;
	return true;
}
EXPORT_SYMBOL_GPL(ms_move_add);

static ms_migrate_unit *get_target(ms_migrate_unit *old, unsigned long private)
{
	struct ms_move *move = (struct ms_move *)private;
	unsigned int order = ms_page_order(ms_unit_page(old));
	struct page *page = move->target(ms_unit_page(old), move->context);

	if (!page) {
		move->full |= !order;
		return NULL;
	}
	move->used += 1UL << order;
	return ms_page_unit(page);
}

static void put_target(ms_migrate_unit *unit, unsigned long private)
{
	struct ms_move *move = (struct ms_move *)private;
	struct page *page = ms_unit_page(unit);

	move->used -= 1UL << ms_page_order(page);
	put_page(page);
}

/*
 * With large folios, the results of migrate_pages() mean something else on
 * each kernel; the targets that were used do not.
 */
unsigned long ms_move_run(struct ms_move *move)
{
	unsigned long nr = move->nr, left = 0;
	struct page *page;
	int failed;

	if (!nr)
		return 0;
	move->used = 0;
	move->full = false;
	failed = ms_call_migrate_pages(&move->pages, get_target, put_target,
				       (unsigned long)move,
				       move->keep ? MIGRATE_SYNC :
						    MIGRATE_SYNC_LIGHT,
				       move->keep ? MR_MEMORY_FAILURE :
						    MR_SYSCALL);
	list_for_each_entry(page, &move->pages, lru)
		left += 1UL << ms_page_order(page);
	move->outcome[MS_MOVED] += move->used;
	move->outcome[move->full ? MS_MOVE_FULL : MS_MOVE_BUSY] += left;
	move->outcome[MS_MOVE_GONE] += nr - move->used - left;
	if (left)
		ms_call_putback_movable_pages(&move->pages);
	INIT_LIST_HEAD(&move->pages);
	move->nr = 0;
	return failed < 0 ? 0 : nr - failed;
}
EXPORT_SYMBOL_GPL(ms_move_run);

struct page *ms_page_alloc_large(unsigned int order, int nid)
{
	struct page *page = ms_alloc_large((GFP_TRANSHUGE_LIGHT &
					    ~__GFP_RECLAIM) | __GFP_THISNODE,
					   order, nid);

	if (page)
		ms_call_prep_large(page);
	return page;
}
EXPORT_SYMBOL_GPL(ms_page_alloc_large);
