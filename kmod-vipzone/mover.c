// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving the anonymous pages that a process already has into the regions of
 * their segments.
 *
 * One page table at a time is looked through, under its lock, so that what it
 * maps cannot go away; what lies outside of the regions gets a reference, and
 * is moved once all locks are dropped. Whatever the process does meanwhile,
 * fork, exec, munmap, exit, is what migrate_pages() is made for.
 */

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <compat/pagetable.h>
#include <memsuite/hook.h>
#include <memsuite/move.h>
#include <memsuite/stock.h>

#include "spread.h"
#include "vipzone.h"

/* Page tables looked through before others may have the lock. */
#define WALK_TABLES	64

/**
 * struct mover - moves the pages of one process
 * @mm: its address space
 * @policy: where its pages belong
 * @stocks: free pages of each region
 * @allowed: nodes of its cpuset
 * @has_policy: the process has a NUMA policy
 * @vma: the area that is looked through
 * @is_law: it or the process has one
 * @move: pages on their way
 * @found: pages to be moved, each with a reference
 * @orders: and where each of them belongs
 * @nr_found: how many
 * @order: where those on their way go
 * @last: folio that was looked at last
 * @outcome: pages by what became of them
 */
struct mover {
	struct mm_struct *mm;
	struct policy *policy;
	struct ms_stock stocks[VIPZONE_MAX_REGIONS];
	nodemask_t allowed;
	bool has_policy;
	struct vm_area_struct *vma;
	bool is_law;
	struct ms_move move;
	struct page *found[PTRS_PER_PTE];
	const struct vipzone_order *orders[PTRS_PER_PTE];
	unsigned int nr_found;
	const struct vipzone_order *order;
	struct page *last;
	u64 *outcome;
};

static bool may_use(const struct mover *mover, const struct target *target)
{
	return target->nid >= 0 && node_isset(target->nid, mover->allowed);
}

static struct target *target_of(const struct mover *mover,
				const struct vipzone_order *order,
				unsigned int i)
{
	return &mover->policy->targets[order->region[i]];
}

static bool may_use_any(const struct mover *mover,
			const struct vipzone_order *order)
{
	unsigned int i;

	for (i = 0; i < order->nr; i++)
		if (may_use(mover, target_of(mover, order, i)))
			return true;
	return false;
}

static bool is_placed(const struct mover *mover, struct page *page,
		      const struct vipzone_order *order)
{
	unsigned int i;

	for (i = 0; i < order->nr; i++)
		if (ms_region_has(target_of(mover, order, i)->region, page))
			return true;
	return false;
}

/* Under the lock of the page table that maps @page at @addr. */
static void look_at(struct mover *mover, struct page *page, unsigned long addr)
{
	const struct vipzone_order *order =
		order_at_home(mover->policy, segment_of(mover->vma, addr),
			      mover->mm);
	struct page *head = compound_head(page);
	unsigned long nr = 1UL << ms_page_order(head);

	if (!ms_page_anon(head) || !order->nr || is_placed(mover, page, order))
		return;
	/* One folio may be mapped by many entries. */
	if (head == mover->last)
		return;
	mover->last = head;
	if (mover->is_law) {
		mover->outcome[MOVE_POLICY] += nr;
	} else if (!may_use_any(mover, order)) {
		mover->outcome[MOVE_CPUSET] += nr;
	} else if (ms_page_shared(head)) {
		mover->outcome[MOVE_SHARED] += nr;
	} else {
		get_page(head);
		mover->orders[mover->nr_found] = order;
		mover->found[mover->nr_found++] = head;
	}
}

static void look_through(struct mover *mover, pmd_t *pmd, pmd_t pmdval,
			 unsigned long addr, unsigned long end)
{
	spinlock_t *lock = pte_lockptr(mover->mm, &pmdval);
	pte_t *pte = pte_offset_kernel(&pmdval, addr);

	spin_lock(lock);
	/* The table may have been taken away before its lock was ours. */
	if (ms_same_table(pmdval, READ_ONCE(*pmd))) {
		for (; addr < end; addr += PAGE_SIZE, pte++) {
			pte_t val = READ_ONCE(*pte);

			if (pte_present(val) && !pte_special(val) &&
			    pfn_valid(pte_pfn(val)))
				look_at(mover, pte_page(val), addr);
		}
	}
	spin_unlock(lock);
}

static void look_at_huge(struct mover *mover, pmd_t *pmd, unsigned long addr)
{
	spinlock_t *lock = pmd_lockptr(mover->mm, pmd);
	pmd_t val;

	spin_lock(lock);
	val = READ_ONCE(*pmd);
	if (pmd_present(val) && pmd_leaf(val) && pfn_valid(pmd_pfn(val)))
		look_at(mover, pmd_page(val), addr);
	spin_unlock(lock);
}

