/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving the contents of pages that are in use to other pages. */
#ifndef MEMSUITE_MIGRATE_H
#define MEMSUITE_MIGRATE_H

#include <linux/mm_types.h>

/**
 * enum memsuite_migrate_outcome - what became of a page that was to be moved
 * @MEMSUITE_MIGRATED: it lies in another place now
 * @MEMSUITE_MIGRATE_BUSY: off the LRU lists, being written, or held by somebody
 * @MEMSUITE_MIGRATE_PINNED: pinned for direct memory access
 * @MEMSUITE_MIGRATE_FULL: there was no page to move it to
 * @MEMSUITE_MIGRATE_GONE: freed meanwhile; on 5.10 also what its file system refused
 * @MEMSUITE_NR_MIGRATE_OUTCOMES: how many there are
 */
enum memsuite_migrate_outcome {
	MEMSUITE_MIGRATED,
	MEMSUITE_MIGRATE_BUSY,
	MEMSUITE_MIGRATE_PINNED,
	MEMSUITE_MIGRATE_FULL,
	MEMSUITE_MIGRATE_GONE,
	MEMSUITE_NR_MIGRATE_OUTCOMES,
};

/**
 * struct memsuite_migrate - pages on their way to another place
 * @pages: isolated pages; private
 * @nr: number of them; private
 * @used: targets handed out and not taken back; private
 * @full: there was no target for a page of order 0; private
 * @target: gives the new page for @old, of the same order, not on any list,
 *	with a reference count of 1, or NULL; may sleep. A large folio for
 *	which there is no target is split, and its pages are asked for one by
 *	one.
 * @put: takes a target of order 0 back, as it was given, for which there was no use yet: the kernel
 *	tries again, and asks anew; NULL: it is freed. With pages locked
 * @context: for @target and @put
 * @keep: a page of order 0 that was moved away from is not freed: it stays with
 *	the caller, with a reference count of 1
 * @outcome: pages by what became of them, since memsuite_migrate_init()
 */
struct memsuite_migrate {
	struct list_head pages;
	unsigned long nr;
	unsigned long used;
	bool full;
	struct page *(*target)(struct page *old, void *context);
	void (*put)(struct page *page, void *context);
	void *context;
	bool keep;
	u64 outcome[MEMSUITE_NR_MIGRATE_OUTCOMES];
};

/**
 * memsuite_migrate_init() - begin to move pages
 * @migrate: what is kept of it
 * @target: see struct memsuite_migrate
 * @context: for @target
 */
void memsuite_migrate_init(struct memsuite_migrate *migrate,
			   struct page *(*target)(struct page *old, void *context),
			   void *context);

/**
 * memsuite_migrate_settle() - have all CPUs let go of pages for the LRU lists
 *
 * A page that was faulted in lately is on no LRU list until its CPU has some
 * more of them, and cannot be moved before. Disturbs every CPU.
 *
 * Context: may sleep.
 */
void memsuite_migrate_settle(void);

/**
 * memsuite_migrate_add() - take a page that is in use off the LRU
 * @migrate: where to; takes account of a page that cannot be had
 * @page: a page of order 0 or the head of a large folio; the caller holds a
 *	reference, and drops it before memsuite_migrate_run()
 *
 * A large folio is best run by itself: if it can be neither moved nor split,
 * others of its batch stay as well.
 *
 * Context: may sleep.
 * Return: whether it will be moved by memsuite_migrate_run().
 */
bool memsuite_migrate_add(struct memsuite_migrate *migrate, struct page *page);

/**
 * memsuite_migrate_run() - move the contents of the pages added
 * @migrate: no page is left in it on return; takes account of each
 *
 * What could not be moved stays where it was.
 *
 * Context: may sleep, and wait for page locks and writeback.
 * Return: number of pages, if all are of order 0, that are in use no more:
 * moved, or freed meanwhile.
 */
unsigned long memsuite_migrate_run(struct memsuite_migrate *migrate);

/* A target of order 0 as the kernel gives it, without reclaim, of that node and no other; NULL. */
struct page *memsuite_page_alloc_small(int nid);

/**
 * memsuite_page_alloc_large() - allocate the target for a large folio
 * @order: 2 at least
 * @nid: node, and no other
 * @compact: if there is none, try to make room, as a huge page is made for a program that
 *	asks for it by madvise(2); else without reclaim
 *
 * Context: may sleep.
 * Return: the head of a folio that may be mapped in parts, or NULL.
 */
struct page *memsuite_page_alloc_large(unsigned int order, int nid, bool compact);

#endif
