// SPDX-License-Identifier: GPL-2.0-only
/* The scout of a pool; scout.h. */

#include <linux/kthread.h>
#include <linux/sched.h>

#include "frame/buddy_isolate.h"
#include "pool/scout.h"

/* Frames between two chances for others to run. */
#define SCOUT_BUDGET	4096

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
	memsuite_frames_go(&scan, max(ALIGN_DOWN(from, pageblock_nr_pages), pool->start_pfn));
	do {
		budget = SCOUT_BUDGET;
		err = memsuite_frames_find(&scan, &budget, &page);
		cond_resched();
	} while (err == -EAGAIN && !kthread_should_stop());
}
