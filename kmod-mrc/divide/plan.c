// SPDX-License-Identifier: GPL-2.0-only
/* From the targets and the memory that there is, to what each of them gets. */

#include <linux/blkdev.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include <compat/compat.h>

#include "curve/curve.h"
#include "curve/division.h"
#include "divide/memcg_protection.h"
#include "divide/memory_reserve.h"
#include "divide/plan.h"
#include "target/group.h"
#include "target/memory_share.h"
#include "target/target.h"
#include "target/tunables.h"

/* Most pages that a major fault brings in; and how many faults it takes to tell. */
#define READ_AHEAD_MAX	8
#define READ_AHEAD_FAULTS	16

/* A program that gave memory back may take it again for so long. */
#define GIVES_BACK_US	(5 * USEC_PER_SEC)

/* Fewer lost pages say little of whether a program comes back to them. */
#define DOUBT_PAGES	1024

/* Misses are hardly any if they are such a part of those without memory. */
#define HARDLY		64

#define PAGES_PER_KIB(kib)	((u64)(kib) >> (PAGE_SHIFT - 10))

struct mrc_division_tunables mrc_division_tunables = {
	.unit_kib = 256,
	.utility = MRC_UTILITY_TIME,
	.miss_us = 1000,
	.interval_ms = 500,
	.pressure_pct = 10,
};

static u64 major_faults(const struct mrc_target *t)
{
	struct task_struct *task, *thread;
	u64 faults = 0;

	rcu_read_lock();
	task = pid_task(t->pid, PIDTYPE_TGID);
	if (task) {
		faults = task->signal->maj_flt;
		for_each_thread(task, thread)
			faults += thread->maj_flt;
	}
	rcu_read_unlock();
	return faults;
}

/*
 * Pages that a major fault brings in, with those that are read ahead. It is a mean of
 * the whole machine, for nobody counts them by process; with too few faults, the most.
 *
 * Context: mrc_targets_lock is held.
 */
static u64 pages_a_miss(void)
{
	static unsigned long event[NR_VM_EVENT_ITEMS];
	static u64 in, faults, pages = READ_AHEAD_MAX;
	u64 in_now, faults_now;

	all_vm_events(event);
	/* Of disks in sectors; what is swapped to memory is no request of a disk. */
	in_now = max(event[PGPGIN] >> (PAGE_SHIFT - SECTOR_SHIFT), event[PSWPIN]);
	faults_now = event[PGMAJFAULT];
	if (faults_now - faults < READ_AHEAD_FAULTS)
		return pages;
	pages = clamp_t(u64, DIV_ROUND_UP(in_now - in, faults_now - faults),
			1, READ_AHEAD_MAX);
	in = in_now;
	faults = faults_now;
	return pages;
}

/*
 * Where a program misses more than its curve says, the curve is corrected. A program
 * that grows, for one, pushes out pages that it comes back to before its curve knows of
 * them. What it misses in two looks in a row counts for as long as a ladder counts in
 * the curve. While that goes on, the program would miss none of it if it had as much
 * more memory as its misses bring in.
 */
static void see_missed(struct mrc_target *t, u64 us, u64 rss)
{
	struct mrc_share *s = &t->share;
	u64 memory_ms = (u64)READ_ONCE(mrc_tunables.ladder_ms) * MRC_CURVE_WINDOW;
	u64 before = s->real, rate;

	rate = div64_u64(s->missed * USEC_PER_SEC * MRC_RATE, us);
	s->real = div_u64(rate * MRC_RUNNING, s->running);
	s->real_most = s->looks++ ? max(s->real, before) : U64_MAX;
	mrc_seen_add(s->seen, min(rss + s->coming, s->mapped),
		     min(s->real, before), div64_u64(us * MSEC_PER_SEC, memory_ms));
}

/* Of so many a second, in MRC_RATE. */
static u64 pages_by_next_look(u64 rate)
{
	return div_u64(rate * READ_ONCE(mrc_division_tunables.interval_ms),
		       MSEC_PER_SEC * MRC_RATE);
}

/**
 * mrc_plan_growth() - how much a target grows until the next look
 * @s: its share
 *
 * Return: pages that it will have then for the first time.
 */
u64 mrc_plan_growth(const struct mrc_share *s)
{
	return pages_by_next_look(s->growth);
}

