/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Large folios that are clear when a fault gets them. The kernel clears those of a fault itself,
 * after they were allocated: it is told by a mark that this one needs not be.
 */
#ifndef MEMSUITE_HOOK_HOOK_CLEAR_H
#define MEMSUITE_HOOK_HOOK_CLEAR_H

#include <linux/mm.h>

#include <compat/thp.h>

#include "hook/hook_private.h"

extern const char memsuite_hook_clear_mark;

/* Whether a folio that is clear needs no more clearing. Context: any. */
static inline bool memsuite_hook_clear_spares(void)
{
	const struct memsuite_hook_state *point =
		&memsuite_hook_states[MEMSUITE_HOOK_POINT_FAULT_CLEAR];

	return !memsuite_fault_clears_large() ||
	       READ_ONCE(point->hooks[MEMSUITE_HOOK_RANK_PLACEMENT]) ||
	       READ_ONCE(point->hooks[MEMSUITE_HOOK_RANK_DEFAULT]);
}

/*
 * @page, the head of a folio, is clear. The mark goes when the kernel comes to clear the folio,
 * or frees it. If it does not come, as to a folio that is copied to, the mark stays: nobody
 * looks at page->private of anonymous memory that has no place in swap, and who gives it one
 * sets it. Context: nobody else has it.
 */
static inline void memsuite_hook_clear_set(struct page *page)
{
	set_page_private(page, (unsigned long)&memsuite_hook_clear_mark);
}

/* Whether it is, for who is to clear it; then no more. Context: as above. */
static inline bool memsuite_hook_clear_test_and_reset(struct page *page)
{
	if (page_private(page) != (unsigned long)&memsuite_hook_clear_mark)
		return false;
	set_page_private(page, 0);
	return true;
}

#endif
