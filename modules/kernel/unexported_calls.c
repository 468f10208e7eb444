// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel functions that are not exported, called directly.
 *
 * An indirect call to a function that was not meant to be called so can fault
 * on processors with IBT, and the emulator never shows it. A static call is a
 * direct call whose target is patched in, once, before the first call.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mempolicy.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmu_notifier.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/static_call.h>
#include <linux/swap.h>

#include <asm/ptrace.h>
#include <compat/hooked.h>
#include <compat/misplaced.h>
#include <compat/shmem.h>

#include "kernel/symbols.h"
#include "kernel/unexported_calls.h"

/* Of what a header declares, it says the type: a kernel that differs does not build. */
typedef int isolate_free_page_fn(struct page *page, unsigned int order);
typedef void post_alloc_hook_fn(struct page *page, unsigned int order,
				gfp_t gfp);
typedef typeof(putback_movable_pages) putback_movable_pages_fn;
typedef typeof(lru_add_drain_all) lru_add_drain_all_fn;
typedef void drain_all_pages_fn(struct zone *zone);	/* 7.3 declares it no more */
typedef typeof(drain_local_pages) drain_local_pages_fn;
typedef void prep_compound_page_fn(struct page *page, unsigned int order);
typedef void prep_transhuge_page_fn(struct page *page);
typedef void flush_tlb_mm_range_fn(struct mm_struct *mm, unsigned long start,
				   unsigned long end, unsigned int stride_shift,
				   bool freed_tables);
#ifdef CONFIG_MMU_NOTIFIER
typedef typeof(__mmu_notifier_clear_young) clear_young_fn;
typedef typeof(__mmu_notifier_test_young) test_young_fn;
#else
typedef bool clear_young_fn(struct mm_struct *mm, unsigned long start, unsigned long end);
typedef bool test_young_fn(struct mm_struct *mm, unsigned long address);
#endif
typedef long sys_mremap_fn(const struct pt_regs *regs);
typedef unsigned long reclaim_pages_fn(struct list_head *pages);
typedef typeof(wakeup_kswapd) wakeup_kswapd_fn;
/* Declared with NUMA alone. */
typedef struct mempolicy *task_policy_fn(struct task_struct *task);
typedef typeof(huge_node) huge_node_fn;
typedef typeof(soft_offline_page) soft_offline_page_fn;
typedef int psi_show_fn(struct seq_file *file, void *unused);

DEFINE_STATIC_CALL_NULL(isolate_free_page, isolate_free_page_fn);
DEFINE_STATIC_CALL_NULL(alloc_hook, post_alloc_hook_fn);
DEFINE_STATIC_CALL_NULL(migratetype, memsuite_migratetype_fn);
DEFINE_STATIC_CALL_NULL(isolate_lru, memsuite_isolate_lru_fn);
DEFINE_STATIC_CALL_NULL(putback_movable, putback_movable_pages_fn);
DEFINE_STATIC_CALL_NULL(migrate, memsuite_migrate_pages_fn);
DEFINE_STATIC_CALL_NULL(uncharge, memsuite_uncharge_fn);
DEFINE_STATIC_CALL_NULL(drain_lru, lru_add_drain_all_fn);
DEFINE_STATIC_CALL_NULL(drain_free, drain_all_pages_fn);
DEFINE_STATIC_CALL_NULL(drain_local, drain_local_pages_fn);
DEFINE_STATIC_CALL_NULL(prep_compound, prep_compound_page_fn);
DEFINE_STATIC_CALL_NULL(prep_large, prep_transhuge_page_fn);
DEFINE_STATIC_CALL_NULL(flush_tlb, flush_tlb_mm_range_fn);
DEFINE_STATIC_CALL_NULL(clear_young, clear_young_fn);
DEFINE_STATIC_CALL_NULL(test_young, test_young_fn);
DEFINE_STATIC_CALL_NULL(mremap, sys_mremap_fn);
DEFINE_STATIC_CALL_NULL(misplaced, memsuite_misplaced_fn);
DEFINE_STATIC_CALL_NULL(clear_large, memsuite_clear_large_fn);
DEFINE_STATIC_CALL_NULL(task_policy, task_policy_fn);
DEFINE_STATIC_CALL_NULL(hugetlb_node, huge_node_fn);
DEFINE_STATIC_CALL_NULL(shmem_page, memsuite_shmem_alloc_fn);
DEFINE_STATIC_CALL_NULL(reclaim, reclaim_pages_fn);
DEFINE_STATIC_CALL_NULL(wake_reclaim, wakeup_kswapd_fn);
DEFINE_STATIC_CALL_NULL(swap_place, memsuite_add_to_swap_fn);
DEFINE_STATIC_CALL_NULL(soft_offline, soft_offline_page_fn);
DEFINE_STATIC_CALL_NULL(psi_memory, psi_show_fn);
DEFINE_STATIC_CALL_NULL(psi_cpu, psi_show_fn);

