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
enum memdiag_pretest_left {
	MEMDIAG_LEFT_LARGE,	/* a large folio, and none is ready */
	MEMDIAG_LEFT_POLICY,	/* a NUMA policy or a cpuset */
	MEMDIAG_LEFT_CONTEXT,	/* not movable, or not all zones are allowed */
	MEMDIAG_LEFT_EMPTY,	/* the pool is empty */
	MEMDIAG_NR_LEFT,
};

/**
 * struct memdiag_pretest_stats - what became of the faults of a CPU
 * @served: pages, tested, that faults were served with
 * @on_demand: pages tested at once
 * @left: those left to the kernel, by reason
 */
struct memdiag_pretest_stats {
	u64 served;
	u64 on_demand;
	u64 left[MEMDIAG_NR_LEFT];
};

DECLARE_PER_CPU(struct memdiag_pretest_stats, memdiag_pretest_stats);

/**
 * struct memdiag_pretest_node - where the faults of a node's CPUs are served from
 * @region: the node
 * @pool: its pool, or NULL
 */
struct memdiag_pretest_node {
	struct memsuite_region *region;
	struct memsuite_pool *pool;
};

/* nr_node_ids of them, set before the hook is armed. */
extern struct memdiag_pretest_node *memdiag_pretest_nodes;

extern const struct memsuite_hook memdiag_pretest_hook;

/**
 * memdiag_pretest_is_fresh() - whether faults may have frames without another test
 * @pfn: first of an aligned power of two of frames
 * @nr: how many
 *
 * Context: any.
 * Return: false if one of them has to be tested first.
 */
bool memdiag_pretest_is_fresh(unsigned long pfn, unsigned long nr);

/**
 * memdiag_pretest_inspect_page() - test a page at once, unless that was done lately
 * @page: the page
 *
 * Context: a page fault, with interrupts off.
 * Return: false if it is bad; if not, it is zero.
 */
bool memdiag_pretest_inspect_page(struct page *page);

#endif
