/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole ranges of page frames: taking everything in them out of use, and giving them back. */
#ifndef MEMSUITE_CONTIG_RANGE_H
#define MEMSUITE_CONTIG_RANGE_H

/**
 * memsuite_contig_range_claim() - take a whole range out of use
 * @start_pfn: first frame, a multiple of the pageblock size
 * @end_pfn: first frame behind the range, likewise
 *
 * Moves what is in use; drops clean page cache instead of moving it. For use
 * on demand: it drains every CPU. Claimed pages have a reference count of 1
 * and are given back with memsuite_contig_range_release().
 *
 * Context: may sleep.
 * Return: 0; -EINVAL (not aligned, not online, more than a zone); -EBUSY
 * (something in the range cannot be moved: kernel memory, a retired or a
 * pinned page).
 */
int memsuite_contig_range_claim(unsigned long start_pfn, unsigned long end_pfn);

/**
 * memsuite_contig_range_release() - give a claimed range back but for its bad pages
 * @start_pfn: as for memsuite_contig_range_claim()
 * @end_pfn: as for memsuite_contig_range_claim()
 * @bad: bitmap of bad pages, or NULL; they are retired
 *
 * Context: may sleep.
 */
void memsuite_contig_range_release(unsigned long start_pfn, unsigned long end_pfn,
				   const unsigned long *bad);

#endif
