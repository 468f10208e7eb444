/* SPDX-License-Identifier: GPL-2.0-only */
/* Free page frames, below the level of blocks: for block.c and pools. */
#ifndef MEMSUITE_FRAME_BUDDY_ISOLATE_H
#define MEMSUITE_FRAME_BUDDY_ISOLATE_H

#include <memsuite/block.h>

/* Have a walk go on somewhere else. Context: any. */
static inline void memsuite_frames_go(struct memsuite_scan *scan, unsigned long pfn)
{
	scan->pfn = pfn;
	scan->vain_pfn = pfn;
}

/**
 * memsuite_frames_isolate() - take one free block out of the buddy lists, bare
 * @scan: where to look
 * @budget: page frames to look at before giving up
 * @block: what was taken, its reference count 0, its contents not to be
 *	touched before memsuite_frames_prepare()
 *
 * Context: takes the zone's lock: where the kernel may allocate.
 * Return: 0; -ENOENT (end of range); -EAGAIN (budget used up); -ENOMEM (the
 * zone is short of memory).
 */
int memsuite_frames_isolate(struct memsuite_scan *scan, unsigned long budget,
			    struct memsuite_block *block);

/* The same; @budget is made what is left of it. */
int memsuite_frames_isolate_within(struct memsuite_scan *scan, unsigned long *budget,
				   struct memsuite_block *block);

/**
 * memsuite_frames_find() - walk on to a free block that is wanted
 * @scan: where to look; stands at the block on return
 * @budget: page frames to look at before giving up; made what is left of it
 * @page: its first page, as far as can be told without the zone's lock
 *
 * Context: any.
 * Return: 0; -ENOENT (end of range); -EAGAIN (budget used up).
 */
int memsuite_frames_find(struct memsuite_scan *scan, unsigned long *budget, struct page **page);

/**
 * memsuite_frames_withhold() - from now on, all zones are short of memory
 * @on: if not, as much as they are
 *
 * Who is taking a block at the moment may still get it.
 *
 * Context: any.
 */
void memsuite_frames_withhold(bool on);

/**
 * memsuite_frames_leave() - leave a frame to the kernel, which is to take it out of use
 * @pfn: it; ULONG_MAX: none any more
 *
 * Context: any; one at a time.
 */
void memsuite_frames_leave(unsigned long pfn);

/**
 * memsuite_frames_skip_zone() - go on behind a zone that is short of memory
 * @scan: for which memsuite_frames_isolate() returned -ENOMEM
 *
 * Context: any.
 */
void memsuite_frames_skip_zone(struct memsuite_scan *scan);

/**
 * memsuite_frames_prepare() - make isolated frames an allocated block
 * @page: first page of 2^@order that memsuite_frames_isolate() took
 * @order: may be smaller than what was isolated: a bare block can be cut up
 * @zero: clear them
 *
 * Context: any.
 */
void memsuite_frames_prepare(struct page *page, unsigned int order, bool zero);

/**
 * memsuite_frames_free() - give prepared frames back to the kernel
 * @page: first page of 2^@order
 * @order: likewise
 *
 * The kernel may have found one of them bad meanwhile. Frees them one by one then: it keeps a bad
 * page that is freed by itself, and hands one out that is amid a free block.
 *
 * Context: any in which pages may be freed.
 */
void memsuite_frames_free(struct page *page, unsigned int order);

#endif
