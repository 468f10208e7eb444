/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_POOLS_H
#define MEMSUITE_POOLS_H

#include <memsuite/pool.h>

struct memsuite_bank_set;

/* Frames of the largest container: 16 MiB. */
#define MEMSUITE_MAX_CONTAINER	4096

/* All pools. Context: may sleep. Each returns a number of pages. */
unsigned long memsuite_pools_pages(void);
unsigned long memsuite_pools_shrink(unsigned long pages);
unsigned long memsuite_pools_drain(unsigned long start_pfn, unsigned long end_pfn);

/**
 * memsuite_pool_create() - make a pool and start its filler
 * @name: name of the region, for the thread
 * @start_pfn: first frame of the region
 * @end_pfn: first frame behind it
 * @nid: node that the filler runs on, or NUMA_NO_NODE
 * @banks: of these frames, those in these banks; NULL: all
 * @target: pages to keep in the depot
 * @container: frames that are handed out in a random order, at most
 *	MEMSUITE_MAX_CONTAINER; 0: in their own order
 *
 * Context: may sleep.
 * Return: the pool, or ERR_PTR(-ENOMEM).
 */
struct memsuite_pool *memsuite_pool_create(const char *name, unsigned long start_pfn,
					   unsigned long end_pfn, int nid,
					   const struct memsuite_bank_set *banks,
					   unsigned long target, unsigned int container);

/* Nobody may pop from it any more. Gives all pages back. May sleep. */
void memsuite_pool_destroy(struct memsuite_pool *pool);

void memsuite_pool_set_target(struct memsuite_pool *pool, unsigned long target);

/* Exchanges what the pool holds. May sleep. */
void memsuite_pool_set_container(struct memsuite_pool *pool, unsigned int container);

/**
 * struct memsuite_pool_stats - what a pool has done since it was made
 * @pages: pages that it holds now
 * @handed: pages handed out
 * @bare: of these, those that a CPU had to take by itself
 * @misses: requests that found nothing
 * @filled: pages that the filler took
 * @foreign: frames of the blocks taken that lie in other banks
 * @passed: of these, those that other pools got
 */
struct memsuite_pool_stats {
	u64 pages;
	u64 handed;
	u64 bare;
	u64 misses;
	u64 filled;
	u64 foreign;
	u64 passed;
};

void memsuite_pool_read_stats(struct memsuite_pool *pool, struct memsuite_pool_stats *stats);

#endif
