// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operating system method of paper 001, section 3.2. The topmost groups of
 * a process' LRU stack are the scan list: their accessed bits are looked at once
 * an epoch. All pages below are protected, and their touches fault. Either way a
 * touch counts at its stack distance, and the page goes to the top.
 *
 * Within an epoch the order of touches that accessed bits tell is not known:
 * pages are raised from the bottom up, as if in the order of the last time, which
 * is right for loops, and for others gives each page the largest distance that it
 * can have had.
 *
 * A fault costs as much as FAULT_COST looks. Where the faults of an epoch cost
 * more than its looks, the scan list is doubled, up to the whole stack; where the
 * touches of its lower half would cost less as faults, it is halved. Faults that
 * follow one another in memory (sequential) or come from one depth of the stack
 * (a loop) end protection for a while at once.
 */

#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <compat/pagetable.h>

#include "curve/curve.h"
#include "curve/lru_stack.h"
#include "curve/lru_stack_alloc.h"
#include "target/target.h"
#include "target/target_stats.h"
#include "target/tunables.h"
#include "track/addr_ring.h"
#include "track/faults.h"
#include "track/mode_paper.h"
#include "track/pace.h"
#include "track/protect.h"

#define WINDOW_US	USEC_PER_SEC
#define FAULT_COST	32
/* Looking takes one part in so many of the time at most, as in the ladder. */
#define DUTY		5
#define SCAN_PAGES_MIN	256
/* Faults of an epoch that make a pattern. */
#define PATTERN_FAULTS	16
/* Protection is off for so long, and up to 64 times as long if it did not help. */
#define OFF_US		USEC_PER_SEC
#define OFF_MAX_US	(64 * OFF_US)
/* Epochs after which the scan list may be halved. */
#define CALM_EPOCHS	64
/* Protected pages that are looked after in an epoch. */
#define AUDIT_PAGES	64
#define ENUMERATE_US	(5 * USEC_PER_SEC)

/**
 * struct mrc_mode_paper - what the mode knows of a target
 * @stack: its pages
 * @memory: what the stack is in
 * @shield: protects them
 * @faults: of protected pages and new ones
 * @page: a batch
 * @size: the sizes of the curve
 * @misses: of the curve, since @since
 * @since: when this window began, in us
 * @due: when the next epoch ends, in us
 * @enumerated: when the page tables were last read, in us
 * @enumeration_us: how long that took
 * @rss: resident pages then
 * @present: pages in memory, as counted then
 * @swapped: pages swapped out
 * @huge: pages in huge pages
 * @scan: groups of the scan list
 * @off_until: no protection before, in us
 * @off_us: how long it was switched off for the last time
 * @audit: node that is looked after next
 * @protected: pages that are protected
 * @stuck: pages that cannot be
 * @calm: epochs since the scan list was last changed
 * @low: touches in its lower half, in these
 * @unknown: touches of this window whose distance is not known
 * @protect_all: protected pages do not follow one another in the stack
 * @full: the stack had no room for a page
 */
struct mrc_mode_paper {
	struct mrc_lru_stack stack;
	void *memory;
	struct mrc_shield shield;
	struct mrc_addr_ring faults;
	struct mrc_protect_page page[MRC_PROTECT_BATCH];
	u64 size[MRC_SIZES];
	u64 misses[MRC_SIZES];
	u64 since;
	u64 due;
	u64 enumerated;
	u64 enumeration_us;
	u64 rss;
	u64 present;
	u64 swapped;
	u64 huge;
	u32 scan;
	u64 off_until;
	u64 off_us;
	u32 audit;
	u32 protected;
	u32 stuck;
	u32 calm;
	u64 low;
	u64 unknown;
	bool protect_all;
	bool full;
};

/* In a loop over all pages: let others run now and then. */
static void others_run(u32 i)
{
	if (i % MRC_PROTECT_BATCH == 0)
		cond_resched();
}

