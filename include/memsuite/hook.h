/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hook points: the places in the page allocator that the suite listens at.
 *
 * The core owns every hooked function; a module arms a point with its own
 * handler and disarms it again. Nothing is patched while no handler is armed.
 */
#ifndef MEMSUITE_HOOK_H
#define MEMSUITE_HOOK_H

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/nodemask.h>

struct shmem_inode_info;

/**
 * enum memsuite_hook_point_id - the hook points
 * @MEMSUITE_HOOK_POINT_FAULT_ALLOC: allocation of a user page by a page fault, with its
 *	vma and address; the handler may supply the page
 * @MEMSUITE_HOOK_POINT_CACHE_ALLOC: allocation of a page for the page cache, by a task that
 *	reads, writes or maps a file; the handler may supply the page
 * @MEMSUITE_HOOK_POINT_SHMEM_ALLOC: allocation of a page of shared memory or tmpfs, by a task that
 *	touches, reads or writes it; the handler may supply the page
 * @MEMSUITE_HOOK_POINT_HUGETLB_POLICY: the node that a huge page of hugetlbfs is to come from,
 *	in a page fault or fallocate(); the handler may choose it
 * @MEMSUITE_HOOK_POINT_ALLOC_ENTRY: every allocation of the page allocator; the handler
 *	may choose another preferred node
 * @MEMSUITE_HOOK_POINT_MREMAP_MOVE: page tables are about to be moved to other addresses, by
 *	mremap(); the handler looks on
 * @MEMSUITE_HOOK_POINT_NUMA_MISPLACED: NUMA balancing asks, in a hint fault, whether a page
 *	should be on another node; the handler may have it stay
 * @MEMSUITE_HOOK_POINT_FAULT_CLEAR: a large folio is about to be cleared for a page fault; one
 *	of a pool that is clear already is left as it is. No handler is asked
 * @MEMSUITE_NR_HOOK_POINTS: how many there are
 */
enum memsuite_hook_point_id {
	MEMSUITE_HOOK_POINT_FAULT_ALLOC,
	MEMSUITE_HOOK_POINT_CACHE_ALLOC,
	MEMSUITE_HOOK_POINT_SHMEM_ALLOC,
	MEMSUITE_HOOK_POINT_HUGETLB_POLICY,
	MEMSUITE_HOOK_POINT_ALLOC_ENTRY,
	MEMSUITE_HOOK_POINT_MREMAP_MOVE,
	MEMSUITE_HOOK_POINT_NUMA_MISPLACED,
	MEMSUITE_HOOK_POINT_FAULT_CLEAR,
	MEMSUITE_NR_HOOK_POINTS,
};

/**
 * enum memsuite_hook_rank - who is asked first at a point
 * @MEMSUITE_HOOK_RANK_PLACEMENT: decides for some processes where a page comes from
 * @MEMSUITE_HOOK_RANK_DEFAULT: serves everybody else
 * @MEMSUITE_NR_HOOK_RANKS: how many there are
 */
enum memsuite_hook_rank {
	MEMSUITE_HOOK_RANK_PLACEMENT,
	MEMSUITE_HOOK_RANK_DEFAULT,
	MEMSUITE_NR_HOOK_RANKS,
};

/*
 * What a fault handler answers when it has no page to give: ask the next, let
 * the kernel do it, or let the allocation fail, upon which callers of huge
 * orders fall back.
 */
#define MEMSUITE_FAULT_PASS	((struct page *)NULL)
#define MEMSUITE_FAULT_KERNEL	((struct page *)ERR_PTR(-EAGAIN))
#define MEMSUITE_FAULT_DENY	((struct page *)ERR_PTR(-ENOMEM))

/**
 * struct memsuite_fault - an allocation on behalf of a page fault, or for a file
 * @gfp: allocation flags
 * @order: of the folio wanted
 * @vma: area of the fault; the handler checks @vma and its vm_mm for NULL. NULL
 *	for a file
 * @address: user address, may not be aligned; for shared memory, the offset in the file; else 0
 *
 * They lie as registers do that are put on a stack.
 */
