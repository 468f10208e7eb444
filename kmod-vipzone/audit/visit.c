// SPDX-License-Identifier: GPL-2.0-only
/*
 * The audit's visit to a process: where its anonymous pages are, how they are
 * used, and what follows from it.
 *
 * Whether a page was written is told by the dirty bit of its entry, which has
 * to be cleared for that. What says that the page must be written to swap is
 * then the page's own mark, so that is set first. And no processor may go on to
 * write by an older copy of the entry: reclaim spares itself a flush for entries
 * that are clean, and would write out the page before the last of its contents.
 * So the TLBs are flushed before the lock of the page table is dropped.
 */

#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <memsuite/pagewalk.h>
#include <memsuite/tlb.h>

#include "audit/hotness.h"
#include "audit/page_history.h"
#include "audit/page_migrate.h"
#include "audit/visit.h"
#include "energy/access_counters.h"
#include "energy/process_energy.h"
#include "policy/bank_assign.h"
#include "vipzone.h"

/**
 * struct visit - a visit
 * @walk: over the process's memory
 * @huge: the page that is looked at is a huge one
 * @task: the process
 * @policy: what it is under
 * @limits: see there
 * @mover: moves its pages
 * @history: of its pages, or NULL
 * @table: the part of it for the page table that is looked through, or NULL
 * @cleared: bits of that page table were cleared
 * @open: by segment, where pages may go: not to regions over budget
 * @hot: and where those go that are written often; nowhere if empty
 * @idle: and those that nobody uses
 * @looked: pages looked at
 * @astray: of these, outside of their regions
 * @touched: by region, since they were last settled; the last is for none
 * @written: pages of these that were written
 */
struct visit {
	struct memsuite_walk walk;
	bool huge;
	struct task_struct *task;
	struct policy *policy;
	struct visit_limits *limits;
	struct mover *mover;
	struct history *history;
	u16 *table;
	bool cleared;
	struct vipzone_order open[NR_SEGMENTS];
	struct vipzone_order hot[NR_SEGMENTS];
	struct vipzone_order idle[NR_SEGMENTS];
	u64 looked;
	u64 astray[NR_ASTRAYS];
	u64 touched[POLICY_PLACES][LEDGER_KINDS];
	u64 written[POLICY_PLACES];
};

static void want(struct visit *visit, struct page *page,
		 const struct vipzone_order *order, enum move_why why)
{
	unsigned long nr = 1UL << memsuite_page_order(compound_head(page));

	if (!order->nr || visit->limits->pages < (long)nr)
		return;
	visit->limits->pages -= mover_note(visit->mover, visit->walk.vma, page,
					   order, why);
}

static bool on_a_node_of(const struct policy *policy,
			 const struct vipzone_order *order, struct page *page)
{
	unsigned int i;

	for (i = 0; i < order->nr; i++)
		if (node_isset(page_to_nid(page),
			       policy->targets[order->region[i]].nodes))
			return true;
	return false;
}

static enum astray kind_of(const struct policy *policy,
			   const struct vipzone_order *order, struct page *page)
{
	struct page *head = compound_head(page);

	if (memsuite_page_shared(head))
		return ASTRAY_SHARED;
	if (memsuite_page_order(head))
		return ASTRAY_HUGE;
	return on_a_node_of(policy, order, page) ? ASTRAY_NEAR : ASTRAY_NODE;
}

/*
 * Under the lock of the page table. What is taken from reclaim, which ages pages
 * by the same bits, it is told by the page's own marks.
 */
static void sample(struct visit *visit, struct page *page, unsigned long *entry,
		   bool *accessed, bool *written)
{
	unsigned long flags = READ_ONCE(*entry);

	*accessed = (flags & _PAGE_ACCESSED) &&
		test_and_clear_bit(_PAGE_BIT_ACCESSED, entry);
	/* Not writable and dirty is what shadow stacks are. */
	*written = (flags & _PAGE_RW) && (flags & _PAGE_DIRTY);
	if (*written) {
		memsuite_page_mark_dirty(page);
		clear_bit(_PAGE_BIT_DIRTY, entry);
	}
	if (*accessed || *written)
		memsuite_page_mark_accessed(page);
	visit->cleared |= *accessed || *written;
}

static void count(struct visit *visit, struct page *page, bool accessed,
		  bool written)
{
	unsigned int i;

	if (!accessed && !written)
		return;
	for (i = 0; i < visit->policy->nr_targets; i++)
		if (memsuite_region_has(visit->policy->targets[i].region, page))
			break;
	visit->touched[i][written ? LEDGER_WRITE : LEDGER_READ]++;
	if (written)
		visit->written[i] += visit->huge ? HPAGE_PMD_NR : 1;
}

