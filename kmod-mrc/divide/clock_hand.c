// SPDX-License-Identifier: GPL-2.0-only
/* A hand that goes over the pages of a target; clock_hand.h. */

#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <compat/pagetable.h>

#include "divide/clock_hand.h"
#include "target/target.h"
#include "track/young_shadow.h"

/* Pages looked at in one hold of mmap_lock. */
#define LOOKS_BATCH	2048

static bool is_done(const struct mrc_hand *h)
{
	return h->looks <= 0 || (h->batch && h->picked >= h->batch);
}

/* Return: where it stopped, or @end. */
static unsigned long see_table(struct mrc_hand *h, struct mm_struct *mm,
			       pmd_t *pmd, pmd_t pmdval, unsigned long addr,
			       unsigned long end)
{
	pte_t *pte = pte_offset_kernel(&pmdval, addr);
	spinlock_t *lock = pte_lockptr(mm, &pmdval);

	spin_lock(lock);
	/* The table may have been taken away before its lock was ours. */
	if (!memsuite_same_table(pmdval, READ_ONCE(*pmd)))
		addr = end;
	for (; addr < end && !is_done(h); addr += PAGE_SIZE, pte++) {
		pte_t val = READ_ONCE(*pte);

		if (pte_present(val) && !pte_special(val) &&
		    pfn_valid(pte_pfn(val)))
			h->see(h, pte_page(val), addr, (unsigned long *)pte, 0);
	}
	spin_unlock(lock);
	return addr;
}

static void see_huge(struct mrc_hand *h, struct mm_struct *mm, pmd_t *pmd,
		     unsigned long addr)
{
	spinlock_t *lock = pmd_lockptr(mm, pmd);
	pmd_t val;

	spin_lock(lock);
	val = READ_ONCE(*pmd);
	if (!pmd_none(val) && pmd_present(val) && pmd_leaf(val) &&
	    pfn_valid(pmd_pfn(val)))
		h->see(h, pmd_page(val), addr, (unsigned long *)pmd, HPAGE_PMD_ORDER);
	spin_unlock(lock);
}

static void find_usage(struct mrc_hand *h, unsigned long addr)
{
	h->usage = h->table ? h->table(&h->t->share.notes, addr) : NULL;
	h->tables++;
}

static unsigned long see_pmd(struct mrc_hand *h, struct mm_struct *mm, pmd_t *pmd,
			     unsigned long addr, unsigned long end)
{
	pmd_t val;

	h->looks--;
	rcu_read_lock();
	val = READ_ONCE(*pmd);
	if (pmd_none(val) || !pmd_present(val)) {
		addr = end;
	} else if (pmd_leaf(val)) {
		find_usage(h, addr);
		if (!(addr & ~PMD_MASK))
			see_huge(h, mm, pmd, addr);
		addr = end;
	} else if (!pmd_bad(val)) {
		find_usage(h, addr);
		addr = see_table(h, mm, pmd, val, addr, end);
	} else {
		addr = end;
	}
	rcu_read_unlock();
	return addr;
}

static bool eligible(const struct vm_area_struct *vma)
{
	return !(vma->vm_flags & (VM_HUGETLB | VM_IO | VM_PFNMAP |
				  VM_MIXEDMAP | VM_LOCKED));
}

/* Return: where to go on; 0: the end has been reached. */
static unsigned long go_on(struct mrc_hand *h, struct mm_struct *mm,
			   unsigned long addr)
{
	struct vm_area_struct *vma;

	while ((vma = find_vma(mm, addr))) {
		addr = max(addr, vma->vm_start);
		if (!eligible(vma))
			addr = vma->vm_end;
		while (addr < vma->vm_end) {
			unsigned long next;
			pmd_t *pmd;

			if (is_done(h))
				return addr;
			pmd = memsuite_pmd_offset(mm, addr, &next);
			next = min(next, vma->vm_end);
			h->looks--;
			addr = pmd ? see_pmd(h, mm, pmd, addr, next) : next;
		}
		h->looks--;
	}
	return 0;
}

/**
 * mrc_hand_is_whole() - whether an entry maps all of a page
 * @page: that it maps
 * @order: of what it maps
 *
 * Large folios that are mapped page by page have more accessed bits than one.
 */
bool mrc_hand_is_whole(struct page *page, unsigned int order)
{
	return page == compound_head(page) && memsuite_page_order(page) == order;
}

/**
 * mrc_hand_usage() - what is noted of a page, or of a huge one and those after it
 * @h: the hand, at this page
 * @addr: of the page
 *
 * Return: NULL if there was no memory for that.
 */
u8 *mrc_hand_usage(const struct mrc_hand *h, unsigned long addr)
{
	return h->usage ? h->usage + pte_index(addr) : NULL;
}

/**
 * mrc_hand_take() - take the accessed bit of a page; the ladder hears of it
 * @h: the hand, at this page
 * @addr: of the page
 * @entry: of the page table
 *
 * Return: whether it was touched.
 */
bool mrc_hand_take(struct mrc_hand *h, unsigned long addr, unsigned long *entry)
{
	bool young = READ_ONCE(*entry) & _PAGE_ACCESSED &&
		     test_and_clear_bit(_PAGE_BIT_ACCESSED, entry);

	return mrc_young_age(h->t, addr, young);
}

/**
 * mrc_hand_go() - go on over the pages of a target
 * @h: the hand
 * @mm: the address space of its target
 * @at: where it is; 0 when the end has been reached
 *
 * Context: may sleep; one at a time for each @at.
 * Return: looks that were made; 0: mmap_lock could not be had.
 */
u64 mrc_hand_go(struct mrc_hand *h, struct mm_struct *mm, unsigned long *at)
{
	h->looks = LOOKS_BATCH;
	if (!mmap_read_trylock(mm))
		return 0;
	*at = go_on(h, mm, *at);
	mmap_read_unlock(mm);
	/* Where nothing is mapped there is nothing to look at. */
	return LOOKS_BATCH - max_t(s64, h->looks, 0) + 1;
}
