// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving the private pages and the shared memory that a process already has, or pages of a file,
 * into the regions where they belong.
 *
 * Who looks for a process's does so in one page table at a time, under its lock, so that pages
 * cannot go away. Misplaced pages get a reference, and are moved once all locks are
 * dropped. Whatever the process does meanwhile,
 * fork, exec, munmap, exit, is what migrate_pages() is made for.
 */

#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <memsuite/fault_refusal.h>
#include <memsuite/held_pages.h>
#include <memsuite/migrate.h>
#include <memsuite/node_reclaim.h>
#include <memsuite/pool_inspect.h>
#include <memsuite/target_frames.h>

#include "audit/page_migrate.h"

/* Pages on their way at a time: if somebody comes to wait, those without a target stay. */
#define MOVE_BATCH	64

/* For so long the mover waits for those who wait for what is held. */
#define LET_PASS_JIFFIES	(10 * HZ)

/**
 * struct vipzone_page_migrate - moves the pages of one process, or of files
 * @policy: whose regions they go to
 * @ending: as vipzone_page_migrate_open() was told
 * @frames: free pages of each region
 * @allowed: nodes of its cpuset; of a file, all
 * @has_policy: the process has a NUMA policy
 * @move: pages on their way
 * @found: pages to be moved, each with a reference until it is on its way; where to,
 *	their histories, what for, and whether each has been tried
 * @nr_found: how many
 * @served: the one of them that a target was found for last
 * @order: where those on their way go
 * @nr_added: how many are on their way
 * @ready: where the next large folio goes to, or NULL
 * @ready_region: the region of that
 * @full: pages that found no room in regions that they were to go to
 * @last: folio that was looked at last
 * @taken: pages of each region that contents were moved to
 * @moves: pages not moved for reasons of vipzone's, by reason
 * @whys: pages moved, by the reason
 */
struct vipzone_page_migrate {
	struct vipzone_policy *policy;
	const bool *ending;
	struct memsuite_target_frames frames[VIPZONE_MAX_REGIONS];
	nodemask_t allowed;
	bool has_policy;
	struct memsuite_migrate move;
	struct {
		struct page *page;
		const struct vipzone_order *order;
		struct vipzone_hotness *hotness;
		enum vipzone_move_why why;
		bool on_its_way;
		bool tried;
	} found[VIPZONE_PAGES_AT_ONCE];
	unsigned int nr_found;
	unsigned int served;
	const struct vipzone_order *order;
	unsigned int nr_added;
	struct page *ready;
	unsigned int ready_region;
	unsigned long full[VIPZONE_MAX_REGIONS];
	struct page *last;
	u64 taken[VIPZONE_MAX_REGIONS];
	u64 moves[VIPZONE_NR_MOVES];
	u64 whys[VIPZONE_NR_MOVE_WHYS];
};

static bool may_use(const struct vipzone_page_migrate *mover, const struct vipzone_target *target)
{
	return vipzone_target_is_on(target, &mover->allowed);
}

static struct vipzone_target *target_of(const struct vipzone_page_migrate *mover,
					const struct vipzone_order *order,
					unsigned int i)
{
	return &mover->policy->targets[order->region[i]];
}

static bool may_use_any(const struct vipzone_page_migrate *mover,
			const struct vipzone_order *order)
{
	unsigned int i;

	for (i = 0; i < order->nr; i++)
		if (may_use(mover, target_of(mover, order, i)))
			return true;
	return false;
}

/* What others map, too, is theirs; but shared memory is so by nature: it moves if asked. */
static bool belongs_to_others(const struct vm_area_struct *vma, struct page *head,
			      enum vipzone_move_why why)
{
	return vma && memsuite_page_shared(head) &&
	       !(why == VIPZONE_MOVE_ASKED && memsuite_page_shmem(head));
}

unsigned long vipzone_page_migrate_add(struct vipzone_page_migrate *mover,
				       struct vm_area_struct *vma, struct page *page,
				       const struct vipzone_order *order,
				       enum vipzone_move_why why,
				       struct vipzone_hotness *hotness)
{
	struct page *head = compound_head(page);
	unsigned long nr = 1UL << memsuite_page_order(head);