/*
 * A large folio that is mapped page by page is idle if all of its pages are,
 * which is known once the last one was looked at.
 */
static bool is_idle(struct visit *visit, struct page *page, unsigned int index)
{
	struct page *head = compound_head(page);
	unsigned int last = (1U << memsuite_page_order(head)) - 1, at, i;

	if (visit->huge || !last)
		return heat_is_idle(visit->table[index],
				    visit->limits->idle_looks);
	at = page_to_pfn(page) - page_to_pfn(head);
	if (at != last || index < last)
		return false;
	for (i = index - last; i <= index; i++)
		if (!heat_is_idle(visit->table[i], visit->limits->idle_looks))
			return false;
	return true;
}

static bool lies_elsewhere(const struct visit *visit,
			   const struct vipzone_order *order, struct page *page)
{
	return order->nr && !is_placed(visit->policy, order, page);
}

static bool is_worn(const struct visit *visit, struct page *page)
{
	unsigned int i;

	if (!visit->policy->command.wear)
		return false;
	for (i = 0; i < visit->policy->nr_targets; i++)
		if (memsuite_region_has(visit->policy->targets[i].region, page))
			return account_is_over(visit->policy->targets[i].account);
	return false;
}

static void act(struct visit *visit, struct page *page, enum segment segment,
		unsigned int index)
{
	u16 *heat = &visit->table[index];

	if (heat_is_hot(*heat, visit->limits->hot_looks)) {
		if (is_worn(visit, page))
			want(visit, page, &visit->open[segment], MOVE_WORN);
		else if (lies_elsewhere(visit, &visit->hot[segment], page))
			want(visit, page, &visit->hot[segment], MOVE_HOT);
	} else if (lies_elsewhere(visit, &visit->idle[segment], page) &&
		   is_idle(visit, page, index)) {
		want(visit, page, &visit->idle[segment], MOVE_IDLE);
	}
}

static void see_use(struct visit *visit, struct page *page,
		    enum segment segment, unsigned long addr,
		    unsigned long *entry)
{
	unsigned int index = (addr & ~PMD_MASK) >> PAGE_SHIFT;
	bool accessed, written;
	u16 before;

	/* What MADV_FREE has freed is there for as long as it stays clean. */
	if (!memsuite_page_swap_backed(page))
		return;
	sample(visit, page, entry, &accessed, &written);
	before = visit->table[index];
	visit->table[index] = heat_look(before, accessed, written);
	if (!heat_counts(before))
		return;
	count(visit, page, accessed, written);
	act(visit, page, segment, index);
}

static void visit_page(struct visit *visit, struct page *page, unsigned long addr,
		       unsigned long *entry)
{
	enum segment segment = segment_of(visit->walk.vma, addr);
	const struct vipzone_order *order =
		order_at_home(visit->policy, segment, visit->walk.mm);
	unsigned long nr = visit->huge ? HPAGE_PMD_NR : 1;

	visit->limits->entries--;
	if (!memsuite_page_anon(compound_head(page)) || !order->nr)
		return;
	visit->looked += nr;
	if (!is_placed(visit->policy, order, page)) {
		visit->astray[kind_of(visit->policy, order, page)] += nr;
		want(visit, page, &visit->open[segment], MOVE_REPAIR);
	}
	if (visit->table)
		see_use(visit, page, segment, addr, entry);
}

/* Under the lock of the page table still. */
static void visit_flush(struct visit *visit, unsigned long start, unsigned long end)
{
	if (visit->cleared)
		memsuite_tlb_flush(visit->walk.mm, start, end);
	visit->cleared = false;
	visit->walk.stop = visit->limits->entries <= 0 ||
			   mover_has_work(visit->mover);
}

