/* SPDX-License-Identifier: GPL-2.0-only */
/* What tells that memory is unmapped: nothing does in a kernel without CONFIG_MMU_NOTIFIER. */
#ifndef MEMSUITE_COMPAT_UNMAP_H
#define MEMSUITE_COMPAT_UNMAP_H

#include <linux/errno.h>
#include <linux/mmu_notifier.h>

#ifdef CONFIG_MMU_NOTIFIER
#define memsuite_range_is_unmapped(range)	((range)->event == MMU_NOTIFY_UNMAP)
#else
#define memsuite_range_is_unmapped(range)	((void)(range), false)

static inline int __mmu_notifier_register(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	return -EOPNOTSUPP;
}

static inline void mmu_notifier_put(struct mmu_notifier *notifier)
{
}
#endif

#endif
