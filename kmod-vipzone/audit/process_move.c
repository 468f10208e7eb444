// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving all misplaced pages of a process; process_move.h. A batch of page tables is looked
 * through, what was found there is moved, and then the next one, until the end or as far as
 * the quota goes.
 */

#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <memsuite/migrate.h>
#include <memsuite/pagewalk.h>

#include "audit/page_migrate.h"
#include "audit/process_move.h"
#include "policy/bank_assign.h"
#include "policy/lookup.h"
#include "policy/spread.h"

/**
 * struct process_walk - the walk over the memory of a process whose pages are moved
 * @walk: where it is
 * @policy: where the pages belong
 * @mover: moves them
 * @move: what was asked for
 * @settled: pages that were faulted in lately can be moved
 */
struct process_walk {
	struct memsuite_walk walk;
	struct vipzone_policy *policy;
	struct vipzone_page_migrate *mover;
	struct vipzone_process_move *move;
	bool settled;
};

static void process_walk_page(struct process_walk *all, struct page *page, unsigned long addr)
{
	struct memsuite_walk *walk = &all->walk;
	enum vipzone_segment segment = vipzone_segment_of_page(walk->vma, page, addr);
	const struct vipzone_order *order =
		vipzone_order_at_home(all->policy, segment, walk->mm);

	if (!vipzone_page_is_movable(page) || !order->nr ||
	    vipzone_page_is_of_file(walk->vma, segment))
		return;
	order = vipzone_spread_away_to(all->policy, segment, order, page,
				       vipzone_spread_place(walk->vma, addr, 0));
	if (!order)
		return;
	all->move->pages -= vipzone_page_migrate_add(all->mover, walk->vma, page, order,
						     all->move->why, NULL);
	walk->stop = vipzone_page_migrate_has_work(all->mover);
}

static unsigned long process_walk_ptes(struct memsuite_walk *walk, pte_t *pte,
				       unsigned long addr, unsigned long end)
{
	struct process_walk *all = container_of(walk, struct process_walk, walk);

	for (; addr < end; addr += PAGE_SIZE, pte++) {
		struct page *page = memsuite_walk_pte_page(READ_ONCE(*pte));

		if (page)
			process_walk_page(all, page, addr);
	}
	return end;
}

static void process_walk_huge(struct memsuite_walk *walk, pmd_t *pmd, unsigned long addr,
			      unsigned long end)
{
	struct process_walk *all = container_of(walk, struct process_walk, walk);
	struct page *page = memsuite_walk_pmd_page(READ_ONCE(*pmd));

	if (page)
		process_walk_page(all, page, addr);
}

static const struct memsuite_walk_ops process_walk_ops = {
	.pte_range = process_walk_ptes,
	.huge_pmd = process_walk_huge,
};

static void move_found(struct process_walk *all)
{
	u64 begun_ns = ktime_get_ns();

	if (!vipzone_page_migrate_has_work(all->mover))
		return;
	vipzone_page_migrate_flush_settled(all->mover, &all->settled);
	all->move->moving_ns += ktime_get_ns() - begun_ns;
}

static bool is_ending(const struct vipzone_process_move *move)
{
	return fatal_signal_pending(current) || (move->ending && READ_ONCE(*move->ending));
}

static int move_all(struct process_walk *all)
{
	int err;

	do {
		if (is_ending(all->move))
			return -EINTR;
		err = memsuite_walk_batch(&all->walk);
		if (err)
			return err;
		move_found(all);
	} while (all->walk.addr && all->move->pages > 0);
	return 0;
}

int vipzone_process_move(struct mm_struct *mm, struct task_struct *task,
			 struct vipzone_policy *policy, struct vipzone_process_move *move)
{
	struct process_walk all = {
		.walk = {
			.ops = &process_walk_ops,
			.mm = mm,
			.flags = MEMSUITE_WALK_ANON | MEMSUITE_WALK_SHMEM,
			.wait = move->wait,
			.batch = VIPZONE_WALK_TABLES,
			.addr = move->addr,
		},
		.policy = policy,
		.mover = vipzone_page_migrate_open(task, policy, move->ending),
		.move = move,
	};
	int err;

	if (!all.mover)
		return -ENOMEM;
	err = move_all(&all);
	vipzone_page_migrate_close(all.mover, move->moves);
	move->addr = all.walk.addr;
	return err;
}
