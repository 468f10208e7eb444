// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tested pages ahead of allocation (COMeT, section 3.2): page faults are
 * served from a pool of the local node whose pages were tested and cleared
 * before. When the pool is empty, the page is tested on demand, at once and
 * by the least that shows a stuck bit.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include <memsuite/alloc_stats.h>
#include <memsuite/control.h>
#include <memsuite/held_pages.h>
#include <memsuite/hook.h>
#include <memsuite/hook_watch.h>
#include <memsuite/pool_inspect.h>
#include <memsuite/region.h>

#include "march/engine.h"
#include "paths/pretest_pool.h"
#include "paths/pretest_serve.h"
#include "result/verdict.h"
#include "sched/algorithm.h"
#include "sched/test_lifetime.h"
#include "sched/worker.h"

static bool wanted = true;		/* all under pretest_lock */
static bool diagnosing;
static bool serving;
static DEFINE_MUTEX(pretest_lock);
static DEFINE_MUTEX(inspect_lock);	/* several pools are filled at once */
static struct memdiag_verdict verdict;
static struct memdiag_engine_test plan;

/* What the sweep has tested a short time ago needs no other test. */
static bool inspect_block(unsigned long pfn, unsigned long nr,
			  unsigned long *bad)
{
	unsigned int fresh_s = max(READ_ONCE(memdiag_test_lifetime_s) / 4, 1U);
	bool whole = false;

	if (bitmap_empty(bad, nr) && !memsuite_alloc_stats_older(pfn, nr, fresh_s))
		return true;
	mutex_lock(&inspect_lock);
	/* Others may have been at it for long. What failed in a fault is put on record. */
	if (bitmap_empty(bad, nr) && memsuite_hold_wanted())
		goto out;
	memdiag_algorithm_get(&plan);
	whole = memdiag_worker_test(&verdict, &plan, pfn, nr, memdiag_worker_fidelity(),
				    memsuite_hold_wanted);
	memdiag_verdict_clear(&verdict);
	/* A page that failed its test in a fault may pass the second one. */
	verdict.certain = !bitmap_empty(bad, nr);
	bitmap_or(verdict.bad, verdict.bad, bad, nr);
	memdiag_verdict_report(&verdict);
	bitmap_copy(bad, verdict.bad, nr);
out:
	mutex_unlock(&inspect_lock);
	return whole;
}

static const struct memsuite_pool_inspector inspector = {
	.block = inspect_block,
	.is_fresh = memdiag_pretest_is_fresh,
	.page = memdiag_pretest_inspect_page,
};

static void close_pools(void)
{
	int nid;

	for (nid = 0; nid < nr_node_ids; nid++) {
		if (memdiag_pretest_nodes[nid].pool)
			memsuite_region_pool_close(memdiag_pretest_nodes[nid].region);
		if (memdiag_pretest_nodes[nid].region)
			memsuite_region_put(memdiag_pretest_nodes[nid].region);
	}
	kfree(memdiag_pretest_nodes);
	memdiag_pretest_nodes = NULL;
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
	memdiag_pretest_nodes[nid].region = region;
	pool = memsuite_region_pool_open(region);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	memdiag_pretest_nodes[nid].pool = pool;
	return 0;
}

static int open_pools(void)
{
	int nid, err;

	memdiag_pretest_nodes = kcalloc(nr_node_ids, sizeof(*memdiag_pretest_nodes), GFP_KERNEL);
	if (!memdiag_pretest_nodes)
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

/* Called with pretest_lock held. */
static int pretest_begin(void)
{
	int err = memsuite_pool_inspect_start(&inspector);

	if (err)
		return err;
	err = open_pools();
	if (err)
		goto err_pools;
	err = memsuite_hook_arm(MEMSUITE_HOOK_POINT_FAULT_ALLOC, MEMSUITE_HOOK_RANK_DEFAULT,
				&memdiag_pretest_hook);
	if (err)
		goto err_hook;
	/* Where that cannot be, huge pages are cleared in their faults. */
	memsuite_hook_arm(MEMSUITE_HOOK_POINT_FAULT_CLEAR, MEMSUITE_HOOK_RANK_DEFAULT,
			  &memdiag_pretest_hook);
	memsuite_hook_watch_all();
	serving = true;
	return 0;

err_hook:
	close_pools();
err_pools:
	memsuite_pool_inspect_stop();
	return err;
}

static void pretest_end(void)
{
	if (!serving)
		return;
	memsuite_hook_unwatch_all();
	memsuite_hook_disarm(MEMSUITE_HOOK_POINT_FAULT_ALLOC, MEMSUITE_HOOK_RANK_DEFAULT);
	memsuite_hook_disarm(MEMSUITE_HOOK_POINT_FAULT_CLEAR, MEMSUITE_HOOK_RANK_DEFAULT);
	close_pools();
	memsuite_pool_inspect_stop();
	serving = false;
}

void memdiag_pretest_start(void)
{
	int err = 0;

	mutex_lock(&pretest_lock);
	diagnosing = true;
	if (wanted)
		err = pretest_begin();
	if (err) {
		/* A live patch may own the function: the sweep works without. */
		pr_warn("faults are not served with tested pages (%d)\n", err);
		wanted = false;
	}
	mutex_unlock(&pretest_lock);
}

void memdiag_pretest_stop(void)
{
	mutex_lock(&pretest_lock);
	pretest_end();
	diagnosing = false;
	mutex_unlock(&pretest_lock);
}

static int pretest_switch(bool on)
{
	int err = 0;

	mutex_lock(&pretest_lock);
	if (diagnosing && on && !serving)
		err = pretest_begin();
	else if (!on)
		pretest_end();
	if (!err)
		wanted = on;
	mutex_unlock(&pretest_lock);
	return err;
}

#define pretest_count(what)	memsuite_stat_sum(&memdiag_pretest_stats, what)

MEMSUITE_ATTR_SWITCH(enabled, READ_ONCE(wanted), pretest_switch);
MEMSUITE_ATTR_NUMBER_RO(served_pages, pretest_count(served));
MEMSUITE_ATTR_NUMBER_RO(on_demand_tests, pretest_count(on_demand));
MEMSUITE_ATTR_NUMBER_RO(left_large, pretest_count(left[MEMDIAG_LEFT_LARGE]));
MEMSUITE_ATTR_NUMBER_RO(left_policy, pretest_count(left[MEMDIAG_LEFT_POLICY]));
MEMSUITE_ATTR_NUMBER_RO(left_context, pretest_count(left[MEMDIAG_LEFT_CONTEXT]));
MEMSUITE_ATTR_NUMBER_RO(left_empty, pretest_count(left[MEMDIAG_LEFT_EMPTY]));

static struct attribute *pretest_attrs[] = {
	&enabled_attr.attr, &served_pages_attr.attr,
	&on_demand_tests_attr.attr, &left_large_attr.attr,
	&left_policy_attr.attr, &left_context_attr.attr,
	&left_empty_attr.attr, NULL
};

const struct attribute_group memdiag_pretest_group = {
	.name = "ahead",
	.attrs = pretest_attrs,
};
