// SPDX-License-Identifier: GPL-2.0-only
/* Walking over the anonymous memory of an address space; pagewalk.h. */

#include <linux/mm.h>
#include <linux/rcupdate.h>

#include <compat/compat.h>
#include <compat/pagetable.h>

#include "audit/pagewalk.h"

/* Page tables looked through before others may have mmap_lock. */
#define WALK_TABLES	64

static void look_through(struct vipzone_walk *walk, pmd_t *pmd, pmd_t pmdval,
			 unsigned long start, unsigned long end)
{
	spinlock_t *lock = pte_lockptr(walk->mm, &pmdval);
	pte_t *pte = pte_offset_kernel(&pmdval, start);
	unsigned long addr;

	spin_lock(lock);
	/* The table may have been taken away before its lock was ours. */
	if (memsuite_same_table(pmdval, READ_ONCE(*pmd))) {
		for (addr = start; addr < end; addr += PAGE_SIZE, pte++) {
			pte_t val = READ_ONCE(*pte);

			if (pte_present(val) && !pte_special(val) &&
			    pfn_valid(pte_pfn(val)))
				walk->see(walk, pte_page(val), addr,
					  (unsigned long *)pte);
		}
		if (walk->leave)
			walk->leave(walk, start, end);
	}
	spin_unlock(lock);
}

static void look_at_huge(struct vipzone_walk *walk, pmd_t *pmd, unsigned long addr,
			 unsigned long end)
{
	spinlock_t *lock = pmd_lockptr(walk->mm, pmd);
	pmd_t val;

	spin_lock(lock);
	val = READ_ONCE(*pmd);
	if (pmd_present(val) && pmd_leaf(val) && pfn_valid(pmd_pfn(val))) {
		walk->huge = true;
		walk->see(walk, pmd_page(val), addr, (unsigned long *)pmd);
		walk->huge = false;
		if (walk->leave)
			walk->leave(walk, addr, end);
	}
	spin_unlock(lock);
}

static void look_below(struct vipzone_walk *walk, pmd_t *pmd, unsigned long addr,
		       unsigned long end)
{
	pmd_t val;

	rcu_read_lock();
	val = READ_ONCE(*pmd);
	if (!pmd_none(val) && pmd_present(val)) {
		if (pmd_leaf(val))
			look_at_huge(walk, pmd, addr, end);
		else if (!pmd_bad(val))
			look_through(walk, pmd, val, addr, end);
	}
	rcu_read_unlock();
}

static bool has_anon(const struct vm_area_struct *vma)
{
	return vma->anon_vma && !(vma->vm_flags & (VM_HUGETLB | VM_IO |
						   VM_PFNMAP | VM_MIXEDMAP));
}

unsigned long vipzone_walk_on(struct vipzone_walk *walk, unsigned long addr)
{
	struct vm_area_struct *vma;
	int tables = 0;

	while ((vma = find_vma(walk->mm, addr))) {
		unsigned long next;

		addr = max(addr, vma->vm_start);
		if (!has_anon(vma))
			addr = vma->vm_end;
		walk->vma = vma;
		for (; addr < vma->vm_end; addr = next) {
			pmd_t *pmd;

			if (walk->stop || ++tables > WALK_TABLES)
				return addr;
			pmd = memsuite_pmd_offset(walk->mm, addr, &next);
			next = min(next, vma->vm_end);
			if (!pmd || pmd_none(READ_ONCE(*pmd)))
				continue;
			if (walk->enter)
				walk->enter(walk, addr);
			look_below(walk, pmd, addr, next);
		}
		if (walk->stop || ++tables > WALK_TABLES)
			return addr;
	}
	return 0;
}
