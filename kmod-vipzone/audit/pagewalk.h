/* SPDX-License-Identifier: GPL-2.0-only */
/* Walking over the anonymous memory of an address space. */
#ifndef VIPZONE_AUDIT_PAGEWALK_H
#define VIPZONE_AUDIT_PAGEWALK_H

#include <linux/mm_types.h>

/**
 * struct vipzone_walk - a walk over what is mapped, one page table at a time
 * @mm: the address space
 * @vma: the area that is walked over
 * @enter: may be NULL; before the page table that maps @addr is looked through.
 *	May sleep
 * @see: the entry @entry maps @page at @addr; a huge page has one entry. Under
 *	the lock of the page table, so that the page cannot go away
 * @leave: may be NULL; after the entries of [start, end), under that lock still
 * @huge: the entry that is seen is one of a huge page
 * @stop: set by any of them: no more page tables for now
 */
struct vipzone_walk {
	struct mm_struct *mm;
	struct vm_area_struct *vma;
	void (*enter)(struct vipzone_walk *walk, unsigned long addr);
	void (*see)(struct vipzone_walk *walk, struct page *page, unsigned long addr,
		    unsigned long *entry);
	void (*leave)(struct vipzone_walk *walk, unsigned long start,
		      unsigned long end);
	bool huge;
	bool stop;
};

/**
 * vipzone_walk_on() - walk on from an address
 * @walk: what to call
 * @addr: where from
 *
 * Goes on until it is told to stop, or has looked through so many page tables
 * that others should have mmap_lock for once.
 *
 * Context: mmap_lock held for reading; may sleep.
 * Return: where to go on, 0 at the end.
 */
unsigned long vipzone_walk_on(struct vipzone_walk *walk, unsigned long addr);

#endif
