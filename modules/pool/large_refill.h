/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the refill thread does for large folios: it makes some ready of each order that faults
 * have asked for lately, and gives those back that nobody asks for any more.
 */
#ifndef MEMSUITE_POOL_LARGE_REFILL_H
#define MEMSUITE_POOL_LARGE_REFILL_H

#include <linux/types.h>

struct memsuite_pool;

/* Whether there is something to do. Context: any. */
bool memsuite_large_refill_wants(struct memsuite_pool *pool);

/* Does some of it. Context: the refill thread, in a hold; sleeps. */
void memsuite_large_refill_run(struct memsuite_pool *pool);

/* Gives back what it has at hand. Context: as above, or when there is none. */
void memsuite_large_refill_empty(struct memsuite_pool *pool);

#endif
