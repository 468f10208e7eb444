// SPDX-License-Identifier: GPL-2.0-only
/*
 * The audit's visit to a process: where its private pages and shared memory are,
 * how those are used that no other process maps, and what follows from it.
 *
 * Whether a page was written is told by the dirty bit of its entry, which has
 * to be cleared for that. What says that the page must be written to swap is
 * then the page's own mark, so that is set first. And no processor may go on to
 * write by an older copy of the entry: reclaim spares itself a flush for entries
 * that are clean, and would write out the page before the last of its contents.
 * So the TLBs are flushed before the lock of the page table is dropped.
 */

#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <memsuite/migrate.h>
#include <memsuite/pagewalk.h>
#include <memsuite/secondary_mmu.h>
#include <memsuite/target_frames.h>
#include <memsuite/tlb.h>

#include "audit/hotness.h"
#include "audit/page_history.h"
#include "audit/page_migrate.h"
#include "audit/ranking.h"
#include "audit/visit.h"
#include "policy/bank_assign.h"
#include "policy/lookup.h"
#include "policy/process_energy.h"
#include "policy/spread.h"
#include "steer/access_charge.h"

/* What has no page costs a part of a look. */
#define ABSENT_PER_LOOK	4

/* How long it is taken to be known what a region has free. */
#define ROOM_KNOWN_MS	100
/* A part of each region is left for those who need memory at once. */
#define ROOM_SHIFT	5

/**
 * struct visit - a visit
 * @walk: over the process's memory
 * @huge: the page that is looked at is a huge one
 * @task: the process
 * @policy: what it is under
 * @limits: how much it may still do
 * @mover: moves its pages
 * @history: of its pages, or NULL
 * @table: the part of it for the page table that is looked through, or NULL
 * @sample: how pages are used is looked at
 * @tried: pages were to be moved, and there is no history to note that in
 * @cleared: bits of that page table were cleared
 * @open: by segment, where pages may go: not to regions over budget
 * @ends: by segment, how the best and the worst region for its pages compare
 * @hot: by segment, where pages go that are used much; nowhere if empty
 * @idle: by segment, where pages go that nobody uses
 * @looked: pages looked at
 * @astray: those of them outside of their regions, by what they are like
 * @touched: by region, since they were last settled; the last is for none
 * @written: pages that were written, likewise
 */
struct visit {
	struct memsuite_walk walk;
	bool huge;
	struct task_struct *task;
	struct vipzone_policy *policy;
	struct vipzone_visit_limits *limits;
	struct vipzone_page_migrate *mover;
	struct vipzone_page_history *history;
	struct vipzone_hotness *table;
	bool sample;
	bool tried;
	bool cleared;
	struct vipzone_order open[VIPZONE_NR_SEGMENTS];
	struct vipzone_ends ends[VIPZONE_NR_SEGMENTS];
	struct vipzone_order hot[VIPZONE_NR_SEGMENTS];
	struct vipzone_order idle[VIPZONE_NR_SEGMENTS];
	u64 looked;
	u64 astray[VIPZONE_NR_ASTRAYS];
	u64 touched[VIPZONE_POLICY_PLACES][VIPZONE_NR_ACCESS_KINDS];
	u64 written[VIPZONE_POLICY_PLACES];
};

static unsigned int table_index(unsigned long addr)
{
	return (addr & ~PMD_MASK) >> PAGE_SHIFT;
}

/* The history of a page that is to be moved: that of the first of a large folio. NULL for none. */
static struct vipzone_hotness *history_of_folio(struct visit *visit, struct page *page,
						unsigned long addr)
{
	unsigned int index = table_index(addr);
	unsigned long at = page_to_pfn(page) - page_to_pfn(compound_head(page));

	if (!visit->table && visit->history)
		visit->table = vipzone_page_history_table(visit->history, addr,
							  GFP_NOWAIT | __GFP_NOWARN);
	if (!visit->table)
		return NULL;
	return &visit->table[at <= index ? index - at : index];
}

