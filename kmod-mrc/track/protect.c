// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page protection (paper 001, section 3.2): entries are made what NUMA balancing
 * makes of them, so that a touch takes a hint fault, in which the kernel itself
 * makes the page accessible again, whatever numa_balancing is set to.
 *
 * Five things this must not get wrong:
 * - While a CPU may still use an old entry, tlb_flush_pending is raised: else
 *   whoever unmaps the page would take the entry for inaccessible, flush nothing,
 *   and free a page that is still written to.
 * - On more than one memory node, a hint fault moves the page.
 * - Without CONFIG_NUMA_BALANCING, the page would fault for ever.
 * - A child would inherit protected entries that nobody takes care of: pages
 *   are unprotected before fork() copies them, in an mmu notifier.
 * - mremap() moves entries to where the search for protected ones may have been
 *   already: once it goes on, pages are unprotected before they are moved.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/memremap.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mmu_notifier.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/userfaultfd_k.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <compat/pagetable.h>
#include <memsuite/pagewalk.h>
#include <memsuite/tlb.h>

#include "track/mm_notifier.h"
#include "track/protect.h"

/* Page tables that are walked while mmap_lock is held. */
#define BATCH_TABLES	32

#ifndef VM_SHADOW_STACK
#define VM_SHADOW_STACK	VM_NONE
#endif

/**
 * mrc_protect_usable() - whether pages can be protected on this machine now
 *
 * Return: 0, or -EOPNOTSUPP; the kernel log says why.
 */
int mrc_protect_usable(void)
{
	const char *why = NULL;

	if (!IS_ENABLED(CONFIG_NUMA_BALANCING))
		why = "the kernel has no NUMA balancing, whose faults it needs";
	else if (!IS_ENABLED(CONFIG_MMU_NOTIFIER))
		why = "the kernel has no mmu notifiers, which tell of forks";
	else if (IS_ENABLED(CONFIG_PAGE_TABLE_CHECK))
		why = "the kernel checks page tables by functions that are hidden";
	else if (IS_ENABLED(CONFIG_PREEMPT_RT))
		why = "locks of a real-time kernel do not tell who forks";
	else if (!memsuite_tlb_flushable())
		why = "TLBs cannot be flushed as it needs";
	else if (num_online_nodes() > 1)
		why = "there are several memory nodes, and its faults would move pages";
	if (!why)
		return 0;
	pr_warn_ratelimited("mode paper cannot protect pages: %s\n", why);
	return -EOPNOTSUPP;
}

static bool area_is_accessible(const struct vm_area_struct *vma)
{
	return vma->vm_flags & (VM_READ | VM_WRITE | VM_EXEC);
}

/* Only of these does fork() tell before it copies entries; see copy_page_range(). */
static bool fork_tells(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE;
}

/*
 * Entries of a shared mapping are not copied by fork() as a rule, but they are with
 * guard pages (7.x) or userfaultfd, which may come later. Pages of KSM, which are
 * nowhere but in such areas, and of userfaultfd have owners who look at their entries.
 */
static bool area_is_protectable(const struct vm_area_struct *vma)
{
	return area_is_accessible(vma) && fork_tells(vma) &&
	       !userfaultfd_armed((struct vm_area_struct *)vma) &&
	       !(vma->vm_flags & (VM_MERGEABLE | VM_SHADOW_STACK));
}

/*
 * Not the zero page, devices, what others hold, or large folios, of which a fault
 * restores all pages; nor what is shared until it is written to.
 */
static bool page_is_protectable(const struct vm_area_struct *vma, pte_t pte)
{
	struct page *page;

	if (pte_special(pte) || !pfn_valid(pte_pfn(pte)))
		return false;
	page = pfn_to_page(pte_pfn(pte));
	if (vma->vm_flags & VM_WRITE &&
	    atomic_read(&page->_mapcount) > 0)
		return false;
	return !is_zone_device_page(page) && !PageCompound(page) &&
	       !memsuite_page_pinned(page);
}

static u32 protect_pte(struct vm_area_struct *vma, pte_t *pte,
		       enum mrc_protect_op op)
{
	pte_t val = READ_ONCE(*pte);

	if (!pte_present(val))
		return 0;
	if (pte_protnone(val))
		return MRC_PAGE_PRESENT | MRC_PAGE_PROTECTED;
	if (pte_young(val) &&
	    test_and_clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)pte))
		return MRC_PAGE_PRESENT | MRC_PAGE_YOUNG;
	if (op != MRC_OP_PROTECT)
		return MRC_PAGE_PRESENT;
	if (!area_is_protectable(vma) || !page_is_protectable(vma, val))
		return MRC_PAGE_PRESENT | MRC_PAGE_STUCK;
	/* Processors set bits of an entry until it is gone. */
	val = native_ptep_get_and_clear(pte);
	native_set_pte(pte, memsuite_pte_protect(val));
	return MRC_PAGE_PRESENT | MRC_PAGE_PROTECTED | MRC_PAGE_CHANGED;
}

