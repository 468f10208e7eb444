// SPDX-License-Identifier: GPL-2.0-only
/* The scout of a pool; scout.h. */

#include <linux/kthread.h>
#include <linux/sched.h>

#include "frame/buddy_isolate.h"
#include "pool/scout.h"

/* Frames between two times that it says how far it has come. */
#define SCOUT_BUDGET	4096

static void scout_say(struct memsuite_pool *pool, unsigned long from, unsigned long to)
{
	WRITE_ONCE(pool->barren_until, jiffies + MEMSUITE_POOL_DRY_JIFFIES);
	WRITE_ONCE(pool->barren_pfn, from);
	WRITE_ONCE(pool->barren_end, to);
}

/* Up to what is free, or to the end. Who asks later than this began asks again. */
void memsuite_scout_run(struct memsuite_pool *pool)
{
	unsigned long from = xchg(&pool->scout_pfn, 0), budget;
	struct memsuite_scan scan;
	struct page *page;
	int err;

	if (!from)
		return;
	memsuite_pool_rewind(pool, &scan);
	scan.pfn = from;
	do {
		budget = SCOUT_BUDGET;
		err = memsuite_frames_find(&scan, &budget, &page);
		scout_say(pool, from, scan.pfn);
		cond_resched();
	} while (err == -EAGAIN && !kthread_should_stop());
}
