/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What secondary MMUs have seen used: those of virtual machines and devices, whose accesses
 * the accessed bits of a process do not tell. Whoever looks at such a bit, or clears it, asks
 * here as well, as reclaim does.
 *
 * mrc answers, too, for the bits that it has taken, and learns what others take from it. Of
 * those, it knows but that they asked; what the suite itself has found it is told here.
 */
#ifndef MEMSUITE_SECONDARY_MMU_H
#define MEMSUITE_SECONDARY_MMU_H

#include <linux/mm_types.h>

/**
 * enum memsuite_young_ask - who asks whether memory was used
 * @MEMSUITE_YOUNG_ASK_KERNEL: the kernel
 * @MEMSUITE_YOUNG_ASK_SET: the suite, which has cleared an accessed bit that was set
 * @MEMSUITE_YOUNG_ASK_CLEAR: the suite, which has found it clear
 * @MEMSUITE_YOUNG_ASK_SELF: mrc, which knows its own answer
 */
enum memsuite_young_ask {
	MEMSUITE_YOUNG_ASK_KERNEL,
	MEMSUITE_YOUNG_ASK_SET,
	MEMSUITE_YOUNG_ASK_CLEAR,
	MEMSUITE_YOUNG_ASK_SELF,
};

/**
 * memsuite_secondary_mmu_clear_young() - take what was seen of a range
 * @mm: the address space
 * @start: first address
 * @end: first address behind the range
 * @ask: who asks
 *
 * Context: under the lock of a page table, or RCU; not in interrupts.
 * Return: whether any of it was used since it was last asked. False on a kernel that
 * does not tell.
 */
bool memsuite_secondary_mmu_clear_young(struct mm_struct *mm, unsigned long start,
					unsigned long end, enum memsuite_young_ask ask);

/**
 * memsuite_secondary_mmu_test_young() - the same of a page, and leave it
 * @mm: the address space
 * @addr: of the page
 * @ask: who asks
 *
 * Context: as memsuite_secondary_mmu_clear_young().
 * Return: likewise.
 */
bool memsuite_secondary_mmu_test_young(struct mm_struct *mm, unsigned long addr,
				       enum memsuite_young_ask ask);

/**
 * memsuite_secondary_mmu_asker() - who asks
 *
 * Context: a notifier's clear_young(), clear_flush_young() or test_young().
 * Return: who has made the call.
 */
enum memsuite_young_ask memsuite_secondary_mmu_asker(void);

#endif
