/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_POOL_POOL_DEPOT_H
#define MEMSUITE_POOL_POOL_DEPOT_H

#include "pool/pool_private.h"

/*
 * Takes a batch out of the depot, or returns NULL. @hint is the slot to look at
 * first, now and the next time. Context: any.
 */
struct page *memsuite_pool_depot_take(struct memsuite_pool *pool, unsigned int *hint);

/* Puts a batch into the depot, unless that is full. Context: the refill thread. */
bool memsuite_pool_depot_put(struct memsuite_pool *pool, struct page *chain);

/* Gives back @pages of the depot, or some more; returns how many. Context: any. */
unsigned long memsuite_pool_drain_depot(struct memsuite_pool *pool, unsigned long pages);

/* Gives back this page, if the depot has it; returns whether. Context: may sleep. */
bool memsuite_pool_depot_give_back(struct memsuite_pool *pool, struct page *page);

/* Gives back what is more than it is to hold. Context: any. */
void memsuite_pool_trim_depot(struct memsuite_pool *pool);

/* Give cleared pages back, or bare frames; return how many. Context: any. */
unsigned long memsuite_pool_free(struct memsuite_pool *pool, struct page *chain);
unsigned long memsuite_pool_free_bare(struct memsuite_pool *pool, struct page *chain);
unsigned long memsuite_pool_free_donated(struct memsuite_pool *pool, struct page **donated);

unsigned long memsuite_pool_free_remnants(struct memsuite_pool *pool);

/* Gives back @nr bare frames from @page on; returns how many. Context: any. */
unsigned long memsuite_pool_free_frames(struct memsuite_pool *pool, struct page *page,
					unsigned long nr);

#endif
