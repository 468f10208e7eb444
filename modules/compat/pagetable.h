/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page tables of other processes, by what a module may use: the walkers and
 * flushes of the kernel are not exported, and pte_offset_map_lock() and
 * pgd_none_or_clear_bad() are inlines around functions that are not.
 */
#ifndef MEMSUITE_COMPAT_PAGETABLE_H
#define MEMSUITE_COMPAT_PAGETABLE_H

#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/smp.h>

#include <asm/cpufeature.h>
#include <asm/invpcid.h>
#include <asm/special_insns.h>
#include <asm/tlbflush.h>

/**
 * memsuite_pmd_offset() - the PMD entry of an address
 * @mm: the address space; mmap_lock held
 * @addr: the address
 * @next: first address that another entry may exist for
 *
 * Return: the entry, or NULL if the tables do not go that far down.
 */
static inline pmd_t *memsuite_pmd_offset(struct mm_struct *mm, unsigned long addr,
					 unsigned long *next)
{
	pgd_t *pgd = pgd_offset(mm, addr), pgdval = READ_ONCE(*pgd);
	p4d_t *p4d, p4dval;
	pud_t *pud, pudval;

	*next = (addr & PGDIR_MASK) + PGDIR_SIZE;
	if (pgd_none(pgdval) || pgd_bad(pgdval))
		return NULL;
	p4d = p4d_offset(pgd, addr);
	p4dval = READ_ONCE(*p4d);
	*next = (addr & P4D_MASK) + P4D_SIZE;
	if (p4d_none(p4dval) || p4d_bad(p4dval))
		return NULL;
	pud = pud_offset(p4d, addr);
	pudval = READ_ONCE(*pud);
	*next = (addr & PUD_MASK) + PUD_SIZE;
	/* Huge ones look bad, and are not ours. */
	if (pud_none(pudval) || !pud_present(pudval) || pud_bad(pudval))
		return NULL;
	*next = (addr & PMD_MASK) + PMD_SIZE;
	return pmd_offset(pud, addr);
}

/*
 * Whether a PMD entry still names the same page table. Reading a table takes
 * RCU, changing an entry also its lock, and a look at the PMD once it is held.
 */
static inline bool memsuite_same_table(pmd_t before, pmd_t now)
{
	return !((pmd_val(before) ^ pmd_val(now)) & ~_PAGE_ACCESSED);
}

/* Flush what this CPU caches of user mappings. IRQs are off. */
static inline void memsuite_flush_tlb_local(void *unused)
{
	unsigned long cr4;

	/* __flush_tlb_all() is for KVM alone on the newest kernels. */
	if (boot_cpu_has(X86_FEATURE_INVPCID)) {
		invpcid_flush_all_nonglobals();
		return;
	}
	/*
	 * Toggling PGE flushes all address space identifiers, a write of CR3
	 * only one. native_write_cr4() is not exported everywhere.
	 */
	cr4 = native_read_cr4();
	asm volatile("mov %0, %%cr4" : : "r" (cr4 ^ X86_CR4_PGE) : "memory");
	asm volatile("mov %0, %%cr4" : : "r" (cr4) : "memory");
}

/**
 * memsuite_flush_tlb_mm() - flush an address space from all TLBs
 * @mm: the address space
 *
 * For accessed bits only, where a TLB that is missed costs accuracy: with
 * INVLPGB and a global ASID (AMD, from 6.15 on), a CPU that has switched away
 * may keep stale entries. Context: IRQs on, no locks that IRQs take.
 */
static inline void memsuite_flush_tlb_mm(struct mm_struct *mm)
{
	/* CPUs that come back to it later flush by themselves. */
	atomic64_inc(&mm->context.tlb_gen);
	on_each_cpu_mask(mm_cpumask(mm), memsuite_flush_tlb_local, NULL, true);
}

/* What pte_modify() changes; it cannot be used, for it needs a hidden mask. */
#define MEMSUITE_PROT_BITS	(_PAGE_PRESENT | _PAGE_RW | _PAGE_USER | \
				 _PAGE_PROTNONE | _PAGE_PKEY_MASK | _PAGE_NX)

static inline pte_t memsuite_pte_modify(pte_t pte, pteval_t prot)
{
	pteval_t was = pte_val(pte), val;

	val = (was & ~MEMSUITE_PROT_BITS) |
	      (prot & MEMSUITE_PROT_BITS & __supported_pte_mask);
	/* The address of what is not present is kept from speculation (L1TF). */
	return __pte(flip_protnone_guard(was, val, PTE_PFN_MASK));
}

/*
 * A PTE whose next touch takes a NUMA hint fault, in which the kernel gives the
 * page back what its area allows; and the same done by hand. Up to 6.2 the entry
 * remembers whether it was writable; later ones have the fault decide, and by hand
 * it is left to the next write.
 */
static inline pte_t memsuite_pte_protect(pte_t pte)
{
#ifdef pte_mk_savedwrite
	return memsuite_pte_modify(pte, _PAGE_PROTNONE | (pte_val(pte) & _PAGE_RW));
#else
	return memsuite_pte_modify(pte_wrprotect(pte), _PAGE_PROTNONE);
#endif
}

static inline pte_t memsuite_pte_unprotect(pte_t pte, pgprot_t prot)
{
#ifdef pte_mk_savedwrite
	return memsuite_pte_modify(pte, pgprot_val(prot) | (pte_val(pte) & _PAGE_RW));
#else
	pte_t back = memsuite_pte_modify(pte, pgprot_val(prot) & ~_PAGE_RW);

	return pgprot_val(prot) & _PAGE_RW ? pte_mkwrite_novma(back) : back;
#endif
}

/*
 * Whether the current task holds mmap_lock for writing: its owner is then the
 * task, whatever flags for spinners are set beside it; readers set another one.
 */
static inline bool memsuite_mmap_write_locked_by_current(struct mm_struct *mm)
{
#ifdef CONFIG_PREEMPT_RT
	return false;
#else
	unsigned long owner = atomic_long_read(&mm->mmap_lock.owner);

	return (owner & ~6UL) == (unsigned long)current;
#endif
}

/* What the young callbacks of an mmu notifier return. */
#if MEMSUITE_HAVE_MMU_NOTIFIER_BOOL
#define memsuite_young_t bool
#else
#define memsuite_young_t int
#endif

/* Whether page tables and TLBs may be touched in these ways. */
static inline bool memsuite_pagetable_usable(void)
{
	return !boot_cpu_has(X86_FEATURE_XENPV);
}

#endif
