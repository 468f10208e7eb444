// SPDX-License-Identifier: GPL-2.0-only
/* What a page is for; segment.h. */

#include <linux/mm.h>

#include "parse/segment.h"

static bool is_stack(const struct vm_area_struct *vma)
{
	unsigned long start = vma->vm_mm->start_stack;

	return (vma->vm_flags & VM_GROWSDOWN) ||
	       (vma->vm_start <= start && start < vma->vm_end);
}

/* The anonymous memory that the program's file was loaded with. */
static bool is_bss(const struct vm_area_struct *vma)
{
	unsigned long edge = PAGE_ALIGN(vma->vm_mm->end_data);

	return vma->vm_start <= edge && edge < vma->vm_end;
}

enum vipzone_segment vipzone_segment_of_file(const struct mm_struct *mm, unsigned long address)
{
	unsigned long start_data = mm->start_data & PAGE_MASK;

	if (address >= start_data && address < PAGE_ALIGN(mm->end_data))
		return VIPZONE_SEGMENT_DATA;
	/* Constants lie between code and data. */
	if (address >= (mm->start_code & PAGE_MASK) &&
	    address < max(start_data, PAGE_ALIGN(mm->end_code)))
		return VIPZONE_SEGMENT_TEXT;
	return VIPZONE_SEGMENT_FILE;
}

enum vipzone_segment vipzone_segment_of(const struct vm_area_struct *vma, unsigned long address)
{
	const struct mm_struct *mm = vma->vm_mm;

	if (vma->vm_file)
		return vipzone_segment_of_file(mm, address);
	if (is_stack(vma))
		return VIPZONE_SEGMENT_STACK;
	if (address >= mm->start_brk && address < PAGE_ALIGN(mm->brk))
		return VIPZONE_SEGMENT_HEAP;
	return is_bss(vma) ? VIPZONE_SEGMENT_BSS : VIPZONE_SEGMENT_MMAP;
}
