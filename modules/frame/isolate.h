/* SPDX-License-Identifier: GPL-2.0-only */
/* Free page frames, below the level of blocks: for block.c and pools. */
#ifndef MEMSUITE_FRAMES_H
#define MEMSUITE_FRAMES_H

#include <memsuite/block.h>

/**
 * ms_frames_isolate() - take one free block out of the buddy lists, bare
 * @scan: where to look
 * @budget: page frames to look at before giving up
 * @block: what was taken, its reference count 0, its contents not to be
 *	touched before ms_frames_prepare()
 *
 * Context: takes the zone's lock: where the kernel may allocate.
 * Return: 0; -ENOENT (end of range); -EAGAIN (budget used up); -ENOMEM (the
 * zone is short of memory).
 */
int ms_frames_isolate(struct ms_scan *scan, unsigned long budget,
		      struct ms_block *block);

/**
 * ms_frames_withhold() - from now on, all zones are short of memory
 * @on: if not, as much as they are
 *
 * Who is taking a block at the moment may still get it.
 *
 * Context: any.
 */
void ms_frames_withhold(bool on);

/**
 * ms_frames_skip_zone() - go on behind a zone that is short of memory
 * @scan: for which ms_frames_isolate() returned -ENOMEM
 *
 * Context: any.
 */
void ms_frames_skip_zone(struct ms_scan *scan);

/**
 * ms_frames_prepare() - make isolated frames an allocated block
 * @page: first page of 2^@order that ms_frames_isolate() took
 * @order: may be smaller than what was isolated: a bare block can be cut up
 * @zero: clear them
 *
 * Context: any.
 */
void ms_frames_prepare(struct page *page, unsigned int order, bool zero);

/**
 * ms_frames_gather() - give to the buddy lists what CPUs keep at hand, where
 * pages lie that were freed lately
 *
 * At most once a second, since the CPUs must fetch new ones then.
 *
 * Context: may sleep.
 */
void ms_frames_gather(void);

#endif
