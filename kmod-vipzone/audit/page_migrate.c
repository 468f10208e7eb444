// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving the anonymous pages that a process already has into the regions where
 * they belong.
 *
 * One page table at a time is looked through, under its lock, so that what it
 * maps cannot go away; what lies elsewhere gets a reference, and is moved once
 * all locks are dropped. Whatever the process does meanwhile,
 * fork, exec, munmap, exit, is what migrate_pages() is made for.
 */

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <memsuite/hook.h>
#include <memsuite/migrate.h>
#include <memsuite/pagewalk.h>
#include <memsuite/pool_inspect.h>
#include <memsuite/target_frames.h>

#include "audit/page_migrate.h"
#include "policy/bank_assign.h"
#include "vipzone.h"

/**
 * struct mover - moves the pages of one process
 * @policy: whose regions they go to
 * @stocks: free pages of each region
 * @allowed: nodes of its cpuset
 * @has_policy: the process has a NUMA policy
 * @move: pages on their way
 * @found: pages to be moved, each with a reference; where to, and what for
 * @nr_found: how many
 * @order: where those on their way go
 * @last: folio that was looked at last
 * @taken: pages of each region that contents were moved to
 * @moves: pages not moved, by the reasons that are ours
 * @whys: pages moved, by what for
 */
struct mover {
	struct policy *policy;
	struct memsuite_target_frames stocks[VIPZONE_MAX_REGIONS];
	nodemask_t allowed;
	bool has_policy;
	struct memsuite_migrate move;
	struct {
		struct page *page;
		const struct vipzone_order *order;
		enum move_why why;
	} found[PTRS_PER_PTE];
	unsigned int nr_found;
	const struct vipzone_order *order;
	struct page *last;
	u64 taken[VIPZONE_MAX_REGIONS];
	u64 moves[NR_MOVES];
	u64 whys[NR_MOVE_WHYS];
};

