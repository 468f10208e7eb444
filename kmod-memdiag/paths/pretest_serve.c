// SPDX-License-Identifier: GPL-2.0-only
/*
 * What runs in page faults: each is served from the pool of its node, and a
 * page that was not tested ahead is tested at once. Nothing here sleeps, and
 * nothing here is traced: ftrace itself is what calls it.
 */

#include <linux/cpuset.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/topology.h>

#include <memsuite/alloc_stats.h>
#include <memsuite/fault_refusal.h>
#include <memsuite/hook.h>
#include <memsuite/pool.h>

#include "paths/ondemand.h"
#include "paths/pretest_serve.h"
#include "sched/optimisations.h"
#include "sched/test_lifetime.h"

DEFINE_PER_CPU(struct memdiag_pretest_stats, memdiag_pretest_stats);
struct memdiag_pretest_node *memdiag_pretest_nodes;

static struct page *fault_leave(enum memdiag_pretest_left why)
{
	this_cpu_inc(memdiag_pretest_stats.left[why]);
	return MEMSUITE_FAULT_PASS;
}

static struct page *fault_pop(struct memsuite_pool *pool, const struct memsuite_fault *fault)
{
	struct page *page = NULL;
	unsigned long looks;

	if (unlikely(fault->order))
		return memsuite_pool_take_ready_large(pool, fault->order);
	if (fault->gfp & __GFP_ZERO)
		page = memsuite_pool_pop_at_hand(pool, true);
	if (likely(page))
		return page == MEMSUITE_POOL_DRY ? NULL : page;
	looks = memsuite_pool_looks();
	return memsuite_pool_pop(pool, fault->gfp, &looks);
}

static struct page *fault_serve(const struct memsuite_fault *fault)
{
	struct memsuite_pool *pool;
	struct page *page;
	int nid;

	/* Migration and shmem come without a vma, or with one of their own. */
	if (!fault->vma || !fault->vma->vm_mm)
		return MEMSUITE_FAULT_PASS;
	switch (memsuite_fault_refusal(fault)) {
	case MEMSUITE_REFUSED_POLICY:
		return fault_leave(MEMDIAG_LEFT_POLICY);
	case MEMSUITE_REFUSED_CONTEXT:
		return fault_leave(MEMDIAG_LEFT_CONTEXT);
	case MEMSUITE_REFUSED_NOT:
		break;
	}
	nid = numa_mem_id();
	pool = memdiag_pretest_nodes[nid].pool;
	if (unlikely(!pool || !node_isset(nid, cpuset_current_mems_allowed)))
		return fault_leave(MEMDIAG_LEFT_POLICY);
	page = fault_pop(pool, fault);
	if (unlikely(!page))
		return fault_leave(fault->order ? MEMDIAG_LEFT_LARGE : MEMDIAG_LEFT_EMPTY);
	this_cpu_add(memdiag_pretest_stats.served, 1UL << fault->order);
	return page;
}

const struct memsuite_hook memdiag_pretest_hook = {
	.fault = fault_serve,
	.finish = memsuite_pool_finish_large,
};

/* Called with interrupts off. */
static bool test_on_demand(u64 *words)
{
	static DEFINE_RAW_SPINLOCK(lock);
	bool good;

	if (likely(READ_ONCE(memdiag_optimisations.core_local)))
		return memdiag_ondemand_test(words);
	raw_spin_lock(&lock);
	good = memdiag_ondemand_test(words);
	raw_spin_unlock(&lock);
	return good;
}

/* Half of the lifetime of their tests is left. */
bool memdiag_pretest_is_fresh(unsigned long pfn, unsigned long nr)
{
	unsigned int half_s = max(READ_ONCE(memdiag_test_lifetime_s) / 2, 1U);

	return !memsuite_alloc_stats_older(pfn, nr, half_s);
}

bool memdiag_pretest_inspect_page(struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	if (memdiag_pretest_is_fresh(pfn, 1))
		return true;
	this_cpu_inc(memdiag_pretest_stats.on_demand);
	if (!test_on_demand(page_address(page)))
		return false;
	memsuite_alloc_stats_tested(pfn, 1, false);
	return true;
}
