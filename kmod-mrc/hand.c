// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hand of a clock that goes over the pages of one target: what was touched
 * since it last came by stays, and its accessed bit is cleared; the rest is
 * evicted. The ladder, which lives on the same bits, hears of what is cleared
 * (young.c). Pages that others map as well are not this target's to evict.
 */

#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <compat/pagetable.h>
#include <memsuite/evict.h>

#include "mrc.h"

/* Page table entries looked at in one sweep, and in one hold of mmap_lock. */
#define LOOKS_MAX	32768
#define LOOKS_BATCH	2048
/* Pages evicted at once. */
#define EVICT_BATCH	64
/* Pages right before the one that faults are left: it may go on with them. */
#define BEHIND		4
/* How long to wait when all was in use. */
#define REST		(HZ / 10)
/* How long the disk may keep a sweep that is not to wait for it. */
#define PATIENCE	(HZ / 10)

/**
 * struct sweep - one sweep of the hand
 * @t: whose
 * @want: pages that are still to be found
 * @batch: of these, how many at most before they are evicted
 * @looks: entries that may still be looked at in this hold of the lock
 * @picked: pages found
 * @any: what was touched, too
 */
struct sweep {
	struct mrc_target *t;
	u64 want;
	u64 batch;
	s64 looks;
	u64 picked;
	bool any;
};

static bool full(const struct sweep *s)
{
	return s->looks <= 0 || s->picked >= s->batch;
}

/* Under the lock of the page table. */
static void see(struct sweep *s, struct page *page, unsigned long addr,
		unsigned long *entry, unsigned int order)
{
	struct mrc_share *share = &s->t->share;
	u64 nr = 1ULL << order;
	bool young;

	s->looks--;
	young = READ_ONCE(*entry) & _PAGE_ACCESSED &&
		test_and_clear_bit(_PAGE_BIT_ACCESSED, entry);
	if (mrc_young_age(s->t, addr, young) && !s->any)
		return;
	if (ms_page_shared(compound_head(page))) {
		share->refused_shared += nr;
		return;
	}
	/* Of a large folio that is mapped page by page, each has its own bit. */
	if (page != compound_head(page) || ms_page_order(page) != order ||
	    !ms_evict_add(&share->evict, page)) {
		share->refused_busy += nr;
		return;
	}
	s->picked += nr;
}

/* Return: where it stopped, or @end. */
static unsigned long see_table(struct sweep *s, struct mm_struct *mm,
			       pmd_t *pmd, pmd_t pmdval, unsigned long addr,
			       unsigned long end)
{
	pte_t *pte = pte_offset_kernel(&pmdval, addr);
	spinlock_t *lock = pte_lockptr(mm, &pmdval);

	spin_lock(lock);
	/* The table may have been taken away before its lock was ours. */
	if (!ms_same_table(pmdval, READ_ONCE(*pmd)))
		addr = end;
	for (; addr < end && !full(s); addr += PAGE_SIZE, pte++) {
		pte_t val = READ_ONCE(*pte);

		if (pte_present(val) && !pte_special(val) &&
		    pfn_valid(pte_pfn(val)))
			see(s, pte_page(val), addr, (unsigned long *)pte, 0);
	}
	spin_unlock(lock);
	return addr;
}

static void see_huge(struct sweep *s, struct mm_struct *mm, pmd_t *pmd,
		     unsigned long addr)
{
	spinlock_t *lock = pmd_lockptr(mm, pmd);
	pmd_t val;

	spin_lock(lock);
	val = READ_ONCE(*pmd);
	if (!pmd_none(val) && pmd_present(val) && pmd_leaf(val) &&
	    pfn_valid(pmd_pfn(val)))
		see(s, pmd_page(val), addr, (unsigned long *)pmd, HPAGE_PMD_ORDER);
	spin_unlock(lock);
}

