// SPDX-License-Identifier: GPL-2.0-only
/* Allocation demand, counted through tracepoints; see memsuite/alloc_stats.h. */

#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include <trace/events/kmem.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <memsuite/control.h>
#include <memsuite/tracepoints.h>

#include "frame/alloc_stats_private.h"
#include "frame/test_age.h"
#include "frame/test_age_page.h"

/* What is allocated is tested, untested or expired, and is not counted beside that. */
enum what {
	TESTED,
	UNTESTED,
	RETURNED,
	EXPIRED,
	STALE,
	NR_WHAT,
};

static const char * const stats_what_names[NR_WHAT] = {
	"tested", "untested", "returned", "expired", "stale",
};

static_assert(MEMSUITE_ALLOC_STATS_BLOCK_PAGES == MEMSUITE_TEST_AGE_BLOCK_PAGES);

struct node_demand {
	u64 pages[MAX_NR_ZONES][MEMSUITE_MAX_ORDER + 1][NR_WHAT];
};

static struct node_demand __percpu **nodes;	/* nr_node_ids of them */
static unsigned int lifetime;
static u32 newest_stamp;	/* of all tests since it was started */
static u32 slept_s;		/* since the machine was booted */
static bool running;
DEFINE_STATIC_KEY_FALSE(memsuite_alloc_stats_key);
static const char no_user;	/* page->private of what is freed, and no user had, points there */
static DEFINE_MUTEX(stats_lock);
static struct kobject *dir;
static struct dentry *debugfs;

/*
 * A stamp is 0 (untested), or the second of the test, counted from 1, and in its lowest bit
 * whether that was a whole test. Tests grow
 * old while the machine sleeps as well. Who asks the clock itself is warned while
 * the machine falls asleep, and allocates.
 */
static u32 stats_now(void)
{
	return (u32)((get_jiffies_64() - INITIAL_JIFFIES) / HZ) +
	       READ_ONCE(slept_s) + 1;
}

u32 memsuite_alloc_stats_now_s(void)
{
	return stats_now();
}
EXPORT_SYMBOL_GPL(memsuite_alloc_stats_now_s);

void memsuite_alloc_stats_awake(void)
{
	WRITE_ONCE(slept_s, (u32)(ktime_get_boottime_seconds() -
				  ktime_get_seconds()));
}

/* NULL: there was no memory for a node that came later. */
static u64 __percpu *stats_counters(struct page *page, unsigned int order)
{
	struct node_demand __percpu *demand = READ_ONCE(nodes[page_to_nid(page)]);

	return demand && order <= MEMSUITE_MAX_ORDER ?
		demand->pages[page_zonenum(page)][order] : NULL;
}

static u32 stamp_make(u32 second, bool whole)
{
	return second << 1 | whole;
}

static u32 stamp_second(u32 stamp)
{
	return stamp >> 1;
}

static bool stamp_is_whole(u32 stamp)
{
	return stamp & 1;
}

static enum what stats_state(u32 stamp)
{
	if (!stamp)
		return UNTESTED;
	return stats_now() - stamp_second(stamp) < READ_ONCE(lifetime) ? TESTED : EXPIRED;
}

static void stats_count_allocation(struct page *page, unsigned int order)
{
	u64 __percpu *counters = stats_counters(page, order);

	if (counters)
		this_cpu_add(counters[stats_state(memsuite_test_age_least(page_to_pfn(page),
									  1UL << order))],
			     1UL << order);
}

void memsuite_alloc_stats_listener(void *data, struct page *page, unsigned int order,
				   gfp_t gfp, int migratetype)
{
	if (page)
		stats_count_allocation(page, order);
}

void __memsuite_alloc_stats_handed(struct page *page, unsigned int order)
{
	stats_count_allocation(page, order);
}

static void stats_probe_free(void *data, struct page *page, unsigned int order)
{
	u64 __percpu *counters = stats_counters(page, order);

	if (!counters || page_private(page) == (unsigned long)&no_user)
		return;
	this_cpu_add(counters[RETURNED], 1UL << order);
	if (stats_state(memsuite_test_age_least(page_to_pfn(page), 1UL << order)) != TESTED)
		this_cpu_add(counters[STALE], 1UL << order);
}

static struct memsuite_tracepoint probes[] = {
	MEMSUITE_TRACEPOINT(mm_page_alloc, memsuite_alloc_stats_listener),
	MEMSUITE_TRACEPOINT(mm_page_free, stats_probe_free),
};

