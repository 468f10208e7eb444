/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking pages out of memory that are in use: to swap, or to their files. */
#ifndef MEMSUITE_EVICT_H
#define MEMSUITE_EVICT_H

#include <linux/mm_types.h>

/* Pages that may be on their way out at a time. */
#define MS_EVICT_MAX	1024

/**
 * struct ms_evict - pages on their way out
 * @pages: isolated; private
 * @nr: how many there are in @pfn
 * @pfn: frames of those that are written first: their pages are freed after that
 *
 * Zeroed, it is empty. The caller sees to it that it is used once at a time.
 */
struct ms_evict {
	struct list_head pages;
	unsigned int nr;
	unsigned long pfn[MS_EVICT_MAX];
};

/**
 * ms_evict_usable() - whether the kernel has what the others need
 */
bool ms_evict_usable(void);

/**
 * ms_evict_begin() - before pages are added
 * @evict: see there
 *
 * Frees what has been written meanwhile. Context: may sleep. Return: how many pages.
 */
unsigned long ms_evict_begin(struct ms_evict *evict);

/**
 * ms_evict_add() - take a page off the LRU, to evict it
 * @evict: after ms_evict_begin()
 * @page: of order 0, or the head of a large folio, which the caller keeps from
 *	being freed: by the lock of a page table that maps it
 *
 * Context: may be called under the lock of a page table.
 * Return: false if it cannot be had now: it is on no list or pinned, or too many
 * are on their way.
 */
bool ms_evict_add(struct ms_evict *evict, struct page *page);

/**
 * ms_evict_run() - evict the pages added
 * @evict: see there
 *
 * What has to be written is unmapped, and freed by a later ms_evict_begin(). What
 * is in use again, or for which there is no swap space, stays. Context: may
 * sleep, and wait for a disk. Return: pages freed, with those that were written before.
 */
unsigned long ms_evict_run(struct ms_evict *evict);

/**
 * ms_evict_wait() - wait until some of what is on its way has been written
 * @evict: after ms_evict_begin()
 * @room: for so many pages, up to MS_EVICT_MAX
 *
 * Context: may sleep, and waits for a disk.
 */
void ms_evict_wait(struct ms_evict *evict, unsigned int room);

#endif
