/* SPDX-License-Identifier: GPL-2.0-only */
/* What move_page_tables() is called with. */
#ifndef MEMSUITE_COMPAT_REMAP_H
#define MEMSUITE_COMPAT_REMAP_H

#include <linux/mm_types.h>
#include <linux/version.h>

struct memsuite_mremap {
	struct mm_struct *mm;
	unsigned long from;
	unsigned long to;
	unsigned long length;
};

/*
 * One structure from 6.15 on, in a header that is not handed out; before, (vma,
 * from, new_vma, to, length, ...).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)

struct memsuite_pagetable_move_control {
	struct vm_area_struct *old;
	struct vm_area_struct *new;
	unsigned long old_addr;
	unsigned long old_end;
	unsigned long new_addr;
	unsigned long len_in;
};

#define MEMSUITE_MREMAP_ARGS	\
	{ 0, MEMSUITE_HOOK_NO_ARG, MEMSUITE_HOOK_NO_ARG, MEMSUITE_HOOK_NO_ARG }

static inline void memsuite_mremap_of(const unsigned long *args,
				      struct memsuite_mremap *remap)
{
	const struct memsuite_pagetable_move_control *control = (void *)args[0];

	remap->mm = control->old->vm_mm;
	remap->from = control->old_addr;
	remap->to = control->new_addr;
	remap->length = control->len_in;
}

#else

#define MEMSUITE_MREMAP_ARGS	{ 0, 1, 3, 4 }

static inline void memsuite_mremap_of(const unsigned long *args,
				      struct memsuite_mremap *remap)
{
	const struct vm_area_struct *vma = (void *)args[0];

	remap->mm = vma->vm_mm;
	remap->from = args[1];
	remap->to = args[2];
	remap->length = args[3];
}

#endif
#endif