/* 0 is never. */
static bool was_lately(u64 us)
{
	return us && mrc_now_us() - us < GIVES_BACK_US;
}

/**
 * mrc_plan_gives_back() - whether a target has lately given much of its memory back
 * @s: its share
 *
 * Return: true for some seconds.
 */
bool mrc_plan_gives_back(const struct mrc_share *s)
{
	return was_lately(s->gave_back);
}

/**
 * mrc_plan_returning() - what a target has given back, and will take again until the next look
 * @s: its share
 *
 * A heap that is built and given back over and over. While it is not, others have the memory;
 * and where it is all there by the next look, it may be given back again by then as well.
 *
 * Return: pages.
 */
u64 mrc_plan_returning(const struct mrc_share *s)
{
	u64 pages = pages_by_next_look(s->regrowth);

	return s->had + pages < s->anon ? pages : 0;
}

/*
 * A program that gets no more memory pushes out as many of its pages as it adds new ones.
 * No curve knows yet how many of those it will miss. The estimate is the part that it
 * has fetched back of what it had lost, by the rule of succession.
 *
 * Return: pages with which it misses none of them.
 */
static u64 see_grown(const struct mrc_share *s, u64 *rate, u64 rss)
{
	u64 pages = rss + mrc_plan_growth(s), missed;

	missed = mul_u64_u64_div_u64(s->growth, s->fetched + DOUBT_PAGES / 2,
				     s->fetched + s->swapped + DOUBT_PAGES);
	mrc_rate_raise(rate, pages, missed);
	return s->growth ? pages : 0;
}

/*
 * Correct the curve that memory is divided by. Return: up to so many pages the program
 * misses more than its curve says.
 */
static u64 rate_correct(const struct mrc_share *s, u64 *rate, u64 full, u64 rss)
{
	u64 wrong;

	if (s->real_most != U64_MAX)
		mrc_rate_lower(rate, full, rss,
			       div_u64(s->real_most * s->running, MRC_RUNNING));
	wrong = mrc_seen_correct(s->seen, rate, s->running);
	return max(wrong, see_grown(s, rate, rss));
}

/* The process executes another program: what the one before missed says nothing of it. */
static void forget_missed(struct mrc_share *s)
{
	s->running = MRC_RUNNING;
	s->looked = 0;
	s->looks = 0;
	s->real = 0;
	s->real_most = U64_MAX;
	s->missed = 0;
	s->coming = 0;
	mrc_target_forget_fetched(s);
	s->anon = 0;
	s->had = 0;
	s->gave_back = 0;
	s->regrowth = 0;
	s->growth = 0;
	memset(s->seen, 0, sizeof(s->seen));
}

/* So many in @us are a second, in MRC_RATE. */
static u64 rate_of(u64 pages, u64 us)
{
	return div64_u64(pages * USEC_PER_SEC * MRC_RATE, us);
}

/*
 * What it has, and has grown by; a pause between two looks does not end the growth. What
 * it had before, gave back and takes again is no growth: that was there for it. As long as
 * it may do so again, it is not limited (mrc_plan_gives_back()): what is evicted of a heap
 * is given back unread, or fetched for nothing.
 */
static void see_memory(struct mrc_target *t, u64 us)
{
	struct mrc_share *s = &t->share;
	struct mm_struct *mm = mrc_target_mm(t);
	u64 before = s->anon, has;

	s->swapped = mm ? get_mm_counter(mm, MM_SWAPENTS) : 0;
	has = mm ? get_mm_counter(mm, MM_ANONPAGES) + s->swapped : 0;
	if (has + has / 4 < s->had)
		s->gave_back = mrc_now_us();
	s->regrowth = mrc_plan_gives_back(s) && has > s->had ? rate_of(has - s->had, us) : 0;
	s->had = has;
	s->anon = max(before, has);
	s->limiter = 0;
	s->limit = mm ? mrc_memcg_limit(mm, &s->limiter) : U64_MAX;
	s->mapped = mm ? min_t(u64, READ_ONCE(mm->total_vm), s->limit) : 0;
	if (mm)
		mmput_async(mm);
	/* A total that was set is no room to grow into. */
	if (READ_ONCE(mrc_division_tunables.total_kib))
		s->growth = 0;
	else if (s->looked)
		s->growth = max(rate_of(s->anon - before, us), s->growth / 4 * 3);
}

