/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels from 5.10 to 7.2. The suite is written for
 * the newest; here the older ones are brought up to it. HAVE_* come from
 * Kbuild.include; a version is compared only where no header can tell.
 */
#ifndef MEMSUITE_COMPAT_H
#define MEMSUITE_COMPAT_H

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/page-flags.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error "memsuite supports kernels from 5.10 on"
#endif

/* Up to 5.10 a free page that is poisoned stays in the buddy lists. */
#define MEMSUITE_FREE_MAY_BE_POISONED \
	(LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0))

/* The largest order of the buddy allocator, inclusive. 6.4 made it so, 6.8 gave it its name. */
#ifdef MAX_PAGE_ORDER
#define MEMSUITE_MAX_ORDER		MAX_PAGE_ORDER
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define MEMSUITE_MAX_ORDER		MAX_ORDER
#else
#define MEMSUITE_MAX_ORDER		(MAX_ORDER - 1)
#endif

/* 6.3 renamed it. */
/* Threads that the kernel makes for a process, which never run in user space; later than 6.3. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER			0
#endif

#ifndef kvfree_rcu_mightsleep
#define kvfree_rcu_mightsleep(ptr)	kvfree_rcu(ptr)
#endif

/* Simulated failures keep unpoison_memory() usable; 5.10 cannot tell them. */
#if MEMSUITE_HAVE_MF_SW_SIMULATED
#define MEMSUITE_MF_SW_SIMULATED	MF_SW_SIMULATED
#else
#define MEMSUITE_MF_SW_SIMULATED	0
#endif

/*
 * Up to 5.12 memory_failure() keeps the reference that it took to a page which
 * it cannot do anything about.
 */
#define MEMSUITE_MEMORY_FAILURE_KEEPS_REF \
	(LINUX_VERSION_CODE < KERNEL_VERSION(5, 13, 0))

/* Argument 3 is a migratetype up to 6.12, and flags from then on. */
static inline int memsuite_alloc_contig_range(unsigned long start, unsigned long end)
{
#if MEMSUITE_HAVE_ACR_FLAGS
	return alloc_contig_range(start, end, ACR_FLAGS_NONE, GFP_KERNEL);
#else
	return alloc_contig_range(start, end, MIGRATE_MOVABLE, GFP_KERNEL);
#endif
}

/* Whether that moves, or replaces, huge pages of hugetlbfs: from 5.13 on. */
static inline bool memsuite_contig_range_has_hugetlb(void)
{
	return MEMSUITE_HAVE_HUGETLB_DISSOLVE && IS_ENABLED(CONFIG_HUGETLB_PAGE);
}

/*
 * Up to 6.10, pages that go offline are taken off those that a zone manages, though
 * they be withheld, and so were not counted.
 */
#define MEMSUITE_OFFLINE_IS_MANAGED	(!MEMSUITE_HAVE_OFFLINE_COUNTS)

/*
 * Up to 5.18 pages are isolated by 4 MiB at least: where half of that is withheld,
 * the other half cannot be allocated.
 */
#define MEMSUITE_ISOLATES_BY_PAGEBLOCK	\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(5, 19, 0))

/* 5.10 wants to be told the node, which it then does not need. */
#if MEMSUITE_HAVE_OFFLINE_NID
#define memsuite_offline_and_remove_memory(start, size)	\
	offline_and_remove_memory(page_to_nid(pfn_to_page(PHYS_PFN(start))), start, size)
#else
#define memsuite_offline_and_remove_memory(start, size)	offline_and_remove_memory(start, size)
#endif

#if !MEMSUITE_HAVE_SYSFS_EMIT
#error "a 5.10 kernel of 5.10.63 or later is needed: sysfs_emit()"
#endif

#endif
