/* SPDX-License-Identifier: GPL-2.0-only */
/* Transparent huge pages: of one process, as prctl(PR_SET_THP_DISABLE) does. */
#ifndef MEMSUITE_COMPAT_THP_H
#define MEMSUITE_COMPAT_THP_H

#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/sched/coredump.h>

#if MEMSUITE_HAVE_MM_FLAGS_TEST
#define MEMSUITE_MMF_DISABLE_THP	MMF_DISABLE_THP_COMPLETELY
#define memsuite_mm_flag_set(flag, mm)	mm_flags_test_and_set(flag, mm)
#define memsuite_mm_flag_clear(flag, mm)	mm_flags_clear(flag, mm)
#else
#define MEMSUITE_MMF_DISABLE_THP	MMF_DISABLE_THP
#define memsuite_mm_flag_set(flag, mm)	test_and_set_bit(flag, &(mm)->flags)
#define memsuite_mm_flag_clear(flag, mm)	clear_bit(flag, &(mm)->flags)
#endif

/* True if this call is what forbids them. */
static inline bool memsuite_thp_disable(struct mm_struct *mm)
{
	return !memsuite_mm_flag_set(MEMSUITE_MMF_DISABLE_THP, mm);
}

static inline void memsuite_thp_enable(struct mm_struct *mm)
{
	memsuite_mm_flag_clear(MEMSUITE_MMF_DISABLE_THP, mm);
}

/*
 * khugepaged knows by a flag the address spaces that it has on its list: with
 * the flag alone, they do not come there. True if this call has set it.
 */
static inline bool memsuite_khugepaged_avoid(struct mm_struct *mm)
{
	return !memsuite_mm_flag_set(MMF_VM_HUGEPAGE, mm);
}

static inline void memsuite_khugepaged_admit(struct mm_struct *mm)
{
	memsuite_mm_flag_clear(MMF_VM_HUGEPAGE, mm);
}

/* Whether a fault clears a large folio itself, after it was allocated; not always from 6.13 on. */
static inline bool memsuite_fault_clears_large(void)
{
#if MEMSUITE_HAVE_USER_ALLOC_NEEDS_ZEROING
	return user_alloc_needs_zeroing();
#else
	return true;
#endif
}

#endif
