// SPDX-License-Identifier: GPL-2.0-only
/* Claiming whole ranges; include/memsuite/contig_range.h. */

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>

#include <compat/compat.h>
#include <memsuite/contig_range.h>

#include "frame/alloc_stats_private.h"
#include "frame/held_pages_private.h"
#include "frame/hwpoison.h"

static bool range_is_claimable(unsigned long start_pfn, unsigned long end_pfn)
{
	struct page *first = pfn_to_online_page(start_pfn), *page;
	unsigned long pfn;

	if (!first || start_pfn >= end_pfn ||
	    !IS_ALIGNED(start_pfn | end_pfn, pageblock_nr_pages))
		return false;
	for (pfn = start_pfn; pfn < end_pfn; pfn += pageblock_nr_pages) {
		page = pfn_to_online_page(pfn);
		if (!page || page_zone(page) != page_zone(first))
			return false;
	}
	return true;
}

int memsuite_contig_range_claim(unsigned long start_pfn, unsigned long end_pfn)
{
	int err;

	if (!range_is_claimable(start_pfn, end_pfn))
		return -EINVAL;
	err = memsuite_alloc_contig_range(start_pfn, end_pfn);
	if (err)
		return err == -EINTR || err == -ENOMEM ? err : -EBUSY;
	memsuite_held_pages_add(end_pfn - start_pfn);
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_contig_range_claim);

void memsuite_contig_range_release(unsigned long start_pfn, unsigned long end_pfn,
				   const unsigned long *bad)
{
	unsigned long pfn;

	for (pfn = start_pfn; pfn < end_pfn; pfn++) {
		if (bad && test_bit(pfn - start_pfn, bad))
			memsuite_hwpoison_set(pfn_to_page(pfn));
		else
			memsuite_alloc_stats_free(pfn_to_page(pfn), 0, __free_pages);
	}
	memsuite_held_pages_add(-(long)(end_pfn - start_pfn));
}
EXPORT_SYMBOL_GPL(memsuite_contig_range_release);
