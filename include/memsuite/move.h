/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that is in use: moving its contents elsewhere, and claiming whole
 * ranges.
 */
#ifndef MEMSUITE_MOVE_H
#define MEMSUITE_MOVE_H

#include <linux/mm_types.h>

/**
 * struct ms_move - a batch of pages on its way to another place
 * @pages: isolated pages; private
 * @nr: number of them
 * @target: gives the new page for @old, with a reference count of 1, or NULL;
 *	may sleep
 * @unused: takes back a page from @target that was not needed
 * @context: for @target and @unused
 * @keep: a page that was moved away from is not freed: it stays with the
 *	caller, with a reference count of 1
 */
struct ms_move {
	struct list_head pages;
	unsigned long nr;
	struct page *(*target)(struct page *old, void *context);
	void (*unused)(struct page *page, void *context);
	void *context;
	bool keep;
};

/**
 * ms_move_init() - begin a batch
 * @move: the batch
 */
void ms_move_init(struct ms_move *move);

/**
 * ms_move_add() - take a page that is in use off the LRU
 * @move: the batch
 * @page: a page of order 0; the caller holds a reference, and keeps it
 *
 * Context: may sleep.
 * Return: 0; -EBUSY (not on the LRU: in somebody's hands, or kernel memory);
 * -EOPNOTSUPP (part of a larger folio).
 */
int ms_move_add(struct ms_move *move, struct page *page);

/**
 * ms_move_run() - move the contents of the batch
 * @move: the batch; empty again on return
 *
 * What could not be moved (pinned, dirty and busy, no target) stays where it
 * was. The caller drops its own references to the pages before.
 *
 * Context: may sleep.
 * Return: number of pages moved.
 */
unsigned long ms_move_run(struct ms_move *move);

/**
 * ms_range_claim() - take a whole range out of use
 * @start_pfn: first frame, a multiple of the pageblock size
 * @end_pfn: first frame behind the range, likewise
 *
 * Moves what is in use; drops clean page cache instead of moving it. For use
 * on demand: it drains every CPU. Claimed pages have a reference count of 1
 * and are given back with ms_range_release().
 *
 * Context: may sleep.
 * Return: 0; -EINVAL (not aligned, not online, more than a zone); -EBUSY
 * (something in the range cannot be moved: kernel memory, a retired or a
 * pinned page).
 */
int ms_range_claim(unsigned long start_pfn, unsigned long end_pfn);

/**
 * ms_range_release() - give a claimed range back but for its bad pages
 * @start_pfn: as for ms_range_claim()
 * @end_pfn: as for ms_range_claim()
 * @bad: bitmap of bad pages, or NULL; they are retired
 *
 * Context: may sleep.
 */
void ms_range_release(unsigned long start_pfn, unsigned long end_pfn,
		      const unsigned long *bad);

#endif