static bool has_psi[MEMSUITE_NR_PSI];
static bool has_uncharge;
static bool has_flush_tlb;
static bool has_young;
static bool has_mremap;
static bool has_misplaced;
static bool has_clear_large;
static bool has_huge_node;
static bool has_shmem_page;
static bool has_reclaim;
static bool has_wakeup_kswapd;
static bool has_add_to_swap;
static bool has_soft_offline;

bool memsuite_kcall_isolate_free_page(struct page *page, unsigned int order)
{
	return static_call(isolate_free_page)(page, order);
}

void memsuite_kcall_post_alloc_hook(struct page *page, unsigned int order, gfp_t gfp)
{
	static_call(alloc_hook)(page, order, gfp);
}

int memsuite_kcall_migratetype(struct page *page)
{
	return static_call(migratetype)(MEMSUITE_MIGRATETYPE_ARGS(page,
								  page_to_pfn(page)));
}

bool memsuite_kcall_isolate_lru(struct page *page)
{
	return MEMSUITE_ISOLATE_LRU_DONE(static_call(isolate_lru)(MEMSUITE_ISOLATE_LRU_ARG(page)));
}

void memsuite_kcall_putback_movable_pages(struct list_head *pages)
{
	static_call(putback_movable)(pages);
}

int memsuite_kcall_migrate_pages(struct list_head *from, memsuite_new_unit_fn get,
				 memsuite_free_unit_fn put, unsigned long private,
				 enum migrate_mode mode, enum migrate_reason reason)
{
	return static_call(migrate)(from, get, put, private, mode,
				    MEMSUITE_MIGRATE_LAST_ARGS(reason));
}

void memsuite_kcall_uncharge_moved(struct page *page)
{
	if (has_uncharge)
		static_call(uncharge)(MEMSUITE_UNCHARGE_ARG(page));
}

void memsuite_kcall_lru_add_drain_all(void)
{
	static_call(drain_lru)();
}

void memsuite_kcall_drain_all_pages(struct zone *zone)
{
	static_call(drain_free)(zone);
}

void memsuite_kcall_drain_local_pages(struct zone *zone)
{
	static_call(drain_local)(zone);
}

void memsuite_kcall_prep_large(struct page *page)
{
	if (!MEMSUITE_ALLOC_PREPARES_LARGE)
		static_call(prep_large)(page);
}

void memsuite_kcall_make_large(struct page *page, unsigned int order)
{
	static_call(prep_compound)(page, order);
	if (order < 2)
		return;
	if (MEMSUITE_PREPARES_LARGE_INLINE)
		memsuite_prepare_large(page);
	else
		static_call(prep_large)(page);
}

bool memsuite_kcall_flush_tlb_there(void)
{
	return has_flush_tlb;
}

void memsuite_kcall_flush_tlb(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	static_call(flush_tlb)(mm, start, end, PAGE_SHIFT, false);
}

bool memsuite_kcall_clear_young(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	return has_young && static_call(clear_young)(mm, start, end);
}

bool memsuite_kcall_test_young(struct mm_struct *mm, unsigned long address)
{
	return has_young && static_call(test_young)(mm, address);
}

