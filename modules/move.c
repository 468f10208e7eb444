// SPDX-License-Identifier: GPL-2.0-only
/* Moving pages that are in use; include/memsuite/move.h. */

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mm.h>

#include <memsuite/move.h>

#include "calls.h"

void ms_move_init(struct ms_move *move)
{
	INIT_LIST_HEAD(&move->pages);
	move->nr = 0;
}
EXPORT_SYMBOL_GPL(ms_move_init);

int ms_move_add(struct ms_move *move, struct page *page)
{
	if (PageCompound(page))
		return -EOPNOTSUPP;
	if (!PageLRU(page) || !ms_call_isolate_lru(page))
		return -EBUSY;
	/*
	 * The kernel counts isolated pages to throttle reclaim, and takes them
	 * off the count when it has moved them or put them back.
	 */
	mod_node_page_state(page_pgdat(page),
			    NR_ISOLATED_ANON + ms_page_is_file(page), 1);
	list_add_tail(&page->lru, &move->pages);
	move->nr++;
	return 0;
}
EXPORT_SYMBOL_GPL(ms_move_add);

static ms_migrate_unit *get_target(ms_migrate_unit *old, unsigned long private)
{
	struct ms_move *move = (struct ms_move *)private;
	struct page *page = move->target(ms_unit_page(old), move->context);

	return page ? ms_page_unit(page) : NULL;
}

static void put_target(ms_migrate_unit *unit, unsigned long private)
{
	struct ms_move *move = (struct ms_move *)private;

	move->unused(ms_unit_page(unit), move->context);
}

unsigned long ms_move_run(struct ms_move *move)
{
	unsigned long nr = move->nr;
	int left;

	if (!nr)
		return 0;
	left = ms_call_migrate_pages(&move->pages, get_target, put_target,
				     (unsigned long)move,
				     move->keep ? MR_MEMORY_FAILURE : MR_SYSCALL);
	if (!list_empty(&move->pages))
		ms_call_putback_movable_pages(&move->pages);
	ms_move_init(move);
	return left < 0 ? 0 : nr - left;
}
EXPORT_SYMBOL_GPL(ms_move_run);
