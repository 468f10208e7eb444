// SPDX-License-Identifier: GPL-2.0-only
/* Who looks at the memory of pools; include/memsuite/pool_inspect.h. */

#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include <memsuite/block.h>

#include "frame/test_age.h"
#include "pool/pool_inspect.h"

DEFINE_STATIC_KEY_FALSE(ms_inspect_key);

static const struct ms_inspector *inspector;
static DEFINE_MUTEX(inspect_lock);

bool __ms_inspect_page(struct page *page)
{
	const struct ms_inspector *by = READ_ONCE(inspector);

	return !by || by->page(page);
}

void ms_inspect_block(unsigned long pfn, unsigned long nr, unsigned long *bad)
{
	const struct ms_inspector *by = READ_ONCE(inspector);

	if (by)
		by->block(pfn, nr, bad);
}

bool ms_inspect_held(struct page *page, unsigned int order)
{
	unsigned long pfn = page_to_pfn(page), nr = 1UL << order, i;
	DECLARE_BITMAP(bad, 1 << MS_MAX_ORDER);

	if (!static_branch_unlikely(&ms_inspect_key))
		return true;
	bitmap_zero(bad, nr);
	ms_inspect_block(pfn, nr, bad);
	/* They may come again before they are retired. */
	for_each_set_bit(i, bad, nr)
		ms_stamps_set(pfn + i, 1, 0);
	return bitmap_empty(bad, nr);
}
EXPORT_SYMBOL_GPL(ms_inspect_held);

int ms_inspect_start(const struct ms_inspector *by)
{
	int err = -EBUSY;

	mutex_lock(&inspect_lock);
	if (!inspector) {
		WRITE_ONCE(inspector, by);
		static_branch_enable(&ms_inspect_key);
		/* What fillers have at hand was inspected by nobody. */
		ms_hold_wait();
		ms_pools_recycle();
		err = 0;
	}
	mutex_unlock(&inspect_lock);
	return err;
}
EXPORT_SYMBOL_GPL(ms_inspect_start);

void ms_inspect_stop(void)
{
	mutex_lock(&inspect_lock);
	if (inspector) {
		static_branch_disable(&ms_inspect_key);
		WRITE_ONCE(inspector, NULL);
		/* Faults run with interrupts off, fillers in a hold. */
		synchronize_rcu();
		ms_hold_wait();
	}
	mutex_unlock(&inspect_lock);
}
EXPORT_SYMBOL_GPL(ms_inspect_stop);
