/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mark of a page that is withheld for being bad. A kernel without CONFIG_MEMORY_FAILURE, as
 * Debian's for clouds up to 6.1, has none: there the suite marks its own as what it holds
 * otherwise, which nobody looks into, and page->private says why.
 */
#ifndef MEMSUITE_COMPAT_POISON_H
#define MEMSUITE_COMPAT_POISON_H

#include <linux/mm.h>
#include <linux/page-flags.h>

/*
 * What page->private says of a page that the suite retired. It is ours to use,
 * for the page has no other owner, and it is known again after a reload.
 */
#define MEMSUITE_RETIRED_COUNTED	0x6d656d73756974ULL
#define MEMSUITE_RETIRED_UNCOUNTED	0x6d656d73756975ULL

#ifdef CONFIG_MEMORY_FAILURE
#define memsuite_page_is_bad(page)	PageHWPoison(page)
#define memsuite_page_mark_bad(page)	SetPageHWPoison(page)
#define memsuite_page_unmark_bad(page)	ClearPageHWPoison(page)
#else
static inline bool memsuite_page_is_bad(struct page *page)
{
	return PageOffline(page) && page_private(page) == MEMSUITE_RETIRED_UNCOUNTED;
}

#define memsuite_page_mark_bad(page)	__SetPageOffline(page)
#define memsuite_page_unmark_bad(page)	__ClearPageOffline(page)
#endif

#endif
