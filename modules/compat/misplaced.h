/* SPDX-License-Identifier: GPL-2.0-only */
/* What mpol_misplaced() is called with. */
#ifndef MEMSUITE_COMPAT_MISPLACED_H
#define MEMSUITE_COMPAT_MISPLACED_H

#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

typedef typeof(mpol_misplaced) memsuite_misplaced_fn;

/* (folio, vmf, address) from 6.10 on; before, (page, vma, address). */
#if MEMSUITE_HAVE_MISPLACED_FAULT

static inline struct vm_area_struct *memsuite_misplaced_area(unsigned long arg)
{
	return ((struct vm_fault *)arg)->vma;
}

/* The same, of an argument that may be anything. */
static inline bool memsuite_misplaced_read(unsigned long arg, struct vm_area_struct **vma)
{
	struct vm_fault fault;

	if (copy_from_kernel_nofault(&fault, (void *)arg, sizeof(fault)))
		return false;
	*vma = memsuite_misplaced_area((unsigned long)&fault);
	return true;
}

#define MEMSUITE_MISPLACED_ARGS(page, fault, address)	page_folio(page), fault, address

#else

static inline struct vm_area_struct *memsuite_misplaced_area(unsigned long arg)
{
	return (struct vm_area_struct *)arg;
}

static inline bool memsuite_misplaced_read(unsigned long arg, struct vm_area_struct **vma)
{
	*vma = memsuite_misplaced_area(arg);
	return true;
}

#define MEMSUITE_MISPLACED_ARGS(page, fault, address)	page, (fault)->vma, address

#endif

#endif