struct memsuite_fault {
	gfp_t gfp;
	unsigned int __aligned(8) order;
	struct vm_area_struct *vma;
	unsigned long address;
};

/**
 * struct memsuite_hook - what a module does at a point
 * @fault: for MEMSUITE_HOOK_POINT_FAULT_ALLOC and MEMSUITE_HOOK_POINT_CACHE_ALLOC. Return a page,
 *	MEMSUITE_FAULT_PASS, MEMSUITE_FAULT_KERNEL or MEMSUITE_FAULT_DENY. A page must be of the
 *	order asked for, with a reference count of 1 and, if the flags ask for
 *	it, zero; but one of an order above 0 is what @finish makes that of.
 * @shmem: for MEMSUITE_HOOK_POINT_SHMEM_ALLOC, as @fault; @file is whose page it is, and stays
 * @finish: what is left to do for such a page. Runs in place of the hooked function,
 *	with preemption on, and may not sleep; NULL: the allocation fails.
 * @hugetlb: for MEMSUITE_HOOK_POINT_HUGETLB_POLICY; @vma may be on a stack, and has no more than
 *	its address space, file and flags; @address is then the offset in the file. Return the node
 *	that is tried first, or NUMA_NO_NODE: that of the NUMA policies that there are. The kernel's
 *	lock of the pool of such pages may be held.
 * @entry: for MEMSUITE_HOOK_POINT_ALLOC_ENTRY. Return the preferred node, @nid itself
 *	to change nothing.
 * @remap: for MEMSUITE_HOOK_POINT_MREMAP_MOVE: @length bytes from @from on go to @to, in @mm,
 *	whose mmap_lock is held for writing. Where they came from is unmapped
 *	next, for mmu notifiers too.
 * @stays: for MEMSUITE_HOOK_POINT_NUMA_MISPLACED, under the lock of a page table that maps
 *	@page, the head of its folio, in @vma. Return whether it stays where it is;
 *	the scheduler then does not learn who has touched it last.
 *
 * Context: all but @finish run in a read side of RCU, with preemption off, on any CPU; but @fault
 * and @shmem have preemption on where the function calls it directly. @entry runs in any
 * context up to NMI.
 * They may not sleep, allocate or print. @entry may not take a lock that another CPU can hold;
 * @fault and @shmem run where the kernel would take the lock of a zone next, and may do so, but not
 * for every page.
 */
struct memsuite_hook {
	struct page *(*fault)(const struct memsuite_fault *fault);
	struct page *(*shmem)(const struct memsuite_fault *fault,
			      const struct shmem_inode_info *file);
	struct page *(*finish)(struct page *page);
	int (*hugetlb)(struct vm_area_struct *vma, unsigned long address);
	int (*entry)(gfp_t gfp, unsigned int order, int nid,
		     const nodemask_t *nodemask);
	void (*remap)(struct mm_struct *mm, unsigned long from,
		      unsigned long to, unsigned long length);
	bool (*stays)(struct page *page, struct vm_area_struct *vma,
		      unsigned long address);
};

/**
 * memsuite_hook_arm() - hook a point and prove that the hook fires
 * @id: the point
 * @rank: who of those armed there is asked first
 * @hook: what to do there; must stay valid until memsuite_hook_disarm()
 *
 * Context: may sleep; MEMSUITE_HOOK_POINT_MREMAP_MOVE: in a task with an address space of its own.
 * Return: 0; -EBUSY (somebody of that rank, a live patch, or
 * kernel.ftrace_enabled=0 stands in the way), -EOPNOTSUPP (this kernel has
 * none of the symbols), -ENXIO (the hook did not fire as expected).
 */
int memsuite_hook_arm(enum memsuite_hook_point_id id, enum memsuite_hook_rank rank,
		      const struct memsuite_hook *hook);

/**
 * memsuite_hook_disarm() - take the hook away and wait for handlers to end
 * @id: the point
 * @rank: as armed; nothing happens if it is not
 *
 * Context: may sleep.
 */
void memsuite_hook_disarm(enum memsuite_hook_point_id id, enum memsuite_hook_rank rank);

#endif
