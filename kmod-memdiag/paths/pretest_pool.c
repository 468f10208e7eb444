// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tested pages ahead of allocation (COMeT, section 3.2): page faults are
 * served from a pool of the local node whose pages were tested and cleared
 * before. When the pool is empty, the page is tested on demand, at once and
 * by the least that shows a stuck bit.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuset.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/topology.h>

#include <memsuite/alloc_stats.h>
#include <memsuite/control.h>
#include <memsuite/hook.h>
#include <memsuite/pool.h>
#include <memsuite/pool_inspect.h>
#include <memsuite/region.h>

#include "march/engine.h"
#include "result/verdict.h"
#include "sched/optimisations.h"
#include "sched/test_lifetime.h"
#include "sched/worker.h"

/* Why a fault was left to the kernel's own free lists. */
enum left { LEFT_LARGE, LEFT_POLICY, LEFT_CONTEXT, LEFT_EMPTY, NR_LEFT };

struct stats {
	u64 served;
	u64 on_demand;
	u64 left[NR_LEFT];
};

struct node_pool {
	struct memsuite_region *region;
	struct memsuite_pool *pool;
};

static DEFINE_PER_CPU(struct stats, stats);
static struct node_pool *nodes;		/* nr_node_ids of them */
static bool wanted = true;		/* all under ahead_lock */
static bool diagnosing;
static bool serving;
static DEFINE_MUTEX(ahead_lock);
static DEFINE_MUTEX(inspect_lock);	/* several pools are filled at once */
static struct verdict verdict;
static struct engine_test engine_test;

static struct page *leave(enum left why)
{
	this_cpu_inc(stats.left[why]);
	return MEMSUITE_FAULT_PASS;
}

static struct page *serve(const struct memsuite_fault *fault)
{
	struct memsuite_pool *pool;
	struct page *page;
	int nid;

	/* Migration and shmem come without a vma, or with one of their own. */
	if (!fault->vma || !fault->vma->vm_mm)
		return MEMSUITE_FAULT_PASS;
	if (fault->order)
		return leave(LEFT_LARGE);
	switch (memsuite_fault_refusal(fault)) {
	case MEMSUITE_REFUSED_POLICY:
		return leave(LEFT_POLICY);
	case MEMSUITE_REFUSED_CONTEXT:
		return leave(LEFT_CONTEXT);
	case MEMSUITE_REFUSED_NOT:
		break;
	}
	nid = numa_mem_id();
	pool = nodes[nid].pool;
	if (unlikely(!pool || !node_isset(nid, cpuset_current_mems_allowed)))
		return leave(LEFT_POLICY);
	page = memsuite_pool_pop(pool, fault->gfp);
	if (unlikely(!page))
		return leave(LEFT_EMPTY);
	this_cpu_inc(stats.served);
	return page;
}

static const struct memsuite_hook hook = { .fault = serve };

/* What the sweep has tested a short time ago needs no other test. */
static void inspect_block(unsigned long pfn, unsigned long nr,
			  unsigned long *bad)
{
	unsigned int fresh_s = max(READ_ONCE(tester_lifetime_s) / 4, 1U);

	if (bitmap_empty(bad, nr) && !memsuite_alloc_stats_older(pfn, nr, fresh_s))
		return;
	mutex_lock(&inspect_lock);
	algorithm_get(&engine_test);
	tester_test(&verdict, &engine_test, pfn, nr, tester_fidelity());
	verdict_clear(&verdict);
	/* What the test in a fault found bad may pass a second time. */
	bitmap_or(verdict.bad, verdict.bad, bad, nr);
	if (verdict_report(&verdict))
		bitmap_copy(bad, verdict.bad, nr);
	mutex_unlock(&inspect_lock);
}

/* Called with interrupts off. */
static bool test_on_demand(u64 *words)
{
	static DEFINE_RAW_SPINLOCK(lock);
	bool good;

	if (likely(READ_ONCE(optimisations.core_local)))
		return ondemand_test(words);
	raw_spin_lock(&lock);
	good = ondemand_test(words);
	raw_spin_unlock(&lock);
	return good;
}

static bool inspect_page(struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	if (!memsuite_alloc_stats_older(pfn, 1, max(READ_ONCE(tester_lifetime_s) / 2, 1U)))
		return true;
	this_cpu_inc(stats.on_demand);
	if (!test_on_demand(page_address(page)))
		return false;
	memsuite_alloc_stats_tested(pfn, 1);
	return true;
}

