// SPDX-License-Identifier: GPL-2.0-only
/*
 * Huge pages of hugetlbfs are on no list of free blocks and on no LRU list: a
 * sweep does not see them, nor are they moved as other pages are. The kernel has
 * a way to empty a range that has some: it replaces those in reserve, and moves
 * the contents of the others.
 */

#include <linux/kernel.h>
#include <linux/mm.h>

#include <compat/compat.h>
#include <memsuite/contig_range.h>
#include <memsuite/held_pages.h>

#include "march/engine.h"
#include "paths/hugetlb.h"
#include "result/verdict.h"
#include "sched/algorithm.h"
#include "sched/worker.h"

static struct memdiag_verdict verdict;		/* the thread's, as is the march */
static struct memdiag_engine_test plan;

static void hugetlb_test_claimed(unsigned long pfn, unsigned long nr)
{
	memdiag_algorithm_get(&plan);
	memdiag_worker_test(&verdict, &plan, pfn, nr, memdiag_worker_fidelity(),
			    memdiag_worker_ends);
	memdiag_worker_spend(nr);
	memdiag_verdict_report(&verdict);
}

bool memdiag_hugetlb_test(struct page *head)
{
	unsigned long pfn = page_to_pfn(head);
	int token, err;

	/* The last look without a reference: what it is by now, the claim finds out. */
	if (!memsuite_contig_range_has_hugetlb() || !PageHead(head) ||
	    compound_order(head) != pageblock_order)
		return false;
	token = memsuite_hold_begin();
	err = memsuite_contig_range_claim(pfn, pfn + pageblock_nr_pages);
	if (!err) {
		hugetlb_test_claimed(pfn, pageblock_nr_pages);
		memsuite_contig_range_release(pfn, pfn + pageblock_nr_pages, verdict.bad);
	}
	memsuite_hold_end(token);
	return !err;
}