int memsuite_kcall_misplaced(struct page *page, struct vm_area_struct *vma,
			     unsigned long address)
{
	/* As a fault does, with the lock of a page table held. */
	static DEFINE_SPINLOCK(table_lock);
	struct vm_fault fault = { .vma = vma, .ptl = &table_lock };
	int nid;

	if (!has_misplaced)
		return NUMA_NO_NODE;
	spin_lock(&table_lock);
	memsuite_spoil_unused_registers();
	nid = static_call(misplaced)(MEMSUITE_MISPLACED_ARGS(page, &fault, address));
	spin_unlock(&table_lock);
	return nid;
}

bool memsuite_kcall_clear_large(struct page *page, unsigned int order, unsigned long address)
{
	if (!has_clear_large)
		return false;
	memsuite_spoil_unused_registers();
	static_call(clear_large)(MEMSUITE_CLEAR_LARGE_ARGS(page, address, order));
	return true;
}

struct mempolicy *memsuite_kcall_task_policy(struct task_struct *task)
{
	return static_call(task_policy)(task);
}

bool memsuite_kcall_huge_node_there(void)
{
	return has_huge_node;
}

int memsuite_kcall_huge_node(struct vm_area_struct *vma, unsigned long address, gfp_t gfp,
			     struct mempolicy **policy, nodemask_t **nodes)
{
	return static_call(hugetlb_node)(vma, address, gfp, policy, nodes);
}

struct page *memsuite_kcall_shmem_alloc(gfp_t gfp, unsigned int order,
					struct shmem_inode_info *file, pgoff_t index)
{
	if (!has_shmem_page)
		return NULL;
	memsuite_spoil_unused_registers();
	/* A folio begins with its first page. */
	return (struct page *)
		static_call(shmem_page)(MEMSUITE_SHMEM_ALLOC_VALUES(gfp, order, file, index));
}

long memsuite_kcall_mremap(unsigned long from, unsigned long length, unsigned long to)
{
	const struct pt_regs regs = {
		.di = from,
		.si = length,
		.dx = length,
		.r10 = MREMAP_MAYMOVE | MREMAP_FIXED,
		.r8 = to,
	};

	return has_mremap ? static_call(mremap)(&regs) : -EOPNOTSUPP;
}

bool memsuite_kcall_reclaim_there(void)
{
	return has_reclaim;
}

unsigned long memsuite_kcall_reclaim_pages(struct list_head *pages)
{
	return static_call(reclaim)(pages);
}

void memsuite_kcall_wakeup_kswapd(struct zone *zone)
{
	if (has_wakeup_kswapd)
		static_call(wake_reclaim)(zone, GFP_HIGHUSER_MOVABLE, 0, zone_idx(zone));
}

bool memsuite_kcall_add_to_swap(struct page *page)
{
	return has_add_to_swap &&
	       MEMSUITE_ADD_TO_SWAP_DONE(static_call(swap_place)(MEMSUITE_ADD_TO_SWAP_ARGS(page)));
}

bool memsuite_kcall_soft_offline_there(void)
{
	return has_soft_offline;
}

int memsuite_kcall_soft_offline_page(unsigned long pfn, int flags)
{
	return static_call(soft_offline)(pfn, flags);
}

int memsuite_kcall_psi_show(enum memsuite_psi what, struct seq_file *file)
{
	if (!has_psi[what])
		return -EOPNOTSUPP;
	if (what == MEMSUITE_PSI_MEMORY)
		return static_call(psi_memory)(file, NULL);
	return static_call(psi_cpu)(file, NULL);
}

#define resolve(call, name, type) ({					\
	unsigned long __address = memsuite_symbol_address(name);	\
									\
	if (__address)							\
		static_call_update(call, (type *)__address);		\
	else								\
		pr_err("this kernel has no %s()\n", name);		\
	__address != 0;							\
})