/* Return: 0 or -ENOMEM; the stack is as it was then, as where there is no room for a larger one. */
static int stack_rebuild(struct mrc_mode_paper *p, u64 capacity)
{
	u32 group_pages = READ_ONCE(mrc_tunables.group_pages);
	u64 scan_pages = (u64)p->scan * p->stack.group_pages;
	void *before = p->memory;
	int err = mrc_lru_stack_alloc(&p->stack, &p->memory,
				      max_t(u64, capacity, SCAN_PAGES_MIN), group_pages);

	if (err || p->memory == before)
		return err;
	/* The scan list keeps its pages. */
	p->scan = DIV_ROUND_UP(scan_pages, group_pages);
	p->audit = 0;
	p->full = false;
	return 0;
}

static int paper_start(struct mrc_target *t)
{
	struct mrc_mode_paper *p;
	unsigned int i;
	int err;

	p = kvzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	for (i = 0; i < MRC_SIZES; i++)
		p->size[i] = mrc_size(i);
	err = stack_rebuild(p, get_mm_rss(t->mm) * 2);
	if (err)
		goto free;
	err = mrc_protect_start(&p->shield, t->mm);
	if (err)
		goto free_stack;
	err = mrc_faults_watch(&p->faults, t->mm);
	if (err)
		goto stop;
	p->since = mrc_now_us();
	p->due = p->since;
	t->paper = p;
	return 0;

stop:
	mrc_protect_stop(&p->shield);
free_stack:
	kvfree(p->memory);
free:
	kvfree(p);
	return err;
}

/**
 * mrc_mode_paper_stop() - unprotect all pages of a target, and forget its stack
 * @t: the target; @mm is still the one that was tracked
 *
 * Context: may sleep; its tracker, or no one else.
 */
void mrc_mode_paper_stop(struct mrc_target *t)
{
	struct mrc_mode_paper *p = t->paper;

	if (!p)
		return;
	mrc_faults_unwatch(&p->faults);
	mrc_protect_stop(&p->shield);
	t->stats.restored += atomic64_read(&p->shield.restored);
	t->stats.protected_pages = 0;
	kvfree(p->memory);
	kvfree(p);
	t->paper = NULL;
}

static bool page_see(void *arg, unsigned long addr, u32 found)
{
	struct mrc_mode_paper *p = arg;
	struct mrc_lru_stack *s = &p->stack;
	u32 i = mrc_lru_stack_find(s, addr);
	bool new = i == MRC_LRU_NIL;

	p->present += !!(found & MRC_PAGE_PRESENT);
	p->swapped += !(found & MRC_PAGE_PRESENT);
	p->huge += !!(found & MRC_PAGE_HUGE);
	if (new) {
		i = mrc_lru_stack_append(s, addr);
		if (i == MRC_LRU_NIL) {
			p->full = true;
			return false;
		}
		s->node[i].flags = MRC_LRU_UNKNOWN;
	}
	s->node[i].flags |= MRC_LRU_MAPPED;
	if (found & MRC_PAGE_HUGE)
		s->node[i].flags |= MRC_LRU_HUGE;
	else
		s->node[i].flags &= ~MRC_LRU_HUGE;
	return new;
}

