/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scout: a fault looks at a few frames only, and so would get nothing for as long
 * as what it walks over is in use. The refill thread walks ahead of it then, and says
 * how far there is nothing.
 */
#ifndef MEMSUITE_POOL_SCOUT_H
#define MEMSUITE_POOL_SCOUT_H

#include "pool/pool_private.h"

/* A CPU's walk ran out of looks. Context: any. */
static inline void memsuite_scout_ask(struct memsuite_pool *pool, const struct memsuite_scan *scan)
{
	WRITE_ONCE(pool->scout_pfn, scan->pfn);
	irq_work_queue(&pool->wake);
}

/*
 * Goes on where the scout has come to. The two ends may be of different walks: then
 * frames are left out, until the walk over the region begins anew.
 */
static inline void memsuite_scout_follow(struct memsuite_pool *pool, struct memsuite_scan *scan)
{
	unsigned long end = READ_ONCE(pool->barren_end);

	if (scan->pfn < end && scan->pfn >= READ_ONCE(pool->barren_pfn) &&
	    time_before(jiffies, READ_ONCE(pool->barren_until)))
		scan->pfn = end;
}

/* Whether somebody has asked. Context: any. */
static inline bool memsuite_scout_is_asked(const struct memsuite_pool *pool)
{
	return READ_ONCE(pool->scout_pfn);
}

/* Walks ahead of whoever has asked. Context: the refill thread. */
void memsuite_scout_run(struct memsuite_pool *pool);

#endif
