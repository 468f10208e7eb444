// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: what memory hotplug asks of the loans: which pages of a block come online, and
 * whether a block may go offline.
 */

#include <linux/list.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/page_ref.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "store/dm_prefix.h"
#include "store/loan/loan_hotplug.h"
#include "store/loan/loan_range.h"

#define UNIT_ORDER	VSTORE_UNIT_SHIFT

/* All loans: changed and read under loans_lock, and read by hotplug with RCU. */
LIST_HEAD(vstore_loans);

static struct vstore_loan *loan_at(unsigned long pfn)
{
	u64 address = PFN_PHYS(pfn);
	struct vstore_loan *loan, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(loan, &vstore_loans, list)
		if (address >= loan->start && address < loan->start + loan->size)
			found = loan;
	rcu_read_unlock();
	return found;
}

/**
 * vstore_loan_withhold() - make pages such as are allocated, but nobody's memory
 * @page: the first one
 * @nr: how many
 */
void vstore_loan_withhold(struct page *page, unsigned long nr)
{
	for (; nr; nr--, page++) {
		ClearPageReserved(page);
		/* Since 6.11 they begin so. */
		if (!PageOffline(page))
			__SetPageOffline(page);
	}
}

static void hotplug_online_page(struct page *page, unsigned int order)
{
	unsigned long pfn = page_to_pfn(page), end = pfn + (1UL << order);
	struct vstore_loan *loan = loan_at(pfn);

	if (!loan) {
		generic_online_page(page, order);
		return;
	}
	for (; pfn < end; pfn += VSTORE_UNIT) {
		u32 unit = (PFN_PHYS(pfn) - loan->start) / VSTORE_UNIT_SIZE;

		if (test_bit(unit, loan->lent))
			generic_online_page(pfn_to_page(pfn), UNIT_ORDER);
		else
			vstore_loan_withhold(pfn_to_page(pfn), VSTORE_UNIT);
	}
}

/*
 * The kernel takes a block offline if nobody has a reference to those of its pages
 * that are offline already.
 */
static void block_yield(struct vstore_loan *loan, unsigned long pfn, unsigned long nr, bool back)
{
	unsigned long end = pfn + nr, i;

	for (; pfn < end; pfn += VSTORE_UNIT) {
		if (test_bit((PFN_PHYS(pfn) - loan->start) / VSTORE_UNIT_SIZE, loan->lent))
			continue;
		if (MEMSUITE_OFFLINE_IS_MANAGED)
			adjust_managed_page_count(pfn_to_page(pfn),
						  back ? -(long)VSTORE_UNIT : VSTORE_UNIT);
		for (i = pfn; i < pfn + VSTORE_UNIT; i++) {
			if (back)
				page_ref_inc(pfn_to_page(i));
			else
				WARN_ON_ONCE(!page_ref_dec_and_test(pfn_to_page(i)));
		}
	}
}

static void block_set_coming(struct vstore_loan *loan, unsigned long block, bool coming,
			     bool online)
{
	spin_lock(&loan->lock);
	assign_bit(block, loan->coming, coming);
	if (online)
		set_bit(block, loan->online);
	spin_unlock(&loan->lock);
}

/*
 * Memory that is claimed back must be movable; and only the store takes what it
 * has lent offline, for it would not learn of what others do in time.
 */
static int hotplug_event(struct notifier_block *notifier, unsigned long action, void *data)
{
	const struct memory_notify *range = data;
	struct vstore_loan *loan = loan_at(range->start_pfn);
	long block;

	if (!loan)
		return NOTIFY_OK;
	block = vstore_loan_block(loan, PFN_PHYS(range->start_pfn));
	switch (action) {
	case MEM_GOING_ONLINE:
		if (zone_idx(page_zone(pfn_to_page(range->start_pfn))) != ZONE_MOVABLE)
			return notifier_from_errno(-EINVAL);
		block_set_coming(loan, block, true, false);
		break;
	case MEM_CANCEL_ONLINE:
		block_set_coming(loan, block, false, false);
		break;
	case MEM_ONLINE:
		block_set_coming(loan, block, false, true);
		break;
	case MEM_GOING_OFFLINE:
		if (!loan->removing) {
			DMWARN_LIMIT("memory block %ld is lent by a store: remove that",
				     block + (long)loan->first);
			return notifier_from_errno(-EBUSY);
		}
		block_yield(loan, range->start_pfn, range->nr_pages, false);
		set_bit(block, loan->yielded);
		break;
	case MEM_CANCEL_OFFLINE:
		if (test_and_clear_bit(block, loan->yielded))
			block_yield(loan, range->start_pfn, range->nr_pages, true);
		break;
	case MEM_OFFLINE:
		clear_bit(block, loan->yielded);
		clear_bit(block, loan->online);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block hotplug_notifier = {
	.notifier_call = hotplug_event,
};

static int hotplug_watch(void)
{
	int err = set_online_page_callback(hotplug_online_page);

	if (err)
		return -EBUSY;
	err = register_memory_notifier(&hotplug_notifier);
	if (err)
		restore_online_page_callback(hotplug_online_page);
	return err;
}

static void hotplug_unwatch(void)
{
	unregister_memory_notifier(&hotplug_notifier);
	restore_online_page_callback(hotplug_online_page);
}

/**
 * vstore_loan_hotplug_add() - have memory hotplug ask about a loan
 * @loan: it, new; loans_lock is held
 *
 * Hotplug is watched from the first loan on, until after the last one.
 *
 * Return: 0, or an error if somebody else decides on memory that comes online.
 */
int vstore_loan_hotplug_add(struct vstore_loan *loan)
{
	int err = list_empty(&vstore_loans) ? hotplug_watch() : 0;

	if (!err)
		list_add_rcu(&loan->list, &vstore_loans);
	return err;
}

/**
 * vstore_loan_hotplug_remove() - hotplug knows nothing of a loan any more
 * @loan: it, none of whose blocks the kernel has; loans_lock is held
 */
void vstore_loan_hotplug_remove(struct vstore_loan *loan)
{
	list_del_rcu(&loan->list);
	if (list_empty(&vstore_loans))
		hotplug_unwatch();
	synchronize_rcu();
}