/* Returns how many pages will be moved. */
static unsigned long visit_want(struct visit *visit, struct page *page, unsigned long addr,
				const struct vipzone_order *order, enum vipzone_move_why why)
{
	unsigned long nr = 1UL << memsuite_page_order(compound_head(page));
	struct vipzone_hotness *hotness;

	if (!order->nr || visit->limits->pages < (long)nr)
		return 0;
	hotness = history_of_folio(visit, page, addr);
	if (hotness && !vipzone_hotness_may_move(*hotness))
		return 0;
	visit->tried |= !hotness;
	nr = vipzone_page_migrate_add(visit->mover, visit->walk.vma, page, order, why, hotness);
	visit->limits->pages -= nr;
	return nr;
}

static bool on_a_node_of(const struct vipzone_policy *policy,
			 const struct vipzone_order *order, struct page *page)
{
	unsigned int i;

	for (i = 0; i < order->nr; i++)
		if (node_isset(page_to_nid(page),
			       policy->targets[order->region[i]].nodes))
			return true;
	return false;
}

static enum vipzone_astray kind_of(const struct vipzone_policy *policy,
				   const struct vipzone_order *order, struct page *page)
{
	struct page *head = compound_head(page);

	if (memsuite_page_shared(head))
		return VIPZONE_ASTRAY_SHARED;
	if (memsuite_page_order(head))
		return VIPZONE_ASTRAY_HUGE;
	return on_a_node_of(policy, order, page) ? VIPZONE_ASTRAY_NEAR : VIPZONE_ASTRAY_NODE;
}

/*
 * Under the lock of the page table. Reclaim ages pages by the same bits: what is
 * cleared here is told to it by the page's own marks. Writes by a virtual machine are
 * not told apart from what it reads.
 */
static void entry_sample(struct visit *visit, struct page *page, unsigned long addr,
			 unsigned long *entry, bool *accessed, bool *written)
{
	unsigned long end = addr + (visit->huge ? PMD_SIZE : PAGE_SIZE);
	unsigned long flags = READ_ONCE(*entry);
	enum memsuite_young_ask ask;

	*accessed = (flags & _PAGE_ACCESSED) &&
		test_and_clear_bit(_PAGE_BIT_ACCESSED, entry);
	/* An entry that is dirty and not writable is that of a shadow stack. */
	*written = (flags & _PAGE_RW) && (flags & _PAGE_DIRTY);
	if (*written) {
		memsuite_page_mark_dirty(page);
		clear_bit(_PAGE_BIT_DIRTY, entry);
	}
	visit->cleared |= *accessed || *written;
	ask = *accessed ? MEMSUITE_YOUNG_ASK_SET : MEMSUITE_YOUNG_ASK_CLEAR;
	*accessed |= memsuite_secondary_mmu_clear_young(visit->walk.mm, addr, end, ask);
	if (*accessed || *written)
		memsuite_page_mark_accessed(page);
}

static void count_access(struct visit *visit, struct page *page, bool accessed,
			 bool written)
{
	unsigned int i;

	if (!accessed && !written)
		return;
	for (i = 0; i < visit->policy->nr_targets; i++)
		if (memsuite_region_has(visit->policy->targets[i].region, page))
			break;
	visit->touched[i][written ? VIPZONE_ACCESS_WRITE : VIPZONE_ACCESS_READ]++;
	if (written)
		visit->written[i] += visit->huge ? PTRS_PER_PTE : 1;
}

/*
 * What all pages of a large folio have in common that is mapped page by page is known once
 * the last one was looked at. Returns how many of them there are up to this one; else 0.
 */
static unsigned int pages_known(const struct visit *visit, struct page *page, unsigned int index)
{
	struct page *head = compound_head(page);
	unsigned long last = (1UL << memsuite_page_order(head)) - 1;

	if (visit->huge || !last)
		return 1;
	return page_to_pfn(page) - page_to_pfn(head) == last && index >= last ? last + 1 : 0;
}