static u32 protect_huge(pmd_t *pmd, enum mrc_protect_op op)
{
	u32 found = MRC_PAGE_PRESENT | MRC_PAGE_HUGE | MRC_PAGE_STUCK;

	if (pmd_young(READ_ONCE(*pmd)))
		found |= MRC_PAGE_YOUNG;
	if (op == MRC_OP_CLEAR)
		clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)pmd);
	return found;
}

/* Called under RCU. */
static u32 protect_page(struct memsuite_walk_cursor *at, unsigned long addr,
			enum mrc_protect_op op)
{
	enum memsuite_walk_kind kind = memsuite_walk_cursor_seek(at, addr);
	u32 found;

	if (kind != MEMSUITE_WALK_HUGE &&
	    (kind != MEMSUITE_WALK_TABLE || op == MRC_OP_CLEAR))
		return 0;
	if (!memsuite_walk_cursor_lock(at))
		return 0;
	if (kind == MEMSUITE_WALK_HUGE)
		found = protect_huge(at->pmd, op);
	else
		found = protect_pte(at->vma, at->table + pte_index(addr), op);
	memsuite_walk_cursor_unlock(at);
	return found;
}

/**
 * mrc_protect_batch() - do something with some pages
 * @mm: the address space
 * @op: what
 * @pages: which; what was found is filled in
 * @n: how many
 *
 * Accessed bits that were cleared are not flushed from TLBs. Context: may sleep.
 *
 * Return: 0, -ESRCH (the address space is gone) or -EAGAIN (contended).
 */
int mrc_protect_batch(struct mm_struct *mm, enum mrc_protect_op op,
		      struct mrc_protect_page *pages, unsigned int n)
{
	struct memsuite_walk_cursor at = { .mm = mm };
	unsigned long low = ULONG_MAX, high = 0;
	struct mrc_protect_page *page;
	int err = memsuite_walk_lock(mm, MEMSUITE_WALK_TRY);

	if (err)
		return err;
	if (op == MRC_OP_PROTECT)
		inc_tlb_flush_pending(mm);
	rcu_read_lock();
	for (page = pages; page < pages + n; page++) {
		page->found = protect_page(&at, page->addr, op);
		if (page->found & MRC_PAGE_CHANGED) {
			low = min(low, page->addr);
			high = max(high, page->addr + PAGE_SIZE);
		}
	}
	rcu_read_unlock();
	if (op == MRC_OP_PROTECT) {
		if (low < high)
			memsuite_tlb_flush(mm, low, high);
		dec_tlb_flush_pending(mm);
	}
	memsuite_walk_unlock(mm);
	return 0;
}

/**
 * struct see_walk - all pages of an address space are told
 * @walk: over it
 * @see: is told each of them
 * @arg: for @see
 */
struct see_walk {
	struct memsuite_walk walk;
	mrc_protect_see_fn *see;
	void *arg;
};

static void see_page(const struct see_walk *all, unsigned long addr,
		     u32 found, unsigned long *entry)
{
	if (all->see(all->arg, addr, found) && found & MRC_PAGE_PRESENT)
		clear_bit(_PAGE_BIT_ACCESSED, entry);
}

static unsigned long see_ptes(struct memsuite_walk *walk, pte_t *pte,
			      unsigned long addr, unsigned long end)
{
	struct see_walk *all = container_of(walk, struct see_walk, walk);

	for (; addr < end; addr += PAGE_SIZE, pte++) {
		pte_t val = READ_ONCE(*pte);

		if (!pte_none(val))
			see_page(all, addr, pte_present(val) ? MRC_PAGE_PRESENT : 0,
				 (unsigned long *)pte);
	}
	return end;
}

static void see_huge(struct memsuite_walk *walk, pmd_t *pmd,
		     unsigned long addr, unsigned long end)
{
	struct see_walk *all = container_of(walk, struct see_walk, walk);

	for (; addr < end; addr += PAGE_SIZE)
		see_page(all, addr, MRC_PAGE_PRESENT | MRC_PAGE_HUGE,
			 (unsigned long *)pmd);
}

static const struct memsuite_walk_ops see_walk_ops = {
	.pte_range = see_ptes,
	.huge_pmd = see_huge,
};