static unsigned long see_pmd(struct sweep *s, struct mm_struct *mm, pmd_t *pmd,
			     unsigned long addr, unsigned long end)
{
	pmd_t val;

	s->looks--;
	rcu_read_lock();
	val = READ_ONCE(*pmd);
	if (pmd_none(val) || !pmd_present(val)) {
		addr = end;
	} else if (pmd_leaf(val)) {
		if (!(addr & ~PMD_MASK))
			see_huge(s, mm, pmd, addr);
		addr = end;
	} else if (!pmd_bad(val)) {
		addr = see_table(s, mm, pmd, val, addr, end);
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
static unsigned long go_on(struct sweep *s, struct mm_struct *mm,
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

			if (full(s))
				return addr;
			pmd = ms_pmd_offset(mm, addr, &next);
			next = min(next, vma->vm_end);
			s->looks--;
			addr = pmd ? see_pmd(s, mm, pmd, addr, next) : next;
		}
		s->looks--;
	}
	return 0;
}

static bool has_room(const struct mrc_share *share)
{
	return share->evict.nr <= MS_EVICT_MAX - EVICT_BATCH;
}

/* Return: whether the lock could be had. */
static bool sweep_batch(struct sweep *s, struct mm_struct *mm, u64 want)
{
	s->looks = LOOKS_BATCH;
	s->picked = 0;
	s->batch = min_t(u64, want, EVICT_BATCH);
	if (!mmap_read_trylock(mm))
		return false;
	s->t->share.hand = go_on(s, mm, s->t->share.hand);
	mmap_read_unlock(mm);
	ms_evict_run(&s->t->share.evict);
	return true;
}

/*
 * Of a loop that does not fit, LRU evicts just what comes next, so that all of it
 * is missed. What was used last is what it will not use for longest: that is
 * what lies before the page that has just faulted, if the loop goes up.
 */
static bool go_back(struct mrc_share *share, u64 want)
{
	unsigned long fault = READ_ONCE(share->fault);
	unsigned long back = (BEHIND + want) << PAGE_SHIFT;

	if (!READ_ONCE(share->loops) || fault < back)
		return false;
	share->hand = (fault & PAGE_MASK) - back;
	return true;
}

/**
 * mrc_hand_settle() - free what the hand evicted and has been written since
 * @t: the target
 *
 * Context: may sleep.
 */
void mrc_hand_settle(struct mrc_target *t)
{
	if (!mutex_trylock(&t->share.sweeping))
		return;
	ms_evict_begin(&t->share.evict);
	mutex_unlock(&t->share.sweeping);
}

/**
 * mrc_hand_sweep() - evict pages of a target that are not in use
 * @t: the target
 * @mm: its address space, which the caller keeps
 * @want: how many pages
 * @wait: until there is room for them among those that are being written
 * @evicted: the count to add them to: one of @t->share
 *
 * Context: may sleep; waits for a disk with @wait only.
 * Return: pages that it is smaller by, as far as can be told.
 */
u64 mrc_hand_sweep(struct mrc_target *t, struct mm_struct *mm, u64 want,
		   bool wait, u64 *evicted)
{
	struct mrc_share *share = &t->share;
	struct sweep s = { .t = t };
	unsigned long until;
	u64 before, after;
	s64 looks;

	/* Another thread is at it. */
	if (!mutex_trylock(&share->sweeping))
		return 0;
	before = get_mm_rss(mm);
	/* The division may have ended since the caller has looked. */
	if (READ_ONCE(share->pages) == U64_MAX ||
	    time_before(jiffies, share->rest_until)) {
		mutex_unlock(&share->sweeping);
		return 0;
	}
	ms_evict_begin(&share->evict);
	if (wait)
		ms_evict_wait(&share->evict, EVICT_BATCH);
	s.any = go_back(share, want);
	/* Twice around at most: once to clear, and once to find. */
	looks = min_t(u64, 2 * before + LOOKS_BATCH, LOOKS_MAX);
	after = before;
	until = jiffies + PATIENCE;
	while (looks > 0 && has_room(share) && before - min(before, after) < want &&
	       (wait || time_before(jiffies, until))) {
		if (!sweep_batch(&s, mm, want - (before - min(before, after))))
			break;
		/* Where nothing is mapped there is nothing to look at. */
		looks -= LOOKS_BATCH - max_t(s64, s.looks, 0) + 1;
		after = get_mm_rss(mm);
		cond_resched();
	}
	after = min(before, after);
	*evicted += before - after;
	/* What is being written makes room sooner than what is in use. */
	if (before == after && has_room(share))
		share->rest_until = jiffies + REST;
	mutex_unlock(&share->sweeping);
	return before - after;
}