static bool may_use(const struct mover *mover, const struct target *target)
{
	return target_is_on(target, &mover->allowed);
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

bool is_placed(const struct policy *policy, const struct vipzone_order *order,
	       struct page *page)
{
	unsigned int i;

	for (i = 0; i < order->nr; i++)
		if (memsuite_region_has(policy->targets[order->region[i]].region, page))
			return true;
	return false;
}

unsigned long mover_note(struct mover *mover, struct vm_area_struct *vma,
			 struct page *page, const struct vipzone_order *order,
			 enum move_why why)
{
	struct page *head = compound_head(page);
	unsigned long nr = 1UL << memsuite_page_order(head);

	/* One folio may be mapped by many entries. */
	if (head == mover->last)
		return 0;
	mover->last = head;
	if (mover->has_policy || memsuite_vma_has_policy(vma)) {
		mover->moves[MOVE_POLICY] += nr;
	} else if (!may_use_any(mover, order)) {
		mover->moves[MOVE_CPUSET] += nr;
	} else if (memsuite_page_shared(head)) {
		mover->moves[MOVE_SHARED] += nr;
	} else {
		get_page(head);
		mover->found[mover->nr_found].page = head;
		mover->found[mover->nr_found].order = order;
		mover->found[mover->nr_found++].why = why;
		return nr;
	}
	return 0;
}

bool mover_has_work(const struct mover *mover)
{
	return mover->nr_found;
}

/* One that is bad is retired by who found that, once it is free. */
static struct page *take_large(unsigned int order, int nid)
{
	struct page *page = memsuite_page_alloc_large(order, nid);

	if (page && !memsuite_pool_inspect_held(page, order)) {
		put_page(page);
		page = NULL;
	}
	return page;
}

/* A large folio for which there is no place is split, and moved page by page. */
static struct page *take_target(struct page *old, void *context)
{
	struct mover *mover = context;
	unsigned int order = memsuite_page_order(old), i;
	struct page *page = NULL;
	struct target *target;

	for (i = 0; i < mover->order->nr && !page; i++) {
		target = target_of(mover, mover->order, i);
		if (!may_use(mover, target))
			continue;
		if (!order)
			page = memsuite_target_frames_take(&mover->stocks[mover->order->region[i]]);
		else if (target->is_node)
			page = take_large(order, target->nid);
		else
			page = memsuite_pool_pop_large(target->pool, order, 0);
		if (page)
			mover->taken[mover->order->region[i]] += 1UL << order;
	}
	return page;
}

static void run(struct mover *mover, enum move_why why)
{
	u64 before = mover->move.outcome[MEMSUITE_MIGRATED];

	memsuite_migrate_run(&mover->move);
	mover->whys[why] += mover->move.outcome[MEMSUITE_MIGRATED] - before;
}

/* All that go to the same place for the same reason, from @first on. */
static void move_alike(struct mover *mover, unsigned int first)
{
	const struct vipzone_order *order = mover->found[first].order;
	enum move_why why = mover->found[first].why;
	unsigned int i;

	mover->order = order;
	for (i = first; i < mover->nr_found; i++) {
		struct page *page = mover->found[i].page;
		bool large;

		if (!page || mover->found[i].order != order ||
		    mover->found[i].why != why)
			continue;
		large = memsuite_page_order(page);
		if (large)
			run(mover, why);
		memsuite_migrate_add(&mover->move, page);
		put_page(page);
		mover->found[i].page = NULL;
		if (large)
			run(mover, why);
	}
	run(mover, why);
}

void mover_flush(struct mover *mover)
{
	unsigned int i;
	int token;

	if (!mover->nr_found)
		return;
	token = memsuite_hold_begin();
	for (i = 0; i < mover->nr_found; i++)
		if (mover->found[i].page)
			move_alike(mover, i);
	for (i = 0; i < mover->policy->nr_targets; i++)
		memsuite_target_frames_return(&mover->stocks[i]);
	memsuite_hold_end(token);
	mover->nr_found = 0;
}

static void stock_up(struct mover *mover)
{
	unsigned int i;

	for (i = 0; i < mover->policy->nr_targets; i++) {
		const struct memsuite_region *region = mover->policy->targets[i].region;
		const struct memsuite_region_spec *spec = memsuite_region_spec(region);

		memsuite_target_frames_init(&mover->stocks[i], PHYS_PFN(spec->start),
					    PHYS_PFN(spec->end), spec->nid);
		mover->stocks[i].scan.banks = memsuite_region_banks(region);
		mover->stocks[i].inspected = true;
	}
}

/* What the process itself was told about nodes: any of its threads. */
static void ask(struct mover *mover, struct task_struct *task)
{
	struct task_struct *thread;

	mover->allowed = node_states[N_MEMORY];
	rcu_read_lock();
	for_each_thread(task, thread) {
#ifdef CONFIG_CPUSETS
		nodes_and(mover->allowed, mover->allowed, thread->mems_allowed);
#endif
#ifdef CONFIG_NUMA
		mover->has_policy |= !!READ_ONCE(thread->mempolicy);
#endif
	}
	rcu_read_unlock();
}

struct mover *mover_open(struct mm_struct *mm, struct task_struct *task,
			 struct policy *policy)
{
	struct mover *mover = kvzalloc(sizeof(*mover), GFP_KERNEL);

	if (!mover)
		return NULL;
	mover->policy = policy;
	ask(mover, task);
	stock_up(mover);
	memsuite_migrate_init(&mover->move, take_target, mover);
	return mover;
}

void mover_close(struct mover *mover, u64 *moves, u64 *whys)
{
	int i;

	for (i = 0; i < MEMSUITE_NR_MIGRATE_OUTCOMES; i++)
		moves[i] += mover->move.outcome[i];
	for (i = 0; i < NR_MOVES; i++)
		moves[i] += mover->moves[i];
	for (i = 0; i < NR_MOVE_WHYS; i++)
		whys[i] += mover->whys[i];
	/* What is moved is written. */
	for (i = 0; i < mover->policy->nr_targets; i++)
		account_wear(mover->policy->targets[i].account,
			     mover->taken[i]);
	kvfree(mover);
}

/**
 * struct whole_move - all misplaced pages of a process are moved
 * @walk: over its memory
 * @policy: where they belong
 * @mover: moves them
 */
struct whole_move {
	struct memsuite_walk walk;
	struct policy *policy;
	struct mover *mover;
};

static void whole_move_page(struct whole_move *all, struct page *page,
			    unsigned long addr)
{
	struct memsuite_walk *walk = &all->walk;
	const struct vipzone_order *order =
		order_at_home(all->policy, segment_of(walk->vma, addr),
			      walk->mm);

	if (!memsuite_page_anon(compound_head(page)) || !order->nr ||
	    is_placed(all->policy, order, page))
		return;
	mover_note(all->mover, walk->vma, page, order, MOVE_ASKED);
	walk->stop = mover_has_work(all->mover);
}

static unsigned long whole_move_ptes(struct memsuite_walk *walk, pte_t *pte,
				     unsigned long addr, unsigned long end)
{
	struct whole_move *all = container_of(walk, struct whole_move, walk);

	for (; addr < end; addr += PAGE_SIZE, pte++) {
		struct page *page = memsuite_walk_pte_page(READ_ONCE(*pte));

		if (page)
			whole_move_page(all, page, addr);
	}
	return end;
}

static void whole_move_huge(struct memsuite_walk *walk, pmd_t *pmd,
			    unsigned long addr, unsigned long end)
{
	struct whole_move *all = container_of(walk, struct whole_move, walk);
	struct page *page = memsuite_walk_pmd_page(READ_ONCE(*pmd));

	if (page)
		whole_move_page(all, page, addr);
}

static const struct memsuite_walk_ops whole_move_ops = {
	.pte_range = whole_move_ptes,
	.huge_pmd = whole_move_huge,
};

static int move_all(struct whole_move *all)
{
	int err;

	do {
		if (fatal_signal_pending(current))
			return -EINTR;
		err = memsuite_walk_batch(&all->walk);
		if (err)
			return err;
		mover_flush(all->mover);
	} while (all->walk.addr);
	return 0;
}

int mover_run(struct mm_struct *mm, struct task_struct *task,
	      struct policy *policy, u64 *moves)
{
	struct whole_move all = {
		.walk = {
			.ops = &whole_move_ops,
			.mm = mm,
			.flags = MEMSUITE_WALK_ANON,
			.wait = MEMSUITE_WALK_KILLABLE,
			.batch = VIPZONE_WALK_TABLES,
		},
		.policy = policy,
		.mover = mover_open(mm, task, policy),
	};
	u64 whys[NR_MOVE_WHYS] = {};
	int err;

	if (!all.mover)
		return -ENOMEM;
	memsuite_migrate_settle();
	err = move_all(&all);
	mover_close(all.mover, moves, whys);
	return err;
}