int memsuite_alloc_stats_start(unsigned int lifetime_s)
{
	int err = -EBUSY;

	mutex_lock(&stats_lock);
	if (running)
		goto out;
	lifetime = lifetime_s;
	newest_stamp = 0;
	err = memsuite_test_age_alloc();
	if (err)
		goto out;
	err = memsuite_tracepoints_register(probes, ARRAY_SIZE(probes));
	if (err) {
		memsuite_test_age_free();
		goto out;
	}
	static_branch_enable(&memsuite_alloc_stats_key);
	running = true;
out:
	mutex_unlock(&stats_lock);
	return err;
}
EXPORT_SYMBOL_GPL(memsuite_alloc_stats_start);

void memsuite_alloc_stats_stop(void)
{
	mutex_lock(&stats_lock);
	if (running) {
		static_branch_disable(&memsuite_alloc_stats_key);
		memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
		memsuite_test_age_free();
		running = false;
	}
	mutex_unlock(&stats_lock);
}
EXPORT_SYMBOL_GPL(memsuite_alloc_stats_stop);

void memsuite_alloc_stats_set_lifetime(unsigned int lifetime_s)
{
	WRITE_ONCE(lifetime, lifetime_s);
}
EXPORT_SYMBOL_GPL(memsuite_alloc_stats_set_lifetime);

void memsuite_alloc_stats_tested(unsigned long pfn, unsigned long nr, bool whole)
{
	u32 stamp = stamp_make(stats_now(), whole);

	memsuite_test_age_set(pfn, nr, stamp);
	if (READ_ONCE(newest_stamp) != stamp)
		WRITE_ONCE(newest_stamp, stamp);
}
EXPORT_SYMBOL_GPL(memsuite_alloc_stats_tested);

/*
 * The tracepoint comes first of all in the kernel's function. A page that is free has
 * something of the kernel's own in page->private, or is cleared of it when it is
 * allocated.
 */
void __memsuite_alloc_stats_free(struct page *page, unsigned int order, memsuite_free_fn *free)
{
	set_page_private(page, (unsigned long)&no_user);
	free(page, order);
}

/* The last stamp that is so long ago. */
static u32 stamp_of_age(u32 now, unsigned int age_s)
{
	return stamp_make(now > age_s ? now - age_s : 0, true);
}

bool memsuite_alloc_stats_older(unsigned long pfn, unsigned long nr, unsigned int age_s)
{
	return memsuite_test_age_least(pfn, nr) <= stamp_of_age(stats_now(), age_s);
}
EXPORT_SYMBOL_GPL(memsuite_alloc_stats_older);

bool memsuite_alloc_stats_any_younger(unsigned int age_s)
{
	return READ_ONCE(newest_stamp) > stamp_of_age(stats_now(), age_s);
}
EXPORT_SYMBOL_GPL(memsuite_alloc_stats_any_younger);

unsigned int memsuite_alloc_stats_next_s(unsigned long pfn, unsigned int age_s)
{
	u32 now = stats_now(), stamp;

	stamp = memsuite_test_age_least_above(pfn, stamp_of_age(now, age_s));
	return stamp == U32_MAX ? age_s : age_s - min(age_s, now - stamp_second(stamp));
}
EXPORT_SYMBOL_GPL(memsuite_alloc_stats_next_s);

unsigned int memsuite_alloc_stats_age_s(unsigned long pfn)
{
	u32 stamp = memsuite_test_age_least(pfn, 1);

	return stamp ? stats_now() - stamp_second(stamp) : UINT_MAX;
}
EXPORT_SYMBOL_GPL(memsuite_alloc_stats_age_s);

bool memsuite_alloc_stats_uniform(unsigned long pfn)
{
	return memsuite_test_age_uniform(pfn);
}
EXPORT_SYMBOL_GPL(memsuite_alloc_stats_uniform);

bool memsuite_alloc_stats_whole(unsigned long pfn)
{
	return stamp_is_whole(memsuite_test_age_least(pfn, 1));
}
EXPORT_SYMBOL_GPL(memsuite_alloc_stats_whole);

static u64 stats_sum(int nid, int zone, int order, int what)
{
	u64 pages = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		pages += per_cpu_ptr(nodes[nid], cpu)->pages[zone][order][what];
	return pages;
}

static u64 stats_sum_order(int order, int what)
{
	u64 pages = 0;
	int nid, zone;

	for (nid = 0; nid < nr_node_ids; nid++) {
		for (zone = 0; nodes[nid] && zone < MAX_NR_ZONES; zone++)
			pages += stats_sum(nid, zone, order, what);
		cond_resched();
	}
	return pages;
}

