/* SPDX-License-Identifier: GPL-2.0-only */
/* What mpol_misplaced() is called with. */
#ifndef MEMSUITE_COMPAT_MISPLACED_H
#define MEMSUITE_COMPAT_MISPLACED_H

#include <linux/mempolicy.h>
#include <linux/mm.h>

typedef typeof(mpol_misplaced) memsuite_misplaced_fn;

/* (folio, vmf, address) from 6.10 on; before, (page, vma, address). */
#if MEMSUITE_HAVE_MISPLACED_FAULT

static inline struct vm_area_struct *memsuite_misplaced_area(unsigned long arg)
{
	return ((struct vm_fault *)arg)->vma;
}

#define MEMSUITE_MISPLACED_ARGS(page, fault, address)	page_folio(page), fault, address

#else

static inline struct vm_area_struct *memsuite_misplaced_area(unsigned long arg)
{
	return (struct vm_area_struct *)arg;
}

#define MEMSUITE_MISPLACED_ARGS(page, fault, address)	page, (fault)->vma, address

#endif

#endif