/* Bring the stack up to date with the page tables, if it is time to. */
static int stack_enumerate(struct mrc_target *t, struct mrc_mode_paper *p)
{
	u64 now = mrc_now_us(), rss = get_mm_rss(t->mm);
	struct mrc_lru_stack *s = &p->stack;
	void *before = p->memory;
	u32 i;
	int err;

	if (p->full || rss > s->capacity ||
	    s->group_pages != READ_ONCE(mrc_tunables.group_pages)) {
		err = stack_rebuild(p, max_t(u64, rss * 2, s->n * 2ULL));
		if (err)
			return err;
	}
	if (p->enumerated && p->memory == before &&
	    abs((s64)(rss - p->rss)) <= p->rss / 16 &&
	    now - p->enumerated < ENUMERATE_US + 100 * p->enumeration_us)
		return 0;
	for (i = 0; i < s->used; i++) {
		others_run(i);
		s->node[i].flags &= ~MRC_LRU_MAPPED;
	}
	p->present = 0;
	p->swapped = 0;
	p->huge = 0;
	err = mrc_protect_enumerate(t->mm, page_see, p);
	if (err)
		return err;
	p->protected = 0;
	p->stuck = 0;
	for (i = 0; i < s->used; i++) {
		struct mrc_lru_node *node = &s->node[i];

		others_run(i);
		if (node->addr && !(node->flags & MRC_LRU_MAPPED))
			mrc_lru_stack_remove(s, i);
		p->protected += !!(node->flags & MRC_LRU_PROTECTED);
		p->stuck += !!(node->flags & MRC_LRU_STUCK);
	}
	if (!p->enumerated)
		p->scan = mrc_lru_stack_groups(s) / 4;
	p->protect_all = true;
	p->rss = rss;
	p->enumerated = mrc_now_us();
	p->enumeration_us = p->enumerated - now;
	t->stats.enumerations++;
	return 0;
}

/* A page is dropped, or its flags are about to be set anew. */
static void page_uncount(struct mrc_mode_paper *p, u32 i)
{
	p->protected -= !!(p->stack.node[i].flags & MRC_LRU_PROTECTED);
	p->stuck -= !!(p->stack.node[i].flags & MRC_LRU_STUCK);
}

/* A touch of a page in the stack. Return: its group. */
static u32 touch_count(struct mrc_mode_paper *p, u32 i)
{
	struct mrc_lru_stack *s = &p->stack;
	u32 group = mrc_lru_stack_raise(s, i);

	if (s->node[i].flags & MRC_LRU_UNKNOWN)
		p->unknown++;
	else
		s->hits[group]++;
	s->node[i].flags &= ~MRC_LRU_UNKNOWN;
	s->node[i].flags |= MRC_LRU_FRESH;
	return group;
}

/* Has the target forked, its pages are no longer protected. */
static void follow_forks(struct mrc_target *t, struct mrc_mode_paper *p)
{
	u64 restored = atomic64_xchg(&p->shield.restored, 0);
	struct mrc_lru_stack *s = &p->stack;
	u32 i;

	if (!restored)
		return;
	t->stats.restored += restored;
	for (i = 0; i < s->used; i++) {
		others_run(i);
		s->node[i].flags &= ~MRC_LRU_PROTECTED;
	}
	p->protected = 0;
	p->protect_all = true;
}

/* What faults of an epoch look like. */
struct pattern {
	u32 faults;
	u32 sequential;
	u32 same_group;
	unsigned long addr;
	u32 group;
};

static void faults_take(struct mrc_target *t, struct mrc_mode_paper *p,
			struct pattern *pattern)
{
	struct mrc_lru_stack *s = &p->stack;
	unsigned long addr;
	u32 i, group;

	while ((addr = mrc_addr_ring_next(&p->faults))) {
		i = mrc_lru_stack_find(s, addr);
		if (i == MRC_LRU_NIL) {
			if (s->n == s->capacity) {
				p->full = true;
				page_uncount(p, mrc_lru_stack_bottom(s));
			}
			i = mrc_lru_stack_touch(s, addr);
			s->node[i].flags = MRC_LRU_FRESH | MRC_LRU_MAPPED;
			s->cold++;
			continue;
		}
		if (s->node[i].flags & MRC_LRU_FRESH)
			continue;
		group = touch_count(p, i);
		if (!(s->node[i].flags & MRC_LRU_PROTECTED))
			continue;
		s->node[i].flags &= ~MRC_LRU_PROTECTED;
		p->protected--;
		t->stats.protection_faults++;
		pattern->faults++;
		pattern->sequential += addr == pattern->addr + PAGE_SIZE;
		pattern->same_group += group == pattern->group;
		pattern->addr = addr;
		pattern->group = group;
	}
	t->stats.faults_lost += atomic_xchg(&p->faults.lost, 0);
}

