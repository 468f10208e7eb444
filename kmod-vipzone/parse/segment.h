/* SPDX-License-Identifier: GPL-2.0-only */
/* What a page is for: the segments of a process (hybrid PRAM, section 3.2). */
#ifndef VIPZONE_PARSE_SEGMENT_H
#define VIPZONE_PARSE_SEGMENT_H

#include <linux/mm.h>

/**
 * enum vipzone_segment - what a page is for
 * @VIPZONE_SEGMENT_TEXT: the program's code and constants
 * @VIPZONE_SEGMENT_DATA: its initialised data
 * @VIPZONE_SEGMENT_BSS: its other data
 * @VIPZONE_SEGMENT_BRK: between start_brk and brk
 * @VIPZONE_SEGMENT_STACK: of its first thread, and what else grows down
 * @VIPZONE_SEGMENT_MMAP: other private anonymous memory: other threads' stacks, and private huge
 *	pages of hugetlbfs, among it
 * @VIPZONE_SEGMENT_SHARED: shared memory, whoever has it mapped: tmpfs, memfd, shared anonymous
 *	memory, and what is shared of hugetlbfs. One of its own, for it is seldom one program's,
 *	and "mmap" is part of the heap
 * @VIPZONE_SEGMENT_FILE: other files' mappings: libraries and their data
 * @VIPZONE_SEGMENT_CACHE: page cache of files that it reads and writes by system calls
 * @VIPZONE_NR_SEGMENTS: how many segments there are
 */
enum vipzone_segment {
	VIPZONE_SEGMENT_TEXT,
	VIPZONE_SEGMENT_DATA,
	VIPZONE_SEGMENT_BSS,
	VIPZONE_SEGMENT_BRK,
	VIPZONE_SEGMENT_STACK,
	VIPZONE_SEGMENT_MMAP,
	VIPZONE_SEGMENT_SHARED,
	VIPZONE_SEGMENT_FILE,
	VIPZONE_SEGMENT_CACHE,
	VIPZONE_NR_SEGMENTS,
};

/*
 * What programs have for malloc(): today's have their own ways to get memory, and need no brk().
 * "heap" stands for both, where a policy does not name one of them.
 */
#define VIPZONE_HEAP_SEGMENTS	((1U << VIPZONE_SEGMENT_BRK) | (1U << VIPZONE_SEGMENT_MMAP))

/* Which segment an address belongs to at which a file is mapped. Context: any. */
enum vipzone_segment vipzone_segment_of_file(const struct mm_struct *mm, unsigned long address);

static inline bool vipzone_is_stack(const struct vm_area_struct *vma)
{
	unsigned long start = vma->vm_mm->start_stack;

	return (vma->vm_flags & VM_GROWSDOWN) ||
	       (vma->vm_start <= start && start < vma->vm_end);
}

/* The anonymous memory that the program's file was loaded with. */
static inline bool vipzone_is_bss(const struct vm_area_struct *vma)
{
	unsigned long edge = PAGE_ALIGN(vma->vm_mm->end_data);

	return vma->vm_start <= edge && edge < vma->vm_end;
}

/**
 * vipzone_segment_of() - which segment a page, private or hugetlbfs's, belongs to
 * @vma: the area that it lies in; its vm_mm is set
 * @address: the address
 *
 * The kernel knows a program's code and data by the addresses that its file was
 * loaded to: what is mapped before its code, some headers, counts as a file.
 *
 * Context: any; the bounds that brk() moves are read without a lock.
 * Return: the segment.
 */
static inline enum vipzone_segment vipzone_segment_of(const struct vm_area_struct *vma,
						      unsigned long address)
{
	const struct mm_struct *mm = vma->vm_mm;

	if (vma->vm_flags & VM_HUGETLB)
		return vma->vm_flags & VM_MAYSHARE ? VIPZONE_SEGMENT_SHARED : VIPZONE_SEGMENT_MMAP;
	if (vma->vm_file)
		return vipzone_segment_of_file(mm, address);
	if (vipzone_is_stack(vma))
		return VIPZONE_SEGMENT_STACK;
	if (address >= mm->start_brk && address < PAGE_ALIGN(mm->brk))
		return VIPZONE_SEGMENT_BRK;
	return vipzone_is_bss(vma) ? VIPZONE_SEGMENT_BSS : VIPZONE_SEGMENT_MMAP;
}

#endif
