// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what the thread that moves memory in use holds; held_test.h. */

#include <linux/types.h>

#include "march/engine.h"
#include "paths/held_test.h"
#include "result/verdict.h"
#include "sched/algorithm.h"
#include "sched/worker.h"

static struct memdiag_verdict verdict;		/* the thread's, as is the march */
static struct memdiag_engine_test plan;

const unsigned long *memdiag_held_test(unsigned long pfn, unsigned long nr)
{
	memdiag_algorithm_get(&plan);
	memdiag_worker_test(&verdict, &plan, pfn, nr, memdiag_worker_fidelity(),
			    memdiag_worker_ends);
	memdiag_worker_spend(nr);
	return memdiag_verdict_report(&verdict) ? verdict.bad : NULL;
}