/*
 * What it missed since it was last looked at, and for how much of the time it waited: nine
 * tenths at most.
 */
static void target_look(struct mrc_target *t, u64 rss)
{
	struct mrc_share *s = &t->share;
	u64 now = mrc_now_us(), faults = major_faults(t), us, waited;
	u64 execs = READ_ONCE(t->stats.execs);

	if (s->execs != execs)
		forget_missed(s);
	s->execs = execs;
	us = now - s->looked;
	if (us <= USEC_PER_SEC / 10)
		return;
	see_memory(t, us);
	if (s->looked) {
		s->missed = faults - min(faults, s->faults);
		s->fetched += s->missed;
		s->coming = div64_u64(s->missed * pages_a_miss() * USEC_PER_MSEC *
				      READ_ONCE(mrc_division_tunables.interval_ms), us);
		waited = s->missed * READ_ONCE(mrc_division_tunables.miss_us) * MRC_RUNNING;
		waited = div64_u64(waited, us);
		s->running = MRC_RUNNING - min_t(u64, waited, MRC_RUNNING * 9 / 10);
		see_missed(t, us, rss);
	}
	s->looked = now;
	s->faults = faults;
}

/* Return: false if nothing is known of it yet: no curve, nor that it grows. */
static bool claim_make(struct mrc_target *t, struct mrc_claim *claim, u64 *rate,
		       u64 rss)
{
	bool known;

	memset(claim, 0, sizeof(*claim));
	mutex_lock(&t->lock);
	known = t->curve.ladders || t->share.growth;
	memcpy(rate, t->curve.rate, sizeof(t->curve.rate));
	/* What a file's pages leave behind is in the sample only. */
	claim->full = t->stats.resident_pages +
		      max(t->stats.swapped_pages, t->stats.samples_absent *
						  t->stats.pages_per_sample);
	mutex_unlock(&t->lock);

	claim->most = U64_MAX;
	claim->running = READ_ONCE(t->share.running);
	claim->rate = rate;
	claim->full = max(claim->full, rss);
	claim->full = max(claim->full, rate_correct(&t->share, rate, claim->full, rss));
	if (t->share.mapped)
		claim->full = min(claim->full, max(t->share.mapped, rss));
	claim->min = min(READ_ONCE(t->share.min), claim->full);
	claim->weight = min_t(u32, READ_ONCE(t->share.weight) * mrc_groups_weight(t->groups),
			      MRC_WEIGHT_MAX);
	return known;
}

static bool target_is_wanted(const struct mrc_target *t, const int *pid,
			     unsigned int pids)
{
	unsigned int i;

	for (i = 0; i < pids; i++)
		if (pid[i] == t->nr)
			return true;
	return !pids;
}

static int plan_alloc(struct mrc_plan *plan, unsigned int n)
{
	*plan = (struct mrc_plan){
		.target = kvcalloc(n, sizeof(*plan->target), GFP_KERNEL),
		.claim = kvcalloc(n, sizeof(*plan->claim), GFP_KERNEL),
		.rate = kvcalloc(n, sizeof(*plan->rate), GFP_KERNEL),
	};
	if (plan->target && plan->claim && plan->rate)
		return 0;
	mrc_plan_free(plan);
	return -ENOMEM;
}

/* What a group gets before all others, its processes get in proportion to what they can use. */
static void plan_raise_minima(struct mrc_plan *plan, unsigned int slot, u64 least)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < plan->n; i++)
		if (plan->target[i]->groups & BIT(slot))
			sum += plan->claim[i].full;
	for (i = 0; i < plan->n && sum; i++) {
		struct mrc_claim *c = &plan->claim[i];

		if (plan->target[i]->groups & BIT(slot))
			c->min = max(c->min, mul_u64_u64_div_u64(c->full, min(least, sum), sum));
	}
}

/* Those that one control group limits together lie side by side. */
static int by_limiter(const void *a, const void *b)
{
	const struct mrc_target *x = *(const struct mrc_target **)a;
	const struct mrc_target *y = *(const struct mrc_target **)b;

	if (x->share.limiter != y->share.limiter)
		return x->share.limiter < y->share.limiter ? -1 : 1;
	return x->nr - y->nr;
}