static void page_note(struct mrc_mode_paper *p, const struct mrc_protect_page *page)
{
	struct mrc_lru_node *node = &p->stack.node[page->node];

	page_uncount(p, page->node);
	node->flags &= ~(MRC_LRU_PROTECTED | MRC_LRU_STUCK | MRC_LRU_HUGE);
	if (page->found & MRC_PAGE_PROTECTED)
		node->flags |= MRC_LRU_PROTECTED;
	if (page->found & MRC_PAGE_STUCK)
		node->flags |= MRC_LRU_STUCK;
	if (page->found & MRC_PAGE_HUGE)
		node->flags |= MRC_LRU_HUGE;
	p->protected += !!(node->flags & MRC_LRU_PROTECTED);
	p->stuck += !!(node->flags & MRC_LRU_STUCK);
}

/* Groups that are scanned now. */
static u32 scan_groups(const struct mrc_mode_paper *p)
{
	u32 groups = mrc_lru_stack_groups(&p->stack);
	u32 least = DIV_ROUND_UP(SCAN_PAGES_MIN, p->stack.group_pages);

	/* What cannot be protected can only be looked at. */
	if (mrc_now_us() < p->off_until || p->stuck > p->stack.n / 8)
		return groups;
	return min(max(p->scan, least), groups);
}

/*
 * The lowest page that an epoch looks at. Right below the scan list lie those
 * that have left it since the last epoch, not yet protected.
 */
static u32 scan_lowest(const struct mrc_mode_paper *p, u32 boundary)
{
	const struct mrc_lru_stack *s = &p->stack;
	u32 i = boundary;

	if (i == MRC_LRU_NIL || p->protect_all)
		return mrc_lru_stack_bottom(s);
	while (i != MRC_LRU_NIL && !(s->node[i].flags & MRC_LRU_PROTECTED))
		i = mrc_lru_stack_below(s, i);
	return i == MRC_LRU_NIL ? mrc_lru_stack_bottom(s) : mrc_lru_stack_above(s, i);
}

/*
 * Look at the accessed bits from the bottom up to the pages that were raised, and
 * protect what lies below the scan list.
 */
static int stack_scan(struct mrc_target *t, struct mrc_mode_paper *p, u32 groups)
{
	struct mrc_lru_stack *s = &p->stack;
	u32 boundary, i, n, k, first = MRC_LRU_NIL;
	enum mrc_protect_op op;
	bool cleared = false, below;
	int err;

	boundary = mrc_lru_stack_at(s, groups * s->group_pages);
	i = scan_lowest(p, boundary);
	below = boundary != MRC_LRU_NIL && i != mrc_lru_stack_above(s, boundary);
	while (i != MRC_LRU_NIL && i != first) {
		op = below ? MRC_OP_PROTECT : MRC_OP_LOOK;
		for (n = 0; n < MRC_PROTECT_BATCH && i != MRC_LRU_NIL && i != first &&
		     below == (op == MRC_OP_PROTECT); i = mrc_lru_stack_above(s, i)) {
			if (!(s->node[i].flags & MRC_LRU_PROTECTED))
				p->page[n++] = (struct mrc_protect_page){
					.addr = s->node[i].addr, .node = i };
			below &= i != boundary;
		}
		cond_resched();
		if (mrc_pace_stopping())
			return -EINTR;
		err = mrc_protect_batch(t->mm, op, p->page, n);
		if (err)
			return err;
		t->stats.pte_reads += n;
		for (k = 0; k < n; k++) {
			u32 node = p->page[k].node, group;

			page_note(p, &p->page[k]);
			t->stats.protections += !!(p->page[k].found & MRC_PAGE_CHANGED);
			if (!(p->page[k].found & MRC_PAGE_YOUNG))
				continue;
			t->stats.pte_clears++;
			cleared = true;
			if (s->node[node].flags & MRC_LRU_FRESH)
				continue;
			group = touch_count(p, node);
			p->low += group >= groups / 2;
			if (first == MRC_LRU_NIL)
				first = node;
		}
	}
	p->protect_all = false;
	if (cleared && mmget_not_zero(t->mm)) {
		memsuite_flush_tlb_mm(t->mm);
		mmput_async(t->mm);
		t->stats.tlb_flushes++;
	}
	return 0;
}

