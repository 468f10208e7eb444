/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel functions that are not exported. The module is not loaded without them,
 * but for those that are said to be missing on some kernels.
 */
#ifndef MEMSUITE_KERNEL_UNEXPORTED_CALLS_H
#define MEMSUITE_KERNEL_UNEXPORTED_CALLS_H

#include <linux/mm_types.h>
#include <linux/mmzone.h>

#include <compat/calls.h>
#include <memsuite/psi.h>

/* Resolves them. -EOPNOTSUPP: one that cannot be done without is not there. May sleep. */
int memsuite_unexported_calls_init(void);

/*
 * Takes a free block out of the buddy lists. Under zone->lock. Returns false
 * below the minimum watermark.
 */
bool memsuite_kcall_isolate_free_page(struct page *page, unsigned int order);

/* Makes an isolated block an allocated one: poison, KASAN, zeroing, owner. */
void memsuite_kcall_post_alloc_hook(struct page *page, unsigned int order, gfp_t gfp);

/* Migratetype of the pageblock that a page lies in. */
int memsuite_kcall_migratetype(struct page *page);

/* Takes a page that is in use off the LRU; it gets a reference. May sleep. */
bool memsuite_kcall_isolate_lru(struct page *page);

/* Gives pages from memsuite_kcall_isolate_lru() back to the LRU. May sleep. */
void memsuite_kcall_putback_movable_pages(struct list_head *pages);

/*
 * Moves pages; returns how many were not moved, or -errno. For the reason
 * MR_MEMORY_FAILURE the pages moved away from are not freed. May sleep.
 */
int memsuite_kcall_migrate_pages(struct list_head *from, memsuite_new_unit_fn get,
				 memsuite_free_unit_fn put, unsigned long private,
				 enum migrate_mode mode, enum migrate_reason reason);

/*
 * Uncharges a page that was moved away from, if its cgroup is still charged for it.
 * The page is off the LRU, and nobody else holds it.
 */
void memsuite_kcall_uncharge_moved(struct page *page);

/* Puts the pages that CPUs keep back from the LRU lists there. May sleep. */
void memsuite_kcall_lru_add_drain_all(void);

/* Puts the free pages of a zone, or all, that CPUs keep in the buddy lists. */
void memsuite_kcall_drain_all_pages(struct zone *zone);

/* The same for this CPU. Not in interrupts, where it may hold the lock of its lists. */
void memsuite_kcall_drain_local_pages(struct zone *zone);

/* Flushes the TLBs of a range of an address space, if the kernel's function is there. */
void memsuite_kcall_flush_tlb(struct mm_struct *mm, unsigned long start, unsigned long end);
bool memsuite_kcall_flush_tlb_there(void);

/* What secondary MMUs have seen used: include/memsuite/secondary_mmu.h. */
bool memsuite_kcall_clear_young(struct mm_struct *mm, unsigned long start, unsigned long end);
bool memsuite_kcall_test_young(struct mm_struct *mm, unsigned long address);

/*
 * The node that NUMA balancing would move a page to, or NUMA_NO_NODE, which it
 * is too if there is no such function.
 */
int memsuite_kcall_misplaced(struct page *page, struct vm_area_struct *vma,
			     unsigned long address);

/*
 * Clears a large folio, as for a fault at an address. False if there is no such function.
 * May sleep.
 */
bool memsuite_kcall_clear_large(struct page *page, unsigned int order, unsigned long address);

/* The policy of a task where its areas have none: its own, or the kernel's. Context: any. */
struct mempolicy *memsuite_kcall_task_policy(struct task_struct *task);

/*
 * The node that a huge page of hugetlbfs is to come from first, the policy for that, to be put,
 * and its mask. Only if that, and memsuite_kcall_task_policy(), are there. Context: any.
 */
int memsuite_kcall_huge_node(struct vm_area_struct *vma, unsigned long address, gfp_t gfp,
			     struct mempolicy **policy, nodemask_t **nodes);
bool memsuite_kcall_huge_node_there(void);

struct shmem_inode_info;

/*
 * A page of a file of shared memory, which it is not part of yet; @order counts where such files
 * have large ones. NULL if there is none, or no such function. May sleep.
 */
struct page *memsuite_kcall_shmem_alloc(gfp_t gfp, unsigned int order,
					struct shmem_inode_info *file, pgoff_t index);

/*
 * Evicts pages from memsuite_kcall_isolate_lru(), whose reference goes with them; what
 * cannot be evicted goes back to the LRU. The list is empty then. May sleep.
 * Only if it is there: the kernel may have no such function.
 */
unsigned long memsuite_kcall_reclaim_pages(struct list_head *pages);
bool memsuite_kcall_reclaim_there(void);

/*
 * Gives an anonymous page its place in swap, before it is evicted: locked, of order
 * 0, up to date, and in no place yet. False if there is none, or no such function.
 */
bool memsuite_kcall_add_to_swap(struct page *page);

/*
 * Wakes the kswapd of a zone's node, unless it is awake, or free pages are enough. Nothing if there
 * is no such function. Context: any.
 */
void memsuite_kcall_wakeup_kswapd(struct zone *zone);

/* Takes a page out of use, as RAS tools do. Only if it is there. May sleep. */
int memsuite_kcall_soft_offline_page(unsigned long pfn, int flags);
bool memsuite_kcall_soft_offline_there(void);

struct seq_file;

/*
 * Prints what /proc/pressure has. -EOPNOTSUPP: the kernel has no such function,
 * or was booted with psi=0. May sleep.
 */
int memsuite_kcall_psi_show(enum memsuite_psi what, struct seq_file *file);

/*
 * mremap() of the calling task, to a fixed address. -EOPNOTSUPP: the kernel has no
 * such function. May sleep.
 */
long memsuite_kcall_mremap(unsigned long from, unsigned long length, unsigned long to);

/* Makes a compound page a huge page; nothing where allocation has done so. */
void memsuite_kcall_prep_large(struct page *page);

/* Makes 2^@order pages, @order > 0, a large folio as a page fault gets it. */
void memsuite_kcall_make_large(struct page *page, unsigned int order);

#endif