static bool is_idle(const struct visit *visit, struct page *page, unsigned int index)
{
	unsigned int nr = pages_known(visit, page, index), i;

	for (i = 0; i < nr; i++)
		if (!vipzone_hotness_is_idle(visit->table[index - i], visit->limits->idle_looks))
			return false;
	return nr;
}

/* That of the page of its folio that has the highest; VIPZONE_RANKS if it is not known. */
static unsigned int rank_of_folio(const struct visit *visit, const struct vipzone_ends *ends,
				  struct page *page, unsigned int index)
{
	unsigned int nr = pages_known(visit, page, index), rank = nr ? 0 : VIPZONE_RANKS, i;

	for (i = 0; i < nr; i++)
		rank = max(rank, vipzone_ends_rank(ends, visit->table[index - i]));
	return rank;
}

static bool lies_elsewhere(const struct visit *visit,
			   const struct vipzone_order *order, struct page *page)
{
	return order->nr && !vipzone_page_is_placed(visit->policy, order, page);
}

static bool is_worn(const struct visit *visit, struct page *page)
{
	unsigned int i;

	if (!visit->policy->command.wear)
		return false;
	for (i = 0; i < visit->policy->nr_targets; i++)
		if (memsuite_region_has(visit->policy->targets[i].region, page))
			return vipzone_region_energy_is_over(visit->policy->targets[i].energy);
	return false;
}

static struct vipzone_ranking *ranking_of(const struct visit *visit,
					  const struct vipzone_order *end)
{
	return &visit->policy->rankings[end->region[0]];
}

/* Returns how many pages will be moved to an end of the list. */
static unsigned long visit_send(struct visit *visit, struct page *page, unsigned long addr,
				const struct vipzone_order *end, enum vipzone_move_why why)
{
	struct vipzone_ranking *ranking = ranking_of(visit, end);
	unsigned long nr = 1UL << memsuite_page_order(compound_head(page));

	if (ranking->full || ranking->room < nr)
		return 0;
	nr = visit_want(visit, page, addr, end, why);
	ranking->room -= nr;
	return nr;
}

/* The page is under a policy with heat whose regions differ. */
static void act_by_rank(struct visit *visit, struct page *page, enum vipzone_segment segment,
			unsigned long addr)
{
	const struct vipzone_order *hot = &visit->hot[segment], *idle = &visit->idle[segment];
	const struct vipzone_ends *ends = &visit->ends[segment];
	struct vipzone_ranking *ranking = ranking_of(visit, hot);
	unsigned long nr = 1UL << memsuite_page_order(compound_head(page));
	unsigned int index = table_index(addr);
	struct vipzone_hotness hotness = visit->table[index];
	unsigned int rank = vipzone_ends_rank(ends, hotness);
	bool there = !lies_elsewhere(visit, hot, page);

	vipzone_ranking_count(ranking, rank, there, visit->huge ? PTRS_PER_PTE : 1);
	if (vipzone_ends_gains(ends, hotness, visit->limits->hot_looks)) {
		if (!there && vipzone_ranking_admits(ranking, rank, nr))
			visit_send(visit, page, addr, hot, VIPZONE_MOVE_HOT);
	} else if (there && vipzone_ranking_releases(ranking,
						     rank_of_folio(visit, ends, page, index), nr)) {
		ranking->leaving -= visit_send(visit, page, addr, idle, VIPZONE_MOVE_OUTRANKED);
	} else if (lies_elsewhere(visit, idle, page) && is_idle(visit, page, index)) {
		visit_send(visit, page, addr, idle, VIPZONE_MOVE_IDLE);
	}
}

static void act_on_use(struct visit *visit, struct page *page, enum vipzone_segment segment,
		       unsigned long addr)
{
	if (vipzone_hotness_is_written(visit->table[table_index(addr)],
				       visit->limits->hot_looks) && is_worn(visit, page))
		visit_want(visit, page, addr, &visit->open[segment], VIPZONE_MOVE_WORN);
	else if (visit->hot[segment].nr)
		act_by_rank(visit, page, segment, addr);
}

