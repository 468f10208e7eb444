// SPDX-License-Identifier: GPL-2.0-only
/*
 * Huge pages of hugetlbfs are on no list of free blocks and on no LRU list: a
 * sweep does not see them, nor are they moved as other pages are. The kernel has
 * a way to empty a range that has some: it replaces those in reserve, and moves
 * the contents of the others.
 */

#include <linux/hugetlb.h>
#include <linux/mm.h>
#include <linux/nodemask.h>

#include <compat/compat.h>
#include <memsuite/contig_range.h>
#include <memsuite/held_pages.h>

#include "paths/held_test.h"
#include "paths/hugetlb.h"
#include "sched/psi_backoff.h"
#include "sched/worker.h"

/* The kernel takes another one from the reserve of any node, whatever the program asked for. */
static bool hugetlb_would_stray(struct page *head)
{
	return page_count(head) && num_node_state(N_MEMORY) > 1;
}

/* Sweeps may need what is left of the budget, and others the processors. */
static bool hugetlb_may_test(void)
{
	return memdiag_worker_may_test() && memdiag_psi_share_pct() == 100 &&
	       !memdiag_worker_ends();
}

/*
 * Where contents went to a page in reserve, some kernels put the old one there in its place, and
 * then the range is not empty: the second time it is replaced.
 */
static int hugetlb_claim(struct page *head)
{
	unsigned long pfn = page_to_pfn(head), end = pfn + pageblock_nr_pages;
	int err = memsuite_contig_range_claim(pfn, end);

	if (err == -EBUSY && PageHuge(head) && !page_count(head))
		err = memsuite_contig_range_claim(pfn, end);
	return err;
}

bool memdiag_hugetlb_test(struct page *head, unsigned int order)
{
	unsigned long pfn = page_to_pfn(head);
	int token, err;

	/* Without a reference: what it is by now, the claim finds out. */
	if (!memsuite_contig_range_has_hugetlb() || order != pageblock_order ||
	    hugetlb_would_stray(head) || !hugetlb_may_test())
		return false;
	token = memsuite_hold_begin();
	err = hugetlb_claim(head);
	if (!err)
		memsuite_contig_range_release(pfn, pfn + pageblock_nr_pages,
					      memdiag_held_test(pfn, pageblock_nr_pages));
	memsuite_hold_end(token);
	return !err;
}
