/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Retiring pages by their frame number, and taking it back. Bad pages of held
 * memory are retired by memsuite_block_retire() and memsuite_contig_range_release().
 */
#ifndef MEMSUITE_RETIRE_H
#define MEMSUITE_RETIRE_H

#include <linux/types.h>

/**
 * memsuite_page_retire() - withhold a page for good
 * @pfn: its frame
 *
 * A free page is taken. The contents of a page in use are moved elsewhere
 * first, so nobody is killed and nothing is lost, but clean page cache around
 * it may be dropped.
 *
 * Context: may sleep.
 * Return: 0; -ENXIO (no memory that is online); -EEXIST (marked bad already);
 * -EBUSY (in use, and cannot be moved: the kernel's own, or pinned);
 * -ENOMEM.
 */
int memsuite_page_retire(unsigned long pfn);

/**
 * memsuite_page_unretire() - give a retired page back to the page allocator
 * @pfn: its frame
 *
 * Of any page that the suite retired since the last boot, whichever way.
 *
 * Context: may sleep.
 * Return: 0; -ENXIO (no memory that is online); -ENOENT (not marked bad);
 * -EPERM (marked bad by somebody else); -EOPNOTSUPP (the kernel gives nothing
 * back any more, after a memory failure that the hardware reported);
 * -EBUSY (somebody looks at it just now).
 */
int memsuite_page_unretire(unsigned long pfn);

/**
 * memsuite_page_retired() - whether a page is withheld for good
 * @pfn: its frame
 *
 * Context: any.
 * Return: true if it is marked bad, be it by the suite, the kernel or another tool.
 */
bool memsuite_page_retired(unsigned long pfn);

#endif