	/* One folio may be mapped by many entries. */
	if (head == mover->last)
		return 0;
	mover->last = head;
	if (mover->has_policy || (vma && memsuite_vma_has_policy(vma))) {
		mover->moves[VIPZONE_MOVE_POLICY] += nr;
	} else if (!may_use_any(mover, order)) {
		mover->moves[VIPZONE_MOVE_CPUSET] += nr;
	} else if (belongs_to_others(vma, head, why)) {
		mover->moves[VIPZONE_MOVE_SHARED] += nr;
	} else {
		get_page(head);
		mover->found[mover->nr_found].page = head;
		mover->found[mover->nr_found].order = order;
		mover->found[mover->nr_found].hotness = hotness;
		mover->found[mover->nr_found].on_its_way = false;
		mover->found[mover->nr_found].tried = false;
		mover->found[mover->nr_found++].why = why;
		return nr;
	}
	if (hotness)
		vipzone_hotness_try(hotness);
	return 0;
}

bool vipzone_page_migrate_has_work(const struct vipzone_page_migrate *mover)
{
	return mover->nr_found;
}

unsigned long vipzone_page_migrate_found_full(const struct vipzone_page_migrate *mover,
					      unsigned int region)
{
	return mover->full[region];
}

/* A bad page is given back: memdiag retires it once it is free. So is one that was not tested. */
static struct page *keep_good(struct page *page, unsigned int order)
{
	if (page && memsuite_pool_inspect_held(page, order)) {
		put_page(page);
		page = NULL;
	}
	return page;
}

static struct page *take_large(unsigned int order, int nid)
{
	return keep_good(memsuite_page_alloc_large(order, nid, false), order);
}

/* Of a node, what was freed lately, here and there, the kernel finds at once. */
static unsigned long alloc_small(struct memsuite_target_frames *frames, int nid, unsigned long nr)
{
	unsigned long taken = 0;
	struct page *page;

	while (taken < nr && memsuite_node_has_room(nid, 1) && !memsuite_hold_wanted()) {
		page = keep_good(memsuite_page_alloc_small(nid), 0);
		if (!page)
			break;
		memsuite_target_frames_put(frames, page);
		taken++;
	}
	return taken;
}

/* The kernel asks in the order of the pages mostly. Of a folio that was split, the first counts. */
static void mover_serve(struct vipzone_page_migrate *mover, const struct page *page)
{
	unsigned int i;

	for (i = 0; i < mover->nr_found; i++) {
		mover->served = mover->served + 1 < mover->nr_found ? mover->served + 1 : 0;
		if (mover->found[mover->served].page != page)
			continue;
		mover->found[mover->served].tried = true;
		return;
	}
}

/* A page of this order where the pages on their way go, and in which region it lies. */
static struct page *find_target(struct vipzone_page_migrate *mover, unsigned int order,
				unsigned int *region)
{
	struct page *page = NULL;
	struct vipzone_target *target;
	unsigned int i;

	for (i = 0; i < mover->order->nr && !page; i++) {
		target = target_of(mover, mover->order, i);
		if (!may_use(mover, target))
			continue;
		if (!order)
			page = memsuite_target_frames_take(&mover->frames[mover->order->region[i]]);
		else if (target->is_node)
			page = take_large(order, target->nid);
		else
			page = memsuite_pool_pop_large(target->pool, order, 0);
		*region = mover->order->region[i];
	}
	return page;
}

/* Without a target, a large folio is split, and moved page by page. */
static struct page *take_target(struct page *old, void *context)
{
	struct vipzone_page_migrate *mover = context;
	unsigned int order = memsuite_page_order(old), region = mover->ready_region;
	struct page *page = mover->ready;

	if (page && order)
		mover->ready = NULL;
	else
		page = find_target(mover, order, &region);
	if (!page)
		return NULL;
	mover->taken[region] += 1UL << order;
	mover_serve(mover, old);
	return page;
}

/* The region that it was taken from. */
static void put_target(struct page *page, void *context)
{
	struct vipzone_page_migrate *mover = context;
	unsigned int i, region;

	for (i = 0; i < mover->order->nr; i++) {
		region = mover->order->region[i];
		if (!memsuite_region_has(mover->policy->targets[region].region, page))
			continue;
		mover->taken[region]--;
		memsuite_target_frames_put(&mover->frames[region], page);
		return;
	}
	put_page(page);
}

/* Has pages of order 0 ready for what is on its way, of regions in their order. */
static void mover_prepare(struct vipzone_page_migrate *mover, unsigned long nr)
{
	struct memsuite_target_frames *frames;
	struct vipzone_target *target;
	unsigned int i;

	for (i = 0; i < mover->order->nr && nr; i++) {
		target = target_of(mover, mover->order, i);
		if (!may_use(mover, target))
			continue;
		frames = &mover->frames[mover->order->region[i]];
		nr -= memsuite_target_frames_prepare(frames, nr);
		if (nr && target->is_node)
			nr -= alloc_small(frames, target->nid, nr);
	}
}