/*
 * The pages of this epoch are on top. A huge page has one accessed bit, which is
 * cleared once all its pages have been looked at.
 */
static void epoch_end(struct mrc_target *t, struct mrc_mode_paper *p)
{
	struct mrc_lru_stack *s = &p->stack;
	unsigned long last = 0;
	u32 i, n = 0, steps = 0;

	for (i = mrc_lru_stack_at(s, 0); i != MRC_LRU_NIL; i = mrc_lru_stack_below(s, i)) {
		struct mrc_lru_node *node = &s->node[i];

		if (!(node->flags & MRC_LRU_FRESH))
			break;
		others_run(steps++);
		node->flags &= ~MRC_LRU_FRESH;
		if (!(node->flags & MRC_LRU_HUGE) ||
		    (node->addr & PMD_MASK) == last)
			continue;
		last = node->addr & PMD_MASK;
		p->page[n++] = (struct mrc_protect_page){ .addr = node->addr, .node = i };
		if (n == MRC_PROTECT_BATCH) {
			mrc_protect_batch(t->mm, MRC_OP_CLEAR, p->page, n);
			n = 0;
		}
	}
	if (n)
		mrc_protect_batch(t->mm, MRC_OP_CLEAR, p->page, n);
}

/*
 * Pages below the scan list that others have made accessible without a fault
 * (device drivers, migration), or that could not be protected: look at some of
 * them in turn.
 */
static int stack_audit(struct mrc_target *t, struct mrc_mode_paper *p, u32 groups)
{
	struct mrc_lru_stack *s = &p->stack;
	u32 n = 0, steps, k;
	int err;

	for (steps = 0; steps < AUDIT_PAGES && steps < s->used; steps++) {
		u32 i = p->audit;

		p->audit = i + 1 < s->used ? i + 1 : 0;
		if (s->node[i].addr && mrc_lru_stack_place(s, i) >= groups * s->group_pages)
			p->page[n++] = (struct mrc_protect_page){
				.addr = s->node[i].addr, .node = i };
	}
	err = mrc_protect_batch(t->mm, MRC_OP_PROTECT, p->page, n);
	if (err)
		return err;
	for (k = 0; k < n; k++) {
		page_note(p, &p->page[k]);
		t->stats.protections += !!(p->page[k].found & MRC_PAGE_CHANGED);
		if (p->page[k].found & MRC_PAGE_YOUNG &&
		    !(s->node[p->page[k].node].flags & MRC_LRU_FRESH))
			touch_count(p, p->page[k].node);
	}
	return 0;
}

static void scan_adapt(struct mrc_target *t, struct mrc_mode_paper *p, u32 groups,
		       const struct pattern *pattern)
{
	u64 pages = (u64)groups * p->stack.group_pages, now = mrc_now_us();
	u32 most = max(pattern->sequential, pattern->same_group);

	if (now < p->off_until)
		return;
	p->calm++;
	if (pattern->faults >= PATTERN_FAULTS && 4 * most >= 3 * pattern->faults) {
		if (now - p->off_until < p->off_us)
			p->off_us = min_t(u64, p->off_us * 2, OFF_MAX_US);
		else
			p->off_us = OFF_US;
		p->off_until = now + p->off_us;
		p->scan = mrc_lru_stack_groups(&p->stack);
		t->stats.protection_off++;
	} else if ((u64)pattern->faults * FAULT_COST > pages) {
		p->scan = min(groups * 2, mrc_lru_stack_groups(&p->stack));
	} else if (p->calm < CALM_EPOCHS) {
		return;
	} else if (p->low * FAULT_COST < pages / 4 * p->calm) {
		p->scan = max(groups / 2, 1U);
	}
	p->calm = 0;
	p->low = 0;
}

