/* SPDX-License-Identifier: GPL-2.0-only */
/* What move_page_tables() is called with. */
#ifndef MEMSUITE_COMPAT_REMAP_H
#define MEMSUITE_COMPAT_REMAP_H

#include <linux/mm_types.h>
#include <linux/uaccess.h>
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

#define MEMSUITE_MREMAP_NR_ARGS	1
#define MEMSUITE_MREMAP_ARGS	{ 0 }

static inline void memsuite_mremap_of(const unsigned long *args,
				      struct memsuite_mremap *remap)
{
	const struct memsuite_pagetable_move_control *control = (void *)args[0];

	remap->mm = control->old->vm_mm;
	remap->from = control->old_addr;
	remap->to = control->new_addr;
	remap->length = control->len_in;
}

/* The same, of arguments that may be anything; and the area that is moved. */
static inline bool memsuite_mremap_read(const unsigned long *args, struct memsuite_mremap *remap,
					unsigned long *area)
{
	struct memsuite_pagetable_move_control control;
	const unsigned long arg = (unsigned long)&control;
	struct vm_area_struct vma;

	if (copy_from_kernel_nofault(&control, (void *)args[0], sizeof(control)) ||
	    copy_from_kernel_nofault(&vma, control.old, sizeof(vma)))
		return false;
	*area = (unsigned long)control.old;
	control.old = &vma;
	memsuite_mremap_of(&arg, remap);
	return true;
}

#else

#define MEMSUITE_MREMAP_NR_ARGS	4
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

/* The same, of arguments that may be anything; and the area that is moved. */
static inline bool memsuite_mremap_read(const unsigned long *args, struct memsuite_mremap *remap,
					unsigned long *area)
{
	struct vm_area_struct vma;
	const unsigned long known[] = { (unsigned long)&vma, args[1], args[2], args[3] };

	if (copy_from_kernel_nofault(&vma, (void *)args[0], sizeof(vma)))
		return false;
	*area = args[0];
	memsuite_mremap_of(known, remap);
	return true;
}

#endif
#endif
