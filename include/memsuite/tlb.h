/* SPDX-License-Identifier: GPL-2.0-only */
/* Flushing the TLBs of all processors that use an address space. */
#ifndef MEMSUITE_TLB_H
#define MEMSUITE_TLB_H

#include <linux/mm_types.h>

/**
 * memsuite_tlb_flushable() - whether this kernel has the function for it
 *
 * Return: if not, memsuite_tlb_flush() does nothing, and no bit of a page table entry
 * that correctness depends on may be cleared.
 */
bool memsuite_tlb_flushable(void);

/**
 * memsuite_tlb_flush() - flush a range of an address space, as the kernel does it
 * @mm: the address space
 * @start: first address
 * @end: first address behind the range
 *
 * Once it returns, no processor uses an older copy of the entries, their dirty
 * bits included. May be called under the lock of a page table.
 *
 * Context: interrupts on.
 */
void memsuite_tlb_flush(struct mm_struct *mm, unsigned long start, unsigned long end);

#endif
