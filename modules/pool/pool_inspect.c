// SPDX-License-Identifier: GPL-2.0-only
/* Who looks at the memory of pools; include/memsuite/pool_inspect.h. */

#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include <compat/compat.h>
#include <memsuite/held_pages.h>

#include "frame/test_age.h"
#include "pool/pool_inspect_private.h"

DEFINE_STATIC_KEY_FALSE(memsuite_pool_inspect_key);

static const struct memsuite_pool_inspector *inspector;
static DEFINE_MUTEX(inspect_lock);

bool __memsuite_pool_inspect_page(struct page *page)
{
	const struct memsuite_pool_inspector *by = READ_ONCE(inspector);

	return !by || by->page(page);
}

bool __memsuite_pool_is_fresh(unsigned long pfn, unsigned long nr)
{
	const struct memsuite_pool_inspector *by = READ_ONCE(inspector);

	return !by || by->is_fresh(pfn, nr);
}

bool memsuite_pool_inspect_block(unsigned long pfn, unsigned long nr, unsigned long *bad)
{
	const struct memsuite_pool_inspector *by = READ_ONCE(inspector);

	return !by || by->block(pfn, nr, bad);
}

int memsuite_pool_inspect_held(struct page *page, unsigned int order)
{
	unsigned long pfn = page_to_pfn(page), nr = 1UL << order, i;
	DECLARE_BITMAP(bad, 1 << MEMSUITE_MAX_ORDER);
	bool whole;

	if (!static_branch_unlikely(&memsuite_pool_inspect_key))
		return 0;
	bitmap_zero(bad, nr);
	whole = memsuite_pool_inspect_block(pfn, nr, bad);
	/* They may come again before they are retired. */
	for_each_set_bit(i, bad, nr)
		memsuite_test_age_set(pfn + i, 1, 0);
	if (!bitmap_empty(bad, nr))
		return -EIO;
	return whole ? 0 : -EAGAIN;
}
EXPORT_SYMBOL_GPL(memsuite_pool_inspect_held);

int memsuite_pool_inspect_start(const struct memsuite_pool_inspector *by)
{
	int err = -EBUSY;

	mutex_lock(&inspect_lock);
	if (!inspector) {
		WRITE_ONCE(inspector, by);
		static_branch_enable(&memsuite_pool_inspect_key);
		/* What refill threads have at hand was inspected by nobody. */
		memsuite_hold_wait();
		memsuite_pools_recycle();
		err = 0;
	}
	mutex_unlock(&inspect_lock);
	return err;
}
EXPORT_SYMBOL_GPL(memsuite_pool_inspect_start);

void memsuite_pool_inspect_stop(void)
{
	mutex_lock(&inspect_lock);
	if (inspector) {
		static_branch_disable(&memsuite_pool_inspect_key);
		WRITE_ONCE(inspector, NULL);
		/* Faults run with interrupts off, refill threads in a hold. */
		synchronize_rcu();
		memsuite_hold_wait();
	}
	mutex_unlock(&inspect_lock);
}
EXPORT_SYMBOL_GPL(memsuite_pool_inspect_stop);