static void see_use(struct visit *visit, struct page *page,
		    enum vipzone_segment segment, unsigned long addr,
		    unsigned long *entry)
{
	bool accessed, written;

	/* What MADV_FREE has freed may go as long as it stays clean: leave its bits alone. */
	if (!memsuite_page_swap_backed(page))
		return;
	entry_sample(visit, page, addr, entry, &accessed, &written);
	if (!vipzone_hotness_look(&visit->table[table_index(addr)], accessed, written))
		return;
	count_access(visit, page, accessed, written);
	act_on_use(visit, page, segment, addr);
}

/* What other processes map as well is used by them, too: one's bits do not tell. */
static bool is_sampled(const struct visit *visit, struct page *page, enum vipzone_segment segment)
{
	return visit->sample && visit->table &&
	       (segment != VIPZONE_SEGMENT_SHARED || !memsuite_page_shared(compound_head(page)));
}

static void visit_page(struct visit *visit, struct page *page, unsigned long addr,
		       unsigned long *entry)
{
	unsigned long nr = visit->huge ? PTRS_PER_PTE : 1;
	enum vipzone_segment segment = vipzone_segment_of_page(visit->walk.vma, page, addr);
	const struct vipzone_order *order =
		vipzone_order_at_home(visit->policy, segment, visit->walk.mm);
	const struct vipzone_order *away;

	visit->limits->entries--;
	if (!vipzone_page_is_movable(page) || !order->nr ||
	    vipzone_page_is_of_file(visit->walk.vma, segment))
		return;
	visit->looked += nr;
	if (visit->table)
		vipzone_hotness_rest(&visit->table[table_index(addr)]);
	away = vipzone_spread_away_to(visit->policy, segment, order, page,
				      vipzone_spread_place(visit->walk.vma, addr, 0));
	if (away) {
		visit->astray[kind_of(visit->policy, away, page)] += nr;
		visit_want(visit, page, addr, away == order ? &visit->open[segment] : away,
			   VIPZONE_MOVE_REPAIR);
	}
	if (is_sampled(visit, page, segment))
		see_use(visit, page, segment, addr, entry);
}

/* Under the lock of the page table still. */
static void visit_flush(struct visit *visit, unsigned long start, unsigned long end)
{
	if (visit->cleared)
		memsuite_tlb_flush(visit->walk.mm, start, end);
	visit->cleared = false;
	visit->walk.stop = visit->limits->entries <= 0 ||
			   vipzone_page_migrate_has_work(visit->mover);
}

static unsigned long visit_ptes(struct memsuite_walk *walk, pte_t *pte,
				unsigned long start, unsigned long end)
{
	struct visit *visit = container_of(walk, struct visit, walk);
	unsigned int absent = 0;
	unsigned long addr;

	for (addr = start; addr < end; addr += PAGE_SIZE, pte++) {
		struct page *page = memsuite_walk_pte_page(READ_ONCE(*pte));

		if (page)
			visit_page(visit, page, addr, (unsigned long *)pte);
		else
			absent++;
	}
	visit->limits->entries -= absent / ABSENT_PER_LOOK;
	visit_flush(visit, start, end);
	return end;
}

static void visit_huge(struct memsuite_walk *walk, pmd_t *pmd, unsigned long start,
		       unsigned long end)
{
	struct visit *visit = container_of(walk, struct visit, walk);
	struct page *page = memsuite_walk_pmd_page(READ_ONCE(*pmd));

	if (!page)
		return;
	visit->huge = true;
	visit_page(visit, page, start, (unsigned long *)pmd);
	visit->huge = false;
	visit_flush(visit, start, end);
}