/*
 * Moves what is on its way. Where somebody waits for what is held, that is why there was no page
 * to move to.
 */
static void mover_run(struct vipzone_page_migrate *mover, enum vipzone_move_why why)
{
	u64 *outcome = mover->move.outcome, before = outcome[MEMSUITE_MIGRATED];
	u64 full = outcome[MEMSUITE_MIGRATE_FULL];
	unsigned int i;

	if (!mover->ready)
		mover_prepare(mover, mover->move.nr);
	memsuite_migrate_run(&mover->move);
	mover->nr_added = 0;
	mover->whys[why] += outcome[MEMSUITE_MIGRATED] - before;
	full = outcome[MEMSUITE_MIGRATE_FULL] - full;
	if (memsuite_hold_wanted()) {
		outcome[MEMSUITE_MIGRATE_FULL] -= full;
		outcome[MEMSUITE_MIGRATE_BUSY] += full;
		return;
	}
	for (i = 0; i < mover->order->nr; i++)
		mover->full[mover->order->region[i]] += full;
}

/* A large folio would be split if its target were not ready when somebody comes to wait. */
static void mover_move_large(struct vipzone_page_migrate *mover, unsigned int i)
{
	struct page *page = mover->found[i].page;

	mover_run(mover, mover->found[i].why);
	mover->ready = find_target(mover, memsuite_page_order(page), &mover->ready_region);
	if (!mover->ready && memsuite_hold_wanted())
		return;
	mover->found[i].tried = !memsuite_migrate_add(&mover->move, page);
	put_page(page);
	mover->found[i].on_its_way = true;
	mover_run(mover, mover->found[i].why);
	if (mover->ready)
		put_page(mover->ready);
	mover->ready = NULL;
}

static void mover_move_small(struct vipzone_page_migrate *mover, unsigned int i)
{
	mover->found[i].tried = !memsuite_migrate_add(&mover->move, mover->found[i].page);
	put_page(mover->found[i].page);
	mover->found[i].on_its_way = true;
	if (++mover->nr_added == MOVE_BATCH)
		mover_run(mover, mover->found[i].why);
}

/*
 * Moves all pages from @first on that go to the same place for the same reason, until somebody
 * waits for what is held.
 */
static void mover_move_alike(struct vipzone_page_migrate *mover, unsigned int first)
{
	const struct vipzone_order *order = mover->found[first].order;
	enum vipzone_move_why why = mover->found[first].why;
	unsigned int i;

	mover->order = order;
	for (i = first; i < mover->nr_found && !memsuite_hold_wanted(); i++) {
		if (mover->found[i].on_its_way || mover->found[i].order != order ||
		    mover->found[i].why != why)
			continue;
		if (memsuite_page_order(mover->found[i].page))
			mover_move_large(mover, i);
		else
			mover_move_small(mover, i);
	}
	mover_run(mover, why);
}

/* Who has looked for room before tries again at the next look. */
static bool looked_for_room(enum vipzone_move_why why)
{
	return why == VIPZONE_MOVE_HOT || why == VIPZONE_MOVE_IDLE ||
	       why == VIPZONE_MOVE_OUTRANKED;
}

static void mover_note_tries(struct vipzone_page_migrate *mover)
{
	unsigned int i;

	for (i = 0; i < mover->nr_found; i++) {
		if (!mover->found[i].hotness)
			continue;
		if (mover->found[i].tried)
			vipzone_hotness_try(mover->found[i].hotness);
		else if (!looked_for_room(mover->found[i].why))
			vipzone_hotness_wait(mover->found[i].hotness);
	}
}

/* Returns whether that is all. */
static bool mover_move_held(struct vipzone_page_migrate *mover)
{
	int token = memsuite_hold_begin();
	bool all = true;
	unsigned int i;

	/* What was moved away, or freed, since the last ones may have left room. */
	for (i = 0; i < mover->policy->nr_targets; i++)
		mover->frames[i].empty = false;
	for (i = 0; i < mover->nr_found && !memsuite_hold_wanted(); i++)
		if (!mover->found[i].on_its_way)
			mover_move_alike(mover, i);
	for (i = 0; i < mover->policy->nr_targets; i++)
		memsuite_target_frames_return(&mover->frames[i]);
	memsuite_hold_end(token);
	for (i = 0; i < mover->nr_found; i++)
		all &= mover->found[i].on_its_way;
	return all;
}

