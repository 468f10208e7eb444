/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_POOL_POOL_DRAIN_H
#define MEMSUITE_POOL_POOL_DRAIN_H

#include <linux/types.h>

struct memsuite_pool;
struct memsuite_pool_cache;

int memsuite_pools_init(void);
void memsuite_pools_exit(void);

/* All pools. Context: may sleep. Each returns a number of pages. */
unsigned long memsuite_pools_pages(void);
/* Of pools that may have pages of the node; but for what CPUs have at hand. */
unsigned long memsuite_pools_shrinkable(int nid);
unsigned long memsuite_pools_shrink(int nid, unsigned long pages);
unsigned long memsuite_pools_drain(unsigned long start_pfn, unsigned long end_pfn);

/*
 * Gives back this frame, or the folio that it is of, and true; if neither is in a depot, what
 * lies loose of its pool. A refill thread may have it. Context: may sleep.
 */
bool memsuite_pools_drain_frame(unsigned long pfn);

/*
 * Nothing between these frames is held any more, by pools or by others who hold
 * memory. Context: may sleep, for a minute. 0, or -EBUSY: a holder does not end.
 */
int memsuite_pools_give_back(unsigned long start_pfn, unsigned long end_pfn);
int memsuite_pools_give_back_frame(unsigned long pfn);

/* These give back what a pool holds, and return how many pages that was. */

/* All but what its refill thread has. May sleep. */
unsigned long memsuite_pool_drain(struct memsuite_pool *pool);
/* What all CPUs have at hand. May sleep. */
unsigned long memsuite_pool_drain_caches(struct memsuite_pool *pool);
/* What a CPU has at hand that is this one, with interrupts off, or dead. */
unsigned long memsuite_pool_drain_cache(struct memsuite_pool *pool,
					struct memsuite_pool_cache *cache);

/**
 * struct memsuite_pool_stats - what a pool has done since it was made
 * @pages: pages that it holds now
 * @handed: pages handed out
 * @bare: of these, those that a CPU had to take by itself
 * @misses: requests that found nothing
 * @filled: pages that the refill thread took
 * @large: of @pages, those of large folios that are ready
 * @foreign: frames of the blocks taken that lie in other banks
 * @passed: of these, those that other pools got
 */
struct memsuite_pool_stats {
	u64 pages;
	u64 handed;
	u64 bare;
	u64 misses;
	u64 filled;
	u64 large;
	u64 foreign;
	u64 passed;
};

void memsuite_pool_read_stats(struct memsuite_pool *pool, struct memsuite_pool_stats *stats);

#endif