static int epoch_run(struct mrc_target *t, struct mrc_mode_paper *p)
{
	struct pattern pattern = {};
	u32 groups;
	int err;

	faults_take(t, p, &pattern);
	follow_forks(t, p);
	groups = scan_groups(p);
	err = stack_scan(t, p, groups);
	if (!err)
		err = stack_audit(t, p, groups);
	epoch_end(t, p);
	scan_adapt(t, p, groups, &pattern);
	t->stats.epochs++;
	t->stats.epochs_skipped += !!err;
	t->stats.protected_pages = p->protected;
	t->stats.scan_pages = min(groups * p->stack.group_pages, p->stack.n);
	return err;
}

static void paper_publish(struct mrc_target *t, struct mrc_mode_paper *p, u64 epochs)
{
	u64 now = mrc_now_us(), us = max_t(u64, now - p->since, 1);
	u64 touches = mrc_lru_stack_touches(&p->stack);
	struct mrc_curve *curve = &t->curve;
	struct mrc_stats *s = &t->stats;
	u64 weight;
	u32 i, k;

	mrc_lru_stack_misses(&p->stack, p->size, p->misses, MRC_SIZES);
	mrc_lru_stack_forget_hits(&p->stack);
	p->since = now;
	/* The stack is still being learned: no curve yet. */
	if (p->unknown > touches / 16) {
		p->unknown = 0;
		t->stats.ladders_skipped++;
		return;
	}
	p->unknown = 0;
	mutex_lock(&t->lock);
	weight = min_t(u64, curve->ladders, 7);
	for (i = 0; i < MRC_SIZES; i++) {
		u64 rate = mul_u64_u64_div_u64(p->misses[i],
					       MRC_RATE * USEC_PER_SEC, us);

		curve->rate[i] = div64_u64(curve->rate[i] * weight + rate,
					   weight + 1);
		/* Every page is looked at: there is no sampling error. */
		for (k = 0; k < MRC_SUBS; k++)
			curve->sub[k][i] = curve->rate[i];
	}
	curve->ladders++;
	s->ladders++;
	s->samples = p->stack.n;
	s->samples_huge = p->huge;
	s->samples_absent = p->swapped;
	s->samples_censored = 0;
	s->pages_per_sample = 1;
	s->resident_pages = p->present;
	s->huge_pages = p->huge;
	s->swapped_pages = p->swapped;
	s->stuck_pages = p->stuck;
	s->ladder_us = us;
	s->floor_us = div64_u64(us, epochs);
	s->floor_pages = div64_u64(touches, epochs);
	s->touches_per_s = div_u64(curve->rate[0], MRC_RATE);
	curve->floor = s->floor_pages;
	mrc_target_measured(t);
	mutex_unlock(&t->lock);
}

/**
 * mrc_mode_paper_window() - track a target for about a second
 * @t: the target
 *
 * Context: may sleep; the tracker.
 * Return: 0, -ESRCH (the address space is gone), -EINTR (to stop, or another
 * mode is wanted), -EAGAIN, or another error.
 */
int mrc_mode_paper_window(struct mrc_target *t)
{
	struct mrc_mode_paper *p;
	u64 epochs = 0;
	int err;

	/* A memory node may have come. */
	err = mrc_protect_usable();
	if (err)
		mrc_mode_paper_stop(t);
	else if (!t->paper)
		err = paper_start(t);
	if (err)
		return err;
	p = t->paper;
	err = stack_enumerate(t, p);
	while (!err && (!epochs || p->due < p->since + WINDOW_US)) {
		u64 began;

		if (!mrc_pace_sleep_until(p->due) ||
		    READ_ONCE(mrc_tunables.mode) != MRC_MODE_PAPER)
			return -EINTR;
		began = mrc_now_us();
		err = epoch_run(t, p);
		epochs++;
		/* Contended: that epoch is longer. */
		if (err == -EAGAIN)
			err = 0;
		p->due = max(began + READ_ONCE(mrc_tunables.epoch_ms) *
				     USEC_PER_MSEC,
			     began + DUTY * (mrc_now_us() - began));
	}
	if (!err)
		paper_publish(t, p, epochs);
	return err;
}