/* Its program may wait for mmap_lock, and so does reclaim: for a table there is another round. */
static void visit_enter(struct memsuite_walk *walk, unsigned long addr)
{
	struct visit *visit = container_of(walk, struct visit, walk);

	visit->table = NULL;
	if (visit->history)
		visit->table = visit->sample ?
			vipzone_page_history_table(visit->history, addr,
						   GFP_NOWAIT | __GFP_NOWARN) :
			vipzone_page_history_find(visit->history, addr);
}

static const struct memsuite_walk_ops visit_ops = {
	.enter = visit_enter,
	.pte_range = visit_ptes,
	.huge_pmd = visit_huge,
};

/* It takes a thousand looks at frames. */
static void ranking_look(struct vipzone_ranking *ranking, struct memsuite_region *region)
{
	u64 now_ms = ktime_to_ms(ktime_get());
	struct memsuite_occupancy occupancy;

	if (ranking->looked_ms && now_ms - ranking->looked_ms < ROOM_KNOWN_MS)
		return;
	/* What has left is not free for others as long as a CPU keeps it at hand. */
	if (ranking->waits)
		memsuite_frames_gather();
	memsuite_region_occupancy(region, &occupancy);
	vipzone_ranking_see(ranking, occupancy.free_pages, occupancy.pages >> ROOM_SHIFT);
	ranking->looked_ms = now_ms;
}

/* Returns whether there are any. */
static bool open_rankings(struct vipzone_policy *policy, u64 pass)
{
	unsigned int i;

	if (!policy->command.heat)
		return false;
	if (!policy->rankings)
		policy->rankings = kcalloc(policy->nr_targets, sizeof(*policy->rankings),
					   GFP_KERNEL);
	if (!policy->rankings)
		return false;
	for (i = 0; i < policy->nr_targets; i++) {
		ranking_look(&policy->rankings[i], policy->targets[i].region);
		if (policy->rankings[i].pass == pass)
			continue;
		vipzone_ranking_conclude(&policy->rankings[i]);
		policy->rankings[i].pass = pass;
	}
	return true;
}

static void close_rankings(struct visit *visit)
{
	unsigned int i;

	for (i = 0; visit->policy->rankings && i < visit->policy->nr_targets; i++)
		vipzone_ranking_fill(&visit->policy->rankings[i],
				     vipzone_page_migrate_found_full(visit->mover, i));
}

/* Where the pages of a segment go by how they are used. */
static void choose_regions(struct visit *visit, enum vipzone_segment segment, bool ranked)
{
	const struct vipzone_policy *policy = visit->policy;
	const struct vipzone_order *order =
		vipzone_order_at_home(policy, segment, visit->walk.mm);
	const struct memsuite_region_spec *specs[VIPZONE_MAX_REGIONS];
	struct vipzone_order *open = &visit->open[segment];
	struct vipzone_ends *ends = &visit->ends[segment];
	unsigned int i;

	for (i = 0; i < order->nr; i++) {
		const struct vipzone_target *target = &policy->targets[order->region[i]];

		if (policy->command.wear && vipzone_region_energy_is_over(target->energy))
			continue;
		specs[open->nr] = memsuite_region_spec(target->region);
		open->region[open->nr++] = order->region[i];
	}
	if (!ranked || !vipzone_ends_choose(specs, open->nr, ends))
		return;
	visit->hot[segment].nr = 1;
	visit->hot[segment].region[0] = open->region[ends->hot];
	visit->idle[segment].nr = 1;
	visit->idle[segment].region[0] = open->region[ends->idle];
}

/* What accesses are divided by, if they are counted. */
static void settle_touches(struct visit *visit)
{
	struct vipzone_policy *policy = vipzone_policy_base(visit->policy);
	unsigned int i, kind;

	policy->is_touched = true;
	for (i = 0; i <= policy->nr_targets; i++)
		for (kind = 0; kind < VIPZONE_NR_ACCESS_KINDS; kind++)
			policy->places[i].touched[kind] += visit->touched[i][kind];
}

