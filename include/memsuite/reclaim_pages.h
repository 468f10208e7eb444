/* SPDX-License-Identifier: GPL-2.0-only */
/* Reclaiming pages that are in use: to swap, or to their files. */
#ifndef MEMSUITE_RECLAIM_PAGES_H
#define MEMSUITE_RECLAIM_PAGES_H

#include <linux/mm_types.h>

/* Pages that may be on their way out at a time. */
#define MEMSUITE_RECLAIM_MAX	1024

/**
 * struct memsuite_reclaim - pages that are being reclaimed
 * @pages: isolated; private
 * @nr: how many there are in @pfn
 * @pfn: frames of those that are written first: their pages are freed after that
 *
 * Zeroed, it is empty. The caller sees to it that it is used once at a time.
 */
struct memsuite_reclaim {
	struct list_head pages;
	unsigned int nr;
	unsigned long pfn[MEMSUITE_RECLAIM_MAX];
};

/**
 * memsuite_reclaim_usable() - whether the kernel has what the others need
 *
 * Return: if not, nothing else of this header may be called.
 */
bool memsuite_reclaim_usable(void);

/**
 * memsuite_reclaim_may_swap() - whether the administrator lets the kernel swap
 *
 * Context: may sleep; a kernel thread, for which /proc is the machine's.
 * Return: false: vm.swappiness is 0.
 */
bool memsuite_reclaim_may_swap(void);

/**
 * memsuite_reclaim_begin() - before pages are added
 * @reclaim: the pages on their way out
 *
 * Frees what has been written meanwhile. Context: may sleep.
 * Return: how many pages.
 */
unsigned long memsuite_reclaim_begin(struct memsuite_reclaim *reclaim);

/**
 * memsuite_reclaim_add() - take a page off the LRU, to reclaim it
 * @reclaim: after memsuite_reclaim_begin()
 * @page: of order 0, or the head of a large folio, which the caller keeps from
 *	being freed: by the lock of a page table that maps it
 *
 * Context: may be called under the lock of a page table.
 * Return: false if it cannot be had now: it is on no list or pinned, or too many
 * are on their way.
 */
bool memsuite_reclaim_add(struct memsuite_reclaim *reclaim, struct page *page);

/**
 * memsuite_reclaim_run() - reclaim the pages added
 * @reclaim: the pages on their way out
 *
 * What has to be written is unmapped, and freed by a later memsuite_reclaim_begin(). What
 * is in use again, or for which there is no swap space, stays. Context: may
 * sleep, and wait for a disk.
 * Return: pages freed, with those that were written before.
 */
unsigned long memsuite_reclaim_run(struct memsuite_reclaim *reclaim);

/**
 * memsuite_reclaim_wait() - wait until some of what is on its way has been written
 * @reclaim: after memsuite_reclaim_begin()
 * @room: for so many pages, up to MEMSUITE_RECLAIM_MAX
 *
 * Context: may sleep, and waits for a disk.
 */
void memsuite_reclaim_wait(struct memsuite_reclaim *reclaim, unsigned int room);

#endif
