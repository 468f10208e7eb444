/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_POOL_POOL_ADMIN_H
#define MEMSUITE_POOL_POOL_ADMIN_H

struct memsuite_bank_set;
struct memsuite_pool;

/**
 * memsuite_pool_create() - make a pool and start its refill thread
 * @name: name of the region, for the thread
 * @start_pfn: first frame of the region
 * @end_pfn: first frame behind it
 * @nid: node that the refill thread runs on, or NUMA_NO_NODE
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

#endif