/* Passes on what was counted, with no lock held. */
static void visit_settle(struct visit *visit)
{
	struct vipzone_policy_stats *stats = get_cpu_ptr(visit->policy->stats);
	const struct vipzone_target *targets = visit->policy->targets;
	bool counted = vipzone_charge_is_on();
	unsigned int i;

	for (i = 0; i < visit->policy->nr_targets; i++)
		vipzone_energy_touch(&stats->accesses,
				     memsuite_region_spec(targets[i].region),
				     visit->touched[i], counted);
	stats->looked += visit->looked;
	for (i = 0; i < VIPZONE_NR_ASTRAYS; i++)
		stats->astray[i] += visit->astray[i];
	put_cpu_ptr(stats);
	for (i = 0; i < visit->policy->nr_targets; i++) {
		vipzone_region_energy_touch(targets[i].energy, visit->touched[i], counted);
		vipzone_region_energy_wear(targets[i].energy, visit->written[i]);
	}
	vipzone_process_energy_touch(visit->task, visit->policy, visit->touched, counted);
	settle_touches(visit);
	visit->looked = 0;
	memset(visit->astray, 0, sizeof(visit->astray));
	memset(visit->touched, 0, sizeof(visit->touched));
	memset(visit->written, 0, sizeof(visit->written));
}

static void visit_move(struct visit *visit)
{
	u64 begun_ns = ktime_get_ns();

	if (!vipzone_page_migrate_has_work(visit->mover))
		return;
	vipzone_page_migrate_flush_settled(visit->mover, &visit->limits->settled);
	visit->limits->moving_ns += ktime_get_ns() - begun_ns;
}

static unsigned long visit_walk(struct visit *visit)
{
	int err;

	do {
		err = memsuite_walk_batch(&visit->walk);
		/* Whoever has mmap_lock may take long: there is another round, from there on. */
		if (err == -EAGAIN)
			return max(visit->walk.addr, 1UL);
		if (err)
			return 0;
		visit->limits->entries -= VIPZONE_WALK_TABLES - visit->walk.left;
		visit_settle(visit);
		visit_move(visit);
	} while (visit->walk.addr && visit->limits->entries > 0 &&
		 !kthread_should_stop());
	return visit->walk.addr;
}

static void count_moves(struct visit *visit)
{
	u64 moves[VIPZONE_NR_MOVES] = {};

	vipzone_page_migrate_close(visit->mover, moves);
	visit->limits->moved += moves[MEMSUITE_MIGRATED];
}

unsigned long vipzone_visit(struct task_struct *task, struct mm_struct *mm,
			    struct vipzone_policy *policy, unsigned long addr,
			    struct vipzone_visit_limits *limits)
{
	struct visit *visit = kzalloc(sizeof(*visit), GFP_KERNEL);
	unsigned int segment;
	bool ranked;

	if (!visit)
		return 0;
	visit->walk = (struct memsuite_walk) {
		.ops = &visit_ops,
		.mm = mm,
		.flags = MEMSUITE_WALK_ANON | MEMSUITE_WALK_SHMEM,
		.wait = MEMSUITE_WALK_RETRY,
		.batch = VIPZONE_WALK_TABLES,
		.addr = addr,
	};
	visit->task = task;
	visit->policy = policy;
	visit->limits = limits;
	visit->sample = (limits->sample || policy->command.heat || policy->command.wear) &&
			memsuite_tlb_flushable();
	visit->history = visit->sample ? vipzone_page_history_of(mm) :
					 vipzone_page_history_there(mm);
	ranked = open_rankings(policy, limits->pass);
	for (segment = 0; segment < VIPZONE_NR_SEGMENTS; segment++)
		choose_regions(visit, segment, ranked);
	visit->mover = vipzone_page_migrate_open(task, policy, NULL);
	if (visit->mover) {
		addr = visit_walk(visit);
		close_rankings(visit);
		count_moves(visit);
	}
	/* For the next visit: what cannot be moved is not to be tried each time. */
	if (visit->tried && !visit->history)
		vipzone_page_history_of(mm);
	kfree(visit);
	return addr;
}