static const struct memsuite_pool_inspector inspector = {
	.block = inspect_block,
	.page = inspect_page,
};

static void close_pools(void)
{
	int nid;

	for (nid = 0; nid < nr_node_ids; nid++) {
		if (nodes[nid].pool)
			memsuite_region_pool_close(nodes[nid].region);
		if (nodes[nid].region)
			memsuite_region_put(nodes[nid].region);
	}
	kfree(nodes);
	nodes = NULL;
}

static int open_pool(int nid)
{
	char name[MEMSUITE_REGION_NAME];
	struct memsuite_region *region;
	struct memsuite_pool *pool;

	snprintf(name, sizeof(name), "node%d", nid);
	region = memsuite_region_get(name);
	/* A node that came later has no region: its faults are left alone. */
	if (IS_ERR(region))
		return 0;
	nodes[nid].region = region;
	pool = memsuite_region_pool_open(region);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	nodes[nid].pool = pool;
	return 0;
}

static int open_pools(void)
{
	int nid, err;

	nodes = kcalloc(nr_node_ids, sizeof(*nodes), GFP_KERNEL);
	if (!nodes)
		return -ENOMEM;
	for_each_node_state(nid, N_MEMORY) {
		err = open_pool(nid);
		if (err) {
			close_pools();
			return err;
		}
	}
	return 0;
}

/* Called with ahead_lock held. */
static int begin(void)
{
	int err = memsuite_pool_inspect_start(&inspector);

	if (err)
		return err;
	err = open_pools();
	if (err)
		goto err_pools;
	err = memsuite_hook_arm(MEMSUITE_HOOK_POINT_FAULT_ALLOC, MEMSUITE_HOOK_RANK_DEFAULT, &hook);
	if (err)
		goto err_hook;
	serving = true;
	return 0;

err_hook:
	close_pools();
err_pools:
	memsuite_pool_inspect_stop();
	return err;
}

static void end(void)
{
	if (!serving)
		return;
	memsuite_hook_disarm(MEMSUITE_HOOK_POINT_FAULT_ALLOC, MEMSUITE_HOOK_RANK_DEFAULT);
	close_pools();
	memsuite_pool_inspect_stop();
	serving = false;
}

void ahead_start(void)
{
	int err = 0;

	mutex_lock(&ahead_lock);
	diagnosing = true;
	if (wanted)
		err = begin();
	if (err) {
		/* A live patch may own the function: the sweep works without. */
		pr_warn("faults are not served with tested pages (%d)\n", err);
		wanted = false;
	}
	mutex_unlock(&ahead_lock);
}

void ahead_stop(void)
{
	mutex_lock(&ahead_lock);
	end();
	diagnosing = false;
	mutex_unlock(&ahead_lock);
}

static int want(bool on)
{
	int err = 0;

	mutex_lock(&ahead_lock);
	if (diagnosing && on && !serving)
		err = begin();
	else if (!on)
		end();
	if (!err)
		wanted = on;
	mutex_unlock(&ahead_lock);
	return err;
}

MEMSUITE_ATTR_SWITCH(enabled, READ_ONCE(wanted), want);
MEMSUITE_ATTR_NUMBER_RO(served_pages, memsuite_stat_sum(&stats, served));
MEMSUITE_ATTR_NUMBER_RO(on_demand_tests, memsuite_stat_sum(&stats, on_demand));
MEMSUITE_ATTR_NUMBER_RO(left_large, memsuite_stat_sum(&stats, left[LEFT_LARGE]));
MEMSUITE_ATTR_NUMBER_RO(left_policy, memsuite_stat_sum(&stats, left[LEFT_POLICY]));
MEMSUITE_ATTR_NUMBER_RO(left_context, memsuite_stat_sum(&stats, left[LEFT_CONTEXT]));
MEMSUITE_ATTR_NUMBER_RO(left_empty, memsuite_stat_sum(&stats, left[LEFT_EMPTY]));

static struct attribute *ahead_attrs[] = {
	&enabled_attr.attr, &served_pages_attr.attr,
	&on_demand_tests_attr.attr, &left_large_attr.attr,
	&left_policy_attr.attr, &left_context_attr.attr,
	&left_empty_attr.attr, NULL
};

const struct attribute_group ahead_group = {
	.name = "ahead",
	.attrs = ahead_attrs,
};