/**
 * mrc_protect_enumerate() - tell all pages that are mapped or swapped out
 * @mm: the address space
 * @see: is told each page; under locks, may not sleep. Returns whether the
 *	accessed bit is to be cleared
 * @arg: for @see
 *
 * Context: may sleep.
 * Return: 0 or -ESRCH.
 */
int mrc_protect_enumerate(struct mm_struct *mm, mrc_protect_see_fn *see, void *arg)
{
	struct see_walk all = {
		.walk = {
			.ops = &see_walk_ops,
			.mm = mm,
			.wait = MEMSUITE_WALK_WAIT,
			.batch = BATCH_TABLES,
		},
		.see = see,
		.arg = arg,
	};

	return memsuite_walk_all(&all.walk);
}

#if IS_ENABLED(CONFIG_MMU_NOTIFIER)

/**
 * struct restoration - pages are unprotected by hand
 * @walk: over the address space
 * @shield: what they were protected for
 */
struct restoration {
	struct memsuite_walk walk;
	struct mrc_shield *shield;
};

/* An entry that was not accessible is in no TLB. */
static unsigned long restore_ptes(struct memsuite_walk *walk, pte_t *pte,
				  unsigned long addr, unsigned long end)
{
	struct restoration *all = container_of(walk, struct restoration, walk);
	pte_t val;

	if (!area_is_accessible(walk->vma))
		return end;
	for (; addr < end; addr += PAGE_SIZE, pte++) {
		if (!pte_protnone(READ_ONCE(*pte)))
			continue;
		val = native_ptep_get_and_clear(pte);
		native_set_pte(pte, memsuite_pte_unprotect(val, walk->vma->vm_page_prot));
		atomic64_inc(&all->shield->restored);
	}
	return end;
}

static const struct memsuite_walk_ops restoration_ops = {
	.pte_range = restore_ptes,
};

static struct restoration restoration_of(struct mrc_shield *shield)
{
	return (struct restoration) {
		.walk = {
			.ops = &restoration_ops,
			.mm = shield->mm,
			.wait = MEMSUITE_WALK_WAIT,
			.batch = BATCH_TABLES,
		},
		.shield = shield,
	};
}

/*
 * Before fork(), and once pages are being unprotected, mremap(). Both hold mmap_lock
 * for writing; the others who announce these events, munmap() among them, may hold
 * it not at all, and must not be followed into the areas.
 */
static bool event_concerns(const struct mrc_shield *shield,
			   enum mmu_notifier_event event)
{
	return event == MMU_NOTIFY_PROTECTION_PAGE ||
	       (event == MMU_NOTIFY_UNMAP && READ_ONCE(shield->stopping));
}

static int before_change(struct mmu_notifier *mn,
			 const struct mmu_notifier_range *range)
{
	struct mrc_shield *shield = container_of(mn, struct mrc_shield, notifier);
	struct restoration all;

	if (!event_concerns(shield, range->event) || current->mm != shield->mm ||
	    !memsuite_mmap_write_locked_by_current(shield->mm))
		return 0;
	all = restoration_of(shield);
	memsuite_walk_range(&all.walk, range->start, range->end);
	return 0;
}

static const struct mmu_notifier_ops ops = {
	.invalidate_range_start = before_change,
};

/**
 * mrc_protect_start() - prepare to protect pages
 * @shield: zeroed
 * @mm: the address space
 *
 * Context: may sleep; its tracker. Takes mmap_lock for writing.
 * Return: 0 or an error; -ESRCH if the address space is gone, -EAGAIN if that is taken.
 */
int mrc_protect_start(struct mrc_shield *shield, struct mm_struct *mm)
{
	int err;

	if (!mmget_not_zero(mm))
		return -ESRCH;
	shield->mm = mm;
	shield->notifier.ops = &ops;
	err = mrc_mm_notifier_register(&shield->notifier, mm);
	mmput_async(mm);
	return err;
}

/**
 * mrc_protect_stop() - leave no page protected
 * @shield: of mrc_protect_start()
 *
 * Context: may sleep.
 */
void mrc_protect_stop(struct mrc_shield *shield)
{
	struct restoration all = restoration_of(shield);

	/* Whoever has not seen it has mmap_lock, and is done before the walk begins. */
	WRITE_ONCE(shield->stopping, true);
	memsuite_walk_all(&all.walk);
	mmu_notifier_unregister(&shield->notifier, shield->mm);
}

#else

int mrc_protect_start(struct mrc_shield *shield, struct mm_struct *mm)
{
	return -EOPNOTSUPP;
}

void mrc_protect_stop(struct mrc_shield *shield)
{
}

#endif