static void look_below(struct mover *mover, pmd_t *pmd, unsigned long addr,
		       unsigned long end)
{
	pmd_t val;

	rcu_read_lock();
	val = READ_ONCE(*pmd);
	if (!pmd_none(val) && pmd_present(val)) {
		if (pmd_leaf(val))
			look_at_huge(mover, pmd, addr);
		else if (!pmd_bad(val))
			look_through(mover, pmd, val, addr, end);
	}
	rcu_read_unlock();
}

static bool has_anon(const struct vm_area_struct *vma)
{
	return vma->anon_vma && !(vma->vm_flags & (VM_HUGETLB | VM_IO |
						   VM_PFNMAP | VM_MIXEDMAP));
}

/*
 * Goes on from @addr until a page table has something to move. Under
 * mmap_lock. Returns where to go on, or 0 at the end.
 */
static unsigned long look(struct mover *mover, unsigned long addr)
{
	struct vm_area_struct *vma;
	int tables = 0;

	while ((vma = find_vma(mover->mm, addr))) {
		unsigned long next;

		addr = max(addr, vma->vm_start);
		if (!has_anon(vma))
			addr = vma->vm_end;
		mover->vma = vma;
		mover->is_law = mover->has_policy || ms_vma_has_policy(vma);
		for (; addr < vma->vm_end; addr = next) {
			pmd_t *pmd;

			if (mover->nr_found || ++tables > WALK_TABLES)
				return addr;
			pmd = ms_pmd_offset(mover->mm, addr, &next);
			next = min(next, vma->vm_end);
			if (pmd)
				look_below(mover, pmd, addr, next);
		}
		if (mover->nr_found || ++tables > WALK_TABLES)
			return addr;
	}
	return 0;
}

/* A large folio stays whole only where the region is a node. */
static struct page *take_target(struct page *old, void *context)
{
	struct mover *mover = context;
	unsigned int order = ms_page_order(old), i;
	struct page *page = NULL;
	struct target *target;

	for (i = 0; i < mover->order->nr && !page; i++) {
		target = target_of(mover, mover->order, i);
		if (!may_use(mover, target))
			continue;
		if (!order)
			page = ms_stock_take(&mover->stocks[mover->order->region[i]]);
		else if (target->is_node)
			page = ms_page_alloc_large(order, target->nid);
	}
	return page;
}

static void move_found(struct mover *mover)
{
	unsigned int i;
	int token = ms_hold_begin();

	for (i = 0; i < mover->nr_found; i++) {
		struct page *page = mover->found[i];
		bool large = ms_page_order(page);

		if (large || mover->order != mover->orders[i])
			ms_move_run(&mover->move);
		mover->order = mover->orders[i];
		ms_move_add(&mover->move, page);
		put_page(page);
		if (large)
			ms_move_run(&mover->move);
	}
	ms_move_run(&mover->move);
	for (i = 0; i < mover->policy->nr_targets; i++)
		ms_stock_return(&mover->stocks[i]);
	ms_hold_end(token);
	mover->nr_found = 0;
}

static int move_all(struct mover *mover)
{
	unsigned long addr = 0;
	int err;

	do {
		if (fatal_signal_pending(current))
			return -EINTR;
		err = mmap_read_lock_killable(mover->mm);
		if (err)
			return err;
		addr = look(mover, addr);
		mmap_read_unlock(mover->mm);
		move_found(mover);
		cond_resched();
	} while (addr);
	return 0;
}

static void stock_up(struct mover *mover)
{
	unsigned int i;

	for (i = 0; i < mover->policy->nr_targets; i++) {
		const struct ms_region *region = mover->policy->targets[i].region;
		const struct ms_region_spec *spec = ms_region_spec(region);

		ms_stock_init(&mover->stocks[i], PHYS_PFN(spec->start),
			      PHYS_PFN(spec->end), spec->nid);
		mover->stocks[i].scan.banks = ms_region_banks(region);
	}
}

/* What the process itself was told about nodes. */
static void ask(struct mover *mover, struct task_struct *task)
{
	mover->allowed = node_states[N_MEMORY];
#ifdef CONFIG_CPUSETS
	nodes_and(mover->allowed, mover->allowed, task->mems_allowed);
#endif
#ifdef CONFIG_NUMA
	mover->has_policy = READ_ONCE(task->mempolicy);
#endif
}

int mover_run(struct mm_struct *mm, struct task_struct *task,
	      struct policy *policy, u64 *outcome)
{
	struct mover *mover = kzalloc(sizeof(*mover), GFP_KERNEL);
	int i, err;

	if (!mover)
		return -ENOMEM;
	mover->mm = mm;
	mover->policy = policy;
	mover->outcome = outcome;
	ask(mover, task);
	stock_up(mover);
	ms_move_init(&mover->move, take_target, mover);
	ms_move_settle();
	err = move_all(mover);
	for (i = 0; i < MS_NR_MOVE_OUTCOMES; i++)
		outcome[i] += mover->move.outcome[i];
	kfree(mover);
	return err;
}
