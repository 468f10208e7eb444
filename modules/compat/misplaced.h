/* SPDX-License-Identifier: GPL-2.0-only */
/* What mpol_misplaced() is called with. */
#ifndef MEMSUITE_COMPAT_MISPLACED_H
#define MEMSUITE_COMPAT_MISPLACED_H

#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/version.h>

/* (folio, vmf, address) from 6.10 on; before, (page, vma, address). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)

typedef int ms_misplaced_fn(struct folio *folio, struct vm_fault *vmf,
			    unsigned long address);

static inline struct vm_area_struct *ms_misplaced_area(unsigned long arg)
{
	return ((struct vm_fault *)arg)->vma;
}

/* As a fault does, with the lock of a page table held. */
#define ms_misplaced(call, page, area, address) ({			\
	spinlock_t __lock;						\
	struct vm_fault __vmf = { .vma = area, .ptl = &__lock };	\
	int __nid;							\
									\
	spin_lock_init(&__lock);					\
	spin_lock(&__lock);						\
	__nid = static_call(call)(page_folio(page), &__vmf, address);	\
	spin_unlock(&__lock);						\
	__nid; })

#else

typedef int ms_misplaced_fn(struct page *page, struct vm_area_struct *vma,
			    unsigned long address);

static inline struct vm_area_struct *ms_misplaced_area(unsigned long arg)
{
	return (struct vm_area_struct *)arg;
}

#define ms_misplaced(call, page, area, address)	\
	static_call(call)(page, area, address)

#endif

#endif
