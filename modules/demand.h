/* SPDX-License-Identifier: GPL-2.0-only */
/* What the rest of the core tells the account of demand. */
#ifndef MEMSUITE_DEMAND_CORE_H
#define MEMSUITE_DEMAND_CORE_H

#include <linux/jump_label.h>

#include <memsuite/demand.h>

DECLARE_STATIC_KEY_FALSE(ms_demand_key);

void __ms_demand_handed(struct page *page);
void __ms_demand_giving(unsigned long pfn, unsigned long nr);

/* A hook hands a page out. Context: any. */
static inline void ms_demand_handed(struct page *page)
{
	if (static_branch_unlikely(&ms_demand_key))
		__ms_demand_handed(page);
}

/*
 * The suite is about to free frames that no user had: their stamps stay.
 * Context: any.
 */
static inline void ms_demand_giving(unsigned long pfn, unsigned long nr)
{
	if (static_branch_unlikely(&ms_demand_key))
		__ms_demand_giving(pfn, nr);
}

#endif