void memsuite_alloc_stats_read(struct memsuite_alloc_stats_counts *counts)
{
	u64 untested;
	int order;

	for (order = 0; order <= MEMSUITE_MAX_ORDER; order++) {
		untested = stats_sum_order(order, UNTESTED) + stats_sum_order(order, EXPIRED);
		counts->untested[order] = untested;
		counts->allocated[order] = untested + stats_sum_order(order, TESTED);
		counts->stale[order] = stats_sum_order(order, STALE);
	}
}
EXPORT_SYMBOL_GPL(memsuite_alloc_stats_read);

static u64 stats_total(int what)
{
	u64 pages = 0;
	int order;

	for (order = 0; order <= MEMSUITE_MAX_ORDER; order++)
		pages += stats_sum_order(order, what);
	return pages;
}

static u64 stats_total_allocated(void)
{
	return stats_total(TESTED) + stats_total(UNTESTED) + stats_total(EXPIRED);
}

MEMSUITE_ATTR_NUMBER_RO(allocated_pages, stats_total_allocated());
MEMSUITE_ATTR_NUMBER_RO(tested_pages, stats_total(TESTED));
MEMSUITE_ATTR_NUMBER_RO(untested_pages, stats_total(UNTESTED));
MEMSUITE_ATTR_NUMBER_RO(returned_pages, stats_total(RETURNED));
MEMSUITE_ATTR_NUMBER_RO(expired_pages, stats_total(EXPIRED));
MEMSUITE_ATTR_NUMBER_RO(stale_pages, stats_total(STALE));

static struct attribute *demand_attrs[] = {
	&allocated_pages_attr.attr, &tested_pages_attr.attr,
	&untested_pages_attr.attr, &returned_pages_attr.attr,
	&expired_pages_attr.attr, &stale_pages_attr.attr, NULL
};
ATTRIBUTE_GROUPS(demand);

static void table_show_row(struct seq_file *file, int nid, int zone, int order)
{
	u64 pages[NR_WHAT], allocated;
	int what;

	for (what = 0; what < NR_WHAT; what++)
		pages[what] = stats_sum(nid, zone, order, what);
	allocated = pages[TESTED] + pages[UNTESTED] + pages[EXPIRED];
	if (!allocated && !pages[RETURNED])
		return;
	seq_printf(file, "%d %s %d %llu", nid, NODE_DATA(nid)->node_zones[zone].name, order,
		   allocated);
	for (what = 0; what < NR_WHAT; what++)
		seq_printf(file, " %llu", pages[what]);
	seq_putc(file, '\n');
}

static int table_show(struct seq_file *file, void *unused)
{
	int nid, zone, order, what;

	seq_puts(file, "# node zone order allocated");
	for (what = 0; what < NR_WHAT; what++)
		seq_printf(file, " %s", stats_what_names[what]);
	seq_putc(file, '\n');
	for (nid = 0; nid < nr_node_ids; nid++)
		for (zone = 0; nodes[nid] && zone < MAX_NR_ZONES; zone++)
			for (order = 0; order <= MEMSUITE_MAX_ORDER; order++)
				table_show_row(file, nid, zone, order);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(table);

static void stats_free_nodes(void)
{
	int nid;

	for (nid = 0; nid < nr_node_ids; nid++)
		free_percpu(nodes[nid]);
	kfree(nodes);
}

bool memsuite_alloc_stats_add_node(int nid)
{
	struct node_demand __percpu *demand;

	if (nodes[nid])
		return true;
	demand = alloc_percpu(struct node_demand);
	/* Counters are there, and zero, for who sees them. */
	smp_store_release(&nodes[nid], demand);
	return demand;
}

int memsuite_alloc_stats_init(void)
{
	int nid;

	nodes = kcalloc(nr_node_ids, sizeof(*nodes), GFP_KERNEL);
	if (!nodes)
		return -ENOMEM;
	for_each_online_node(nid)
		if (!memsuite_alloc_stats_add_node(nid))
			goto err;
	dir = memsuite_control_add("demand", demand_groups);
	if (IS_ERR(dir))
		goto err;
	debugfs = memsuite_debugfs_add("demand");
	debugfs_create_file("table", 0400, debugfs, NULL, &table_fops);
	return 0;

err:
	stats_free_nodes();
	return -ENOMEM;
}

void memsuite_alloc_stats_exit(void)
{
	debugfs_remove_recursive(debugfs);
	memsuite_control_del(dir);
	stats_free_nodes();
}