static bool mover_is_to_end(const struct vipzone_page_migrate *mover)
{
	if (mover->ending)
		return READ_ONCE(*mover->ending);
	return fatal_signal_pending(current) ||
	       ((current->flags & PF_KTHREAD) && kthread_should_stop());
}

/* Whoever waits for what is held goes first. False if that takes too long. */
static bool mover_lets_pass(const struct vipzone_page_migrate *mover)
{
	unsigned long end = jiffies + LET_PASS_JIFFIES;

	while (memsuite_hold_wanted() && time_before(jiffies, end) && !mover_is_to_end(mover))
		schedule_timeout_killable(HZ / 50);
	return !memsuite_hold_wanted() && !mover_is_to_end(mover);
}

static void mover_leave_rest(struct vipzone_page_migrate *mover)
{
	unsigned int i;

	for (i = 0; i < mover->nr_found; i++) {
		struct page *page = mover->found[i].page;

		if (mover->found[i].on_its_way)
			continue;
		mover->move.outcome[MEMSUITE_MIGRATE_BUSY] += 1UL << memsuite_page_order(page);
		put_page(page);
	}
}

/* Where a node is full of page cache. What is found goes to one place mostly. */
static void mover_make_room(const struct vipzone_page_migrate *mover)
{
	const struct vipzone_order *order = mover->found[0].order;
	struct vipzone_target *target = target_of(mover, order, 0);

	if (order->nr && target->is_node && may_use(mover, target))
		memsuite_node_make_room(target->nid, mover->nr_found);
}

void vipzone_page_migrate_flush(struct vipzone_page_migrate *mover)
{
	bool all;

	if (!mover->nr_found)
		return;
	mover_make_room(mover);
	do {
		all = mover_move_held(mover);
	} while (!all && mover_lets_pass(mover));
	if (!all)
		mover_leave_rest(mover);
	mover_note_tries(mover);
	mover->nr_found = 0;
	mover->served = 0;
}

void vipzone_page_migrate_flush_settled(struct vipzone_page_migrate *mover, bool *settled)
{
	if (!mover->nr_found)
		return;
	/* It asks all CPUs: not before there is something to move. */
	if (!*settled)
		memsuite_migrate_settle();
	*settled = true;
	vipzone_page_migrate_flush(mover);
}

static void mover_init_frames(struct vipzone_page_migrate *mover)
{
	unsigned int i;

	for (i = 0; i < mover->policy->nr_targets; i++) {
		memsuite_target_frames_init_pool(&mover->frames[i],
						 mover->policy->targets[i].pool);
		mover->frames[i].inspected = true;
	}
}

/* The nodes that the process may use, as any of its threads was told. */
static void mover_init_nodes(struct vipzone_page_migrate *mover, struct task_struct *task)
{
	struct task_struct *thread;

	mover->allowed = node_states[N_MEMORY];
	if (!task)
		return;
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

struct vipzone_page_migrate *vipzone_page_migrate_open(struct task_struct *task,
						       struct vipzone_policy *policy,
						       const bool *ending)
{
	struct vipzone_page_migrate *mover = kvzalloc(sizeof(*mover), GFP_KERNEL);

	if (!mover)
		return NULL;
	mover->policy = policy;
	mover->ending = ending;
	mover_init_nodes(mover, task);
	mover_init_frames(mover);
	memsuite_migrate_init(&mover->move, take_target, mover);
	mover->move.put = put_target;
	return mover;
}

void vipzone_page_migrate_close(struct vipzone_page_migrate *mover, u64 *moves)
{
	struct vipzone_policy_stats __percpu *stats = mover->policy->stats;
	int i;

	for (i = 0; i < MEMSUITE_NR_MIGRATE_OUTCOMES; i++)
		mover->moves[i] += mover->move.outcome[i];
	for (i = 0; i < VIPZONE_NR_MOVES; i++) {
		moves[i] += mover->moves[i];
		this_cpu_add(stats->moves[i], mover->moves[i]);
	}
	for (i = 0; i < VIPZONE_NR_MOVE_WHYS; i++)
		this_cpu_add(stats->whys[i], mover->whys[i]);
	/* What is moved is written. */
	for (i = 0; i < mover->policy->nr_targets; i++)
		vipzone_region_energy_wear(mover->policy->targets[i].energy,
					   mover->taken[i]);
	kvfree(mover);
}
