/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scout: a fault looks at a few frames only, and so would get nothing for as long
 * as what it walks over is in use. The refill thread walks ahead of it then, and notes
 * which pageblocks are barren.
 */
#ifndef MEMSUITE_POOL_SCOUT_H
#define MEMSUITE_POOL_SCOUT_H

#include "pool/pool_private.h"

/* A CPU's walk ran out of looks. Context: any. */
static inline void memsuite_scout_ask(struct memsuite_pool *pool, const struct memsuite_scan *scan)
{
	if (!xchg(&pool->scout_pfn, scan->pfn))
		irq_work_queue(&pool->wake);
}

/* Whether somebody has asked. Context: any. */
static inline bool memsuite_scout_is_asked(const struct memsuite_pool *pool)
{
	return READ_ONCE(pool->scout_pfn);
}

/* Walks ahead of whoever has asked. Context: the refill thread. */
void memsuite_scout_run(struct memsuite_pool *pool);

#endif
