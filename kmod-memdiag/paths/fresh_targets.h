/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tested frames for contents in use to be moved to (inuse.h), where sweeps have left none. Memory
 * that is full has few free frames, which others take and give back, and sweeps come some times
 * in a lifetime: what has just been moved away from is tested at once, and is where the next
 * contents go.
 */
#ifndef MEMDIAG_PATHS_FRESH_TARGETS_H
#define MEMDIAG_PATHS_FRESH_TARGETS_H

#include <linux/types.h>

struct memsuite_target_frames;
struct page;

/**
 * memdiag_fresh_targets_vacated() - test frames that were moved away from, and have them ready
 * @targets: their source; they lie in its range
 * @pages: the frames; somebody may have them by now
 * @nr: how many
 *
 * Bad frames are retired. What lies amid free memory no longer is left alone. Overdraws the
 * budget, if need be: what is to be moved has been found.
 *
 * Context: the thread that moves memory in use, in a hold; may sleep.
 * Return: how many became ready.
 */
unsigned long memdiag_fresh_targets_vacated(struct memsuite_target_frames *targets,
					    struct page **pages, unsigned int nr);

/**
 * memdiag_fresh_targets_alloc() - allocate pages, test them, and have them ready
 * @targets: a source in whose range they must lie
 * @like: a page in the zone in which they must lie
 * @nr: how many are wanted
 *
 * From the kernel, as long as it has some above the low watermark: when all of memory is in use,
 * what is free lies amid memory that cannot be moved, and it decides which of it to give away.
 *
 * Context: as memdiag_fresh_targets_vacated().
 * Return: how many became ready.
 */
unsigned long memdiag_fresh_targets_alloc(struct memsuite_target_frames *targets,
					  struct page *like, unsigned long nr);

/* A large folio of the size of @like, in the same zone, tested or not; NULL. May sleep. */
struct page *memdiag_fresh_targets_alloc_large(struct page *like);

/**
 * memdiag_fresh_targets_test() - test an allocated page before contents are moved to it
 * @page: of any contents; nobody else has it
 * @order: its order, at most MEMSUITE_MAX_ORDER
 *
 * Context: as memdiag_fresh_targets_vacated().
 * Return: false if some of it is bad: it is freed then, and that is retired soon.
 */
bool memdiag_fresh_targets_test(struct page *page, unsigned int order);

#endif