int memsuite_unexported_calls_init(void)
{
	bool all = true;

	all &= resolve(isolate_free_page, "__isolate_free_page",
		       isolate_free_page_fn);
	all &= resolve(alloc_hook, "post_alloc_hook", post_alloc_hook_fn);
	all &= resolve(migratetype, MEMSUITE_MIGRATETYPE_SYMBOL, memsuite_migratetype_fn);
	all &= resolve(isolate_lru, MEMSUITE_ISOLATE_LRU_SYMBOL, memsuite_isolate_lru_fn);
	all &= resolve(putback_movable, "putback_movable_pages",
		       putback_movable_pages_fn);
	all &= resolve(migrate, "migrate_pages", memsuite_migrate_pages_fn);
	all &= resolve(drain_lru, "lru_add_drain_all", lru_add_drain_all_fn);
	all &= resolve(drain_free, "drain_all_pages", drain_all_pages_fn);
	all &= resolve(drain_local, "drain_local_pages",
		       drain_local_pages_fn);
	all &= resolve(prep_compound, "prep_compound_page",
		       prep_compound_page_fn);
	if (!MEMSUITE_PREPARES_LARGE_INLINE && IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		all &= resolve(prep_large, "prep_transhuge_page",
			       prep_transhuge_page_fn);
	/* A kernel without cgroups charges nobody. */
	has_uncharge = IS_ENABLED(CONFIG_MEMCG) &&
		       resolve(uncharge, MEMSUITE_UNCHARGE_SYMBOL, memsuite_uncharge_fn);
	/* Nothing but access sampling needs this one, */
	has_flush_tlb = resolve(flush_tlb, "flush_tlb_mm_range",
				flush_tlb_mm_range_fn);
	/* which asks secondary MMUs as well, */
	has_young = IS_ENABLED(CONFIG_MMU_NOTIFIER) &&
		    resolve(clear_young, "__mmu_notifier_clear_young", clear_young_fn) &&
		    resolve(test_young, "__mmu_notifier_test_young", test_young_fn);
	/* and nothing but backing off these. */
	has_psi[MEMSUITE_PSI_MEMORY] = IS_ENABLED(CONFIG_PSI) &&
				       resolve(psi_memory, "psi_memory_show", psi_show_fn);
	has_psi[MEMSUITE_PSI_CPU] = IS_ENABLED(CONFIG_PSI) &&
				    resolve(psi_cpu, "psi_cpu_show", psi_show_fn);
	/* Nor does anything but following what is remapped. */
	has_mremap = resolve(mremap, "__x64_sys_mremap", sys_mremap_fn);
	/* Nor does anything but keeping pages from NUMA balancing. */
	has_misplaced = IS_ENABLED(CONFIG_NUMA) &&
			resolve(misplaced, "mpol_misplaced", memsuite_misplaced_fn);
	/* Nor does anything but sparing faults the clearing of large folios. */
	has_clear_large = MEMSUITE_CLEARS_LARGE &&
			  resolve(clear_large, MEMSUITE_CLEAR_LARGE_SYMBOL,
				  memsuite_clear_large_fn);
	/* Nor does anything but placing huge pages of hugetlbfs, */
	has_huge_node = IS_ENABLED(CONFIG_NUMA) && IS_ENABLED(CONFIG_HUGETLB_PAGE) &&
			resolve(hugetlb_node, "huge_node", huge_node_fn) &&
			resolve(task_policy, "get_task_policy", task_policy_fn);
	/* and shared memory. */
	has_shmem_page = IS_ENABLED(CONFIG_SHMEM) &&
			 resolve(shmem_page, MEMSUITE_SHMEM_ALLOC_SYMBOL,
				 memsuite_shmem_alloc_fn);
	/* Nor does anything but dividing memory, */
	has_reclaim = resolve(reclaim, "reclaim_pages", reclaim_pages_fn);
	/* which goes without this one as well, but waits longer for a disk. */
	has_add_to_swap = IS_ENABLED(CONFIG_SWAP) &&
			  resolve(swap_place, MEMSUITE_ADD_TO_SWAP_SYMBOL,
				  memsuite_add_to_swap_fn);
	/* A node that is full of page cache stays so without. */
	has_wakeup_kswapd = resolve(wake_reclaim, "wakeup_kswapd", wakeup_kswapd_fn);
	/* Without it nobody takes pages offline. */
	has_soft_offline = IS_ENABLED(CONFIG_MEMORY_FAILURE) &&
			   resolve(soft_offline, "soft_offline_page", soft_offline_page_fn);
	return all ? 0 : -EOPNOTSUPP;
}
