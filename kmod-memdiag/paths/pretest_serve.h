/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults that are served with tested pages. */
#ifndef MEMDIAG_PATHS_PRETEST_SERVE_H
#define MEMDIAG_PATHS_PRETEST_SERVE_H

#include <linux/percpu.h>
#include <linux/types.h>

struct memsuite_hook;
struct memsuite_pool;
struct memsuite_region;
struct page;

/* Why a fault was left to the kernel's own free lists. */
enum pretest_left {
	LEFT_LARGE,	/* a large folio */
	LEFT_POLICY,	/* a NUMA policy or a cpuset */
	LEFT_CONTEXT,	/* not movable, or not all zones are allowed */
	LEFT_EMPTY,	/* the pool is empty */
	NR_LEFT,
};

/**
 * struct pretest_stats - what became of the faults of a CPU
 * @served: those served with a tested page
 * @on_demand: pages tested at once
 * @left: those left to the kernel, by reason
 */
struct pretest_stats {
	u64 served;
	u64 on_demand;
	u64 left[NR_LEFT];
};

DECLARE_PER_CPU(struct pretest_stats, pretest_stats);

/**
 * struct pretest_node - where the faults of a node's CPUs are served from
 * @region: the node
 * @pool: its pool, or NULL
 */
struct pretest_node {
	struct memsuite_region *region;
	struct memsuite_pool *pool;
};

/* nr_node_ids of them, set before the hook is armed. */
extern struct pretest_node *pretest_nodes;

extern const struct memsuite_hook pretest_hook;

/**
 * pretest_inspect_page() - test a page at once, unless that was done lately
 * @page: the page
 *
 * Context: a page fault, with interrupts off.
 * Return: false if it is bad; if not, it is zero.
 */
bool pretest_inspect_page(struct page *page);

#endif