/* Return: how many targets are wanted. */
static unsigned int targets_gather(struct mrc_plan *plan, const int *pid, unsigned int pids)
{
	struct mrc_target *t;
	unsigned int n = 0;

	list_for_each_entry(t, &mrc_targets, link) {
		if (!target_is_wanted(t, pid, pids))
			continue;
		/* It may have another limiter since. */
		target_look(t, mrc_target_rss(t));
		plan->target[n++] = t;
	}
	sort(plan->target, n, sizeof(*plan->target), by_limiter, NULL);
	return n;
}

/* What processes of a control group may not have together, others may. */
static void plan_keep_to_limits(struct mrc_plan *plan, const struct mrc_division *by)
{
	unsigned int i, end;

	for (i = 0; i < plan->n; i = end) {
		const struct mrc_share *s = &plan->target[i]->share;

		for (end = i + 1; end < plan->n &&
		     plan->target[end]->share.limiter == s->limiter; end++)
			;
		if (s->limiter)
			mrc_divide_within(&plan->claim[i], end - i, by, s->limit);
	}
}

/* With so many pages it hardly misses; one that misses whatever it has wants all. */
static u64 claim_wanted(const struct mrc_claim *c)
{
	unsigned int i;

	for (i = 0; i < MRC_SIZES && mrc_size(i) < c->full; i++)
		if (c->rate[i] <= c->rate[0] / HARDLY)
			return min(mrc_size(i), c->most);
	return min(c->full, c->most);
}

static bool plan_is_contended(const struct mrc_plan *plan)
{
	u64 wanted = 0;
	unsigned int i;

	for (i = 0; i < plan->n; i++)
		wanted += claim_wanted(&plan->claim[i]);
	return plan->n > 1 && wanted > plan->total;
}

/**
 * mrc_plan_make() - divide memory among targets, as it is set
 * @plan: result
 * @total: pages to divide; 0: what is set, or else what they have and what is
 *	available, but for the reserve
 * @pid: the targets that it is for
 * @pids: how many; 0: for all
 *
 * Context: mrc_targets_lock is held; may sleep.
 * Return: 0 or -ENOMEM. Targets that have no curve yet are left out.
 */
int mrc_plan_make(struct mrc_plan *plan, u64 total, const int *pid,
		  unsigned int pids)
{
	struct mrc_division by = {
		.unit = max(PAGES_PER_KIB(READ_ONCE(mrc_division_tunables.unit_kib)), 1ULL),
		.utility = READ_ONCE(mrc_division_tunables.utility),
		.miss_us = READ_ONCE(mrc_division_tunables.miss_us),
	};
	struct mrc_target *t;
	unsigned int n = 0, i;
	u64 resident = 0, available;
	int err;

	list_for_each_entry(t, &mrc_targets, link)
		n++;
	err = plan_alloc(plan, max(n, 1u));
	if (err)
		return err;
	n = targets_gather(plan, pid, pids);
	for (i = 0; i < n; i++) {
		u64 rss;

		t = plan->target[i];
		rss = mrc_target_rss(t);
		if (!claim_make(t, &plan->claim[plan->n], plan->rate[plan->n], rss))
			continue;
		resident += rss;
		plan->target[plan->n++] = t;
	}
	available = resident + mrc_reserve_available();
	plan->reserve = PAGES_PER_KIB(READ_ONCE(mrc_division_tunables.reserve_kib)) ?:
			mrc_reserve_pages(available, plan->n);
	by.total = total ?: PAGES_PER_KIB(READ_ONCE(mrc_division_tunables.total_kib)) ?:
		   available - min(available, plan->reserve);
	plan->total = by.total;
	for (i = 0; i < MRC_GROUPS; i++)
		if (mrc_group_min(i))
			plan_raise_minima(plan, i, mrc_group_min(i));
	plan_keep_to_limits(plan, &by);
	plan->is_contended = plan_is_contended(plan);
	mrc_divide(plan->claim, plan->n, &by);
	return 0;
}

/**
 * mrc_plan_free() - free what mrc_plan_make() allocated
 * @plan: the plan
 */
void mrc_plan_free(struct mrc_plan *plan)
{
	kvfree(plan->target);
	kvfree(plan->claim);
	kvfree(plan->rate);
}