static unsigned long visit_ptes(struct memsuite_walk *walk, pte_t *pte,
				unsigned long start, unsigned long end)
{
	struct visit *visit = container_of(walk, struct visit, walk);
	unsigned long addr;

	for (addr = start; addr < end; addr += PAGE_SIZE, pte++) {
		struct page *page = memsuite_walk_pte_page(READ_ONCE(*pte));

		if (page)
			visit_page(visit, page, addr, (unsigned long *)pte);
	}
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

static void visit_enter(struct memsuite_walk *walk, unsigned long addr)
{
	struct visit *visit = container_of(walk, struct visit, walk);

	visit->table = visit->history ?
		history_table(visit->history, addr) : NULL;
}

static const struct memsuite_walk_ops visit_ops = {
	.enter = visit_enter,
	.pte_range = visit_ptes,
	.huge_pmd = visit_huge,
};

/* Where the pages of a segment go by how they are used. */
static void choose(struct visit *visit, enum segment segment)
{
	const struct policy *policy = visit->policy;
	const struct vipzone_order *order =
		order_at_home(policy, segment, visit->walk.mm);
	const struct memsuite_region_spec *specs[VIPZONE_MAX_REGIONS];
	struct vipzone_order *open = &visit->open[segment];
	unsigned int i, hot, idle;

	for (i = 0; i < order->nr; i++) {
		const struct target *target = &policy->targets[order->region[i]];

		if (policy->command.wear && account_is_over(target->account))
			continue;
		specs[open->nr] = memsuite_region_spec(target->region);
		open->region[open->nr++] = order->region[i];
	}
	if (!policy->command.heat || !heat_choose(specs, open->nr, &hot, &idle))
		return;
	visit->hot[segment].nr = 1;
	visit->hot[segment].region[0] = open->region[hot];
	visit->idle[segment].nr = 1;
	visit->idle[segment].region[0] = open->region[idle];
}

/* What accesses are divided by, if they are counted. */
static void note_touches(struct visit *visit)
{
	unsigned int i, kind;

	for (i = 0; i <= visit->policy->nr_targets; i++)
		for (kind = 0; kind < LEDGER_KINDS; kind++)
			visit->policy->places[i].touched[kind] +=
				visit->touched[i][kind];
}

/* Hands on what was counted, with no lock held. */
static void settle(struct visit *visit)
{
	struct steering_stats *stats = get_cpu_ptr(visit->policy->stats);
	const struct target *targets = visit->policy->targets;
	bool counted = meter_counts();
	unsigned int i;

	for (i = 0; i < visit->policy->nr_targets; i++)
		ledger_touch(&stats->accesses,
			     memsuite_region_spec(targets[i].region),
			     visit->touched[i], counted);
	stats->looked += visit->looked;
	for (i = 0; i < NR_ASTRAYS; i++)
		stats->astray[i] += visit->astray[i];
	put_cpu_ptr(stats);
	for (i = 0; i < visit->policy->nr_targets; i++) {
		account_touches(targets[i].account, visit->touched[i], counted);
		account_wear(targets[i].account, visit->written[i]);
	}
	bill_touches(visit->task, visit->policy, visit->touched, counted);
	note_touches(visit);
	visit->looked = 0;
	memset(visit->astray, 0, sizeof(visit->astray));
	memset(visit->touched, 0, sizeof(visit->touched));
	memset(visit->written, 0, sizeof(visit->written));
}

static unsigned long walk_all(struct visit *visit)
{
	do {
		/* Whoever has mmap_lock may take long, and there is another round. */
		if (memsuite_walk_batch(&visit->walk))
			return 0;
		settle(visit);
		mover_flush(visit->mover);
	} while (visit->walk.addr && visit->limits->entries > 0 &&
		 !kthread_should_stop());
	return visit->walk.addr;
}

static void count_moves(struct visit *visit)
{
	u64 moves[NR_MOVES] = {}, whys[NR_MOVE_WHYS] = {};
	unsigned int i;

	mover_close(visit->mover, moves, whys);
	for (i = 0; i < NR_MOVES; i++)
		this_cpu_add(visit->policy->stats->moves[i], moves[i]);
	for (i = 0; i < NR_MOVE_WHYS; i++)
		this_cpu_add(visit->policy->stats->whys[i], whys[i]);
}

unsigned long visit(struct task_struct *task, struct mm_struct *mm,
		    struct policy *policy, unsigned long addr,
		    struct visit_limits *limits)
{
	struct visit *visit = kzalloc(sizeof(*visit), GFP_KERNEL);
	unsigned int segment;

	if (!visit)
		return 0;
	visit->walk = (struct memsuite_walk) {
		.ops = &visit_ops,
		.mm = mm,
		.flags = MEMSUITE_WALK_ANON,
		.batch = VIPZONE_WALK_TABLES,
		.addr = addr,
	};
	visit->task = task;
	visit->policy = policy;
	visit->limits = limits;
	if (limits->sample || policy->command.heat || policy->command.wear)
		visit->history = memsuite_tlb_flushable() ? history_of(mm) : NULL;
	for (segment = 0; segment < NR_SEGMENTS; segment++)
		choose(visit, segment);
	visit->mover = mover_open(mm, task, policy);
	if (visit->mover) {
		addr = walk_all(visit);
		count_moves(visit);
	}
	kfree(visit);
	return addr;
}
