// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reclaim misses accessed bits that mrc has cleared, and would take the page to be
 * idle. So each is remembered (young_shadow.c), and given back once: whenever the
 * kernel tests or clears an accessed bit, it asks mmu notifiers what a secondary MMU
 * has seen, and the notifier here answers with the bit that was taken.
 *
 * The other way round, whoever clears an accessed bit takes it from the ladder: it can
 * no longer see that page's touch, and leaves the page out. vipzone's audit tells it what
 * it has found (secondary_mmu.h).
 *
 * In 6.1, MGLRU (off by default) ages without asking; everything else does,
 * DAMON and idle page tracking included.
 */

#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include <compat/compat.h>
#include <compat/pagetable.h>
#include <memsuite/page_map.h>
#include <memsuite/secondary_mmu.h>

#include "target/page_usage.h"
#include "target/target.h"
#include "track/mm_notifier.h"
#include "track/young_notifier.h"
#include "track/young_shadow.h"

#if IS_ENABLED(CONFIG_MMU_NOTIFIER)

/*
 * What aging has taken of these pages, which are within a page table. Called under its
 * lock, or without it if not @clear.
 */
static bool usage_return(struct mrc_target *t, unsigned long start,
			 unsigned long end, bool clear)
{
	u8 *usage = memsuite_page_map_find(&t->share.usage_map, start);
	bool owed = false;

	if (!usage)
		return false;
	end = min(end, (start & PMD_MASK) + PMD_SIZE);
	for (usage += pte_index(start); start < end; start += PAGE_SIZE, usage++) {
		if (!(READ_ONCE(*usage) & MRC_PAGE_USAGE_OWED))
			continue;
		owed = true;
		if (clear)
			*usage &= ~MRC_PAGE_USAGE_OWED;
	}
	return owed;
}

static bool give_back(struct mmu_notifier *mn, unsigned long start,
		      unsigned long end, bool clear)
{
	struct mrc_target *t = container_of(mn, struct mrc_target, notifier);
	enum memsuite_young_ask ask = memsuite_secondary_mmu_asker();
	bool young;

	if (ask == MEMSUITE_YOUNG_ASK_SELF)
		return false;
	rcu_read_lock();
	young = usage_return(t, start, end, clear);
	young |= mrc_young_shadow_return(t, start, end, clear, ask);
	rcu_read_unlock();
	return young;
}

static memsuite_young_t clear_young(struct mmu_notifier *mn, struct mm_struct *mm,
				    unsigned long start, unsigned long end)
{
	return give_back(mn, start, end, true);
}

static memsuite_young_t test_young(struct mmu_notifier *mn, struct mm_struct *mm,
				   unsigned long addr)
{
	return give_back(mn, addr, addr + 1, false);
}

static const struct mmu_notifier_ops ops = {
	.clear_flush_young = clear_young,
	.clear_young = clear_young,
	.test_young = test_young,
};

/**
 * mrc_young_notifier_start() - answer for an address space
 * @t: the target; @mm is set
 *
 * Context: may sleep; its tracker. Takes mmap_lock for writing.
 * Return: 0 or an error; -ESRCH if the address space is gone, -EAGAIN if that is taken.
 */
int mrc_young_notifier_start(struct mrc_target *t)
{
	int err;

	if (t->notified)
		return 0;
	if (!mmget_not_zero(t->mm))
		return -ESRCH;
	t->notifier.ops = &ops;
	err = mrc_mm_notifier_register(&t->notifier, t->mm);
	mmput_async(t->mm);
	t->notified = !err;
	return err;
}

/**
 * mrc_young_notifier_stop() - answer no more
 * @t: the target; @mm is still the one that was answered for
 *
 * Context: may sleep.
 */
void mrc_young_notifier_stop(struct mrc_target *t)
{
	if (t->notified)
		mmu_notifier_unregister(&t->notifier, t->mm);
	t->notified = false;
	mrc_young_shadow_free(t);
}

/*
 * The notifiers of an address space are in a list, whose head is the first of what it has of
 * them. Where it should not be, they are asked one time too often.
 */
static bool is_alone(const struct mrc_target *t, const struct mm_struct *mm)
{
	const struct hlist_node *own = &t->notifier.hlist;

	return READ_ONCE(t->notified) && !READ_ONCE(own->next) &&
	       READ_ONCE(own->pprev) == (struct hlist_node **)mm->notifier_subscriptions;
}

/**
 * mrc_young_elsewhere() - whether a secondary MMU has used a page, as a virtual machine's
 * @t: the target
 * @mm: its address space
 * @addr: of the page
 * @size: of the page
 * @clear: it is forgotten
 *
 * Context: under RCU, or the lock of a page table.
 * Return: whether it was used since it was last forgotten.
 */
bool mrc_young_elsewhere(const struct mrc_target *t, struct mm_struct *mm, unsigned long addr,
			 unsigned long size, bool clear)
{
	if (is_alone(t, mm))
		return false;
	if (!clear)
		return memsuite_secondary_mmu_test_young(mm, addr, MEMSUITE_YOUNG_ASK_SELF);
	return memsuite_secondary_mmu_clear_young(mm, addr, addr + size, MEMSUITE_YOUNG_ASK_SELF);
}

#else

bool mrc_young_elsewhere(const struct mrc_target *t, struct mm_struct *mm, unsigned long addr,
			 unsigned long size, bool clear)
{
	return false;
}

int mrc_young_notifier_start(struct mrc_target *t)
{
	return 0;
}

void mrc_young_notifier_stop(struct mrc_target *t)
{
	mrc_young_shadow_free(t);
}

#endif
