// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who gets how much of the memory, put into practice: paper 001, section 4.1.3.
 *
 * A thread divides the memory anew now and then. When what is available is
 * below the reserve, or will be as programs go on, or a total is set, it evicts
 * the pages used least of those who have more than their share, which by the
 * division are those who lose least. And whoever has more than its share and faults replaces
 * pages of its own: not in the fault, where nothing may sleep, but right after
 * it, on the way back to user space.
 */

#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <compat/compat.h>
#include <memsuite/psi.h>
#include <memsuite/reclaim_pages.h>
#include <memsuite/task_work.h>
#include <memsuite/tracepoints.h>

#include "curve/division.h"
#include "divide/aging.h"
#include "divide/enforce.h"
#include "divide/evict.h"
#include "divide/plan.h"
#include "target/target.h"
#include "target/tunables.h"

/* A minimum that is not set: what a small program has. */
#define MIN_PAGES	256
/* Pages evicted in one round, and in one fault. */
#define ROUND_MAX	2048
#define FAULT_MAX	256
/* Pages that are looked at before a division, for how much they are used. */
#define LOOKS_MAX	65536
/* While memory is short, it is divided so many times as often. */
#define HURRY		4
/* So many more are replaced than have to be: the next faults are free of it. */
#define SLACK		32

bool mrc_enforced;
u64 mrc_suspended;

/* By process; read in page faults. */
static DEFINE_HASHTABLE(shares, 8);
static DEFINE_MUTEX(switching);
static struct task_struct *enforcer;

/*
 * What is evicted is written while the program goes on, from what is kept
 * available. Only when that is used up too it waits for the disk, or the kernel
 * would take pages, and anybody's.
 */
static bool is_short(void)
{
	return mrc_available() < mrc_reserve() / 2;
}

/* After a page fault of its own, where it may sleep. */
static void replace(void *target)
{
	struct mrc_target *t = target;
	u64 share = READ_ONCE(t->share.pages), rss, want;
	struct mm_struct *mm = current->mm;

	rss = mm && !(current->flags & PF_EXITING) ? get_mm_rss(mm) : 0;
	if (rss > share) {
		want = rss - share + SLACK;
		want = min(want, rss - min(rss, READ_ONCE(t->share.min)));
		mrc_sweep(t, mm, min_t(u64, want, FAULT_MAX), is_short(),
			  &t->share.replaced);
	}
}

/* A page fault of a program, before it is handled; IRQs may be off. */
static void user_fault(void *data, unsigned long address)
{
	struct pid *pid = task_tgid(current);
	struct mrc_target *t;

	rcu_read_lock();
	hash_for_each_possible_rcu(shares, t, share.over, (unsigned long)pid) {
		if (t->pid == pid && current->mm &&
		    get_mm_rss(current->mm) > READ_ONCE(t->share.pages) &&
		    memsuite_task_work_send(t->share.errand))
			WRITE_ONCE(t->share.fault, address);
	}
	rcu_read_unlock();
}

static struct memsuite_tracepoint probes[] = {
	{ .name = "page_fault_user", .function = user_fault },
};

/**
 * mrc_enforce_add() - a new target: nobody says what it gets
 * @t: the target
 *
 * Context: may sleep; the targets are locked.
 * Return: 0 or -ENOMEM.
 */
int mrc_enforce_add(struct mrc_target *t)
{
	t->share.errand = memsuite_task_work_new(replace, t);
	if (!t->share.errand)
		return -ENOMEM;
	mutex_init(&t->share.sweeping);
	mutex_init(&t->share.aging);
	memsuite_page_map_init(&t->share.notes, sizeof(u8));
	t->share.weight = 1;
	t->share.min = MIN_PAGES;
	t->share.pages = U64_MAX;
	t->share.running = MRC_RUNNING;
	t->share.real_most = U64_MAX;
	hash_add_rcu(shares, &t->share.over, (unsigned long)t->pid);
	return 0;
}

/**
 * mrc_enforce_forget() - a target is about to be freed, and is nobody else's
 * @t: the target, of mrc_enforce_add()
 *
 * Context: may sleep, for as long as pages are being replaced.
 */
void mrc_enforce_forget(struct mrc_target *t)
{
	hash_del_rcu(&t->share.over);
	synchronize_rcu();
	memsuite_task_work_drop(t->share.errand);
	memsuite_page_map_free(&t->share.notes);
}

static void lift(void)
{
	struct mrc_target *t;

	list_for_each_entry(t, &mrc_targets, link)
		WRITE_ONCE(t->share.pages, U64_MAX);
}

/*
 * Memory that is withheld without need makes programs wait: more than so much
 * of the time, they get it. Where it is short, they wait anyway.
 */
static bool too_much_pressure(void)
{
	static u64 last_waited, last;
	u64 now = mrc_now_us(), waited, pct;

	if (memsuite_psi_read(MEMSUITE_PSI_MEMORY, &waited))
		return false;
	pct = div64_u64((waited - last_waited) * 100, max(now - last, 1ULL));
	last = now;
	last_waited = waited;
	return READ_ONCE(mrc_division.total_kib) &&
	       pct > READ_ONCE(mrc_division.pressure_pct) &&
	       mrc_available() > mrc_reserve();
}

/* Pages that have to be evicted. A total that was set is a limit, whatever is available. */
static u64 needed(s64 left)
{
	if (READ_ONCE(mrc_division.total_kib))
		return MEMSUITE_RECLAIM_MAX;
	return clamp_t(s64, -left, 0, ROUND_MAX);
}

/*
 * Those of them that can be had of those who have more than their share. Where memory
 * is short, what cannot be written at once waits for the next round, and not the
 * division, which may be another by then, for the disk.
 */
static void relieve(const struct mrc_plan *plan, u64 need)
{
	bool is_limit = READ_ONCE(mrc_division.total_kib);
	unsigned int i;

	for (i = 0; i < plan->n && need; i++) {
		struct mrc_target *t = plan->target[i];
		struct mm_struct *mm = mrc_target_mm(t);
		u64 rss = mm ? get_mm_rss(mm) : 0, got = 0;

		if (rss > t->share.pages)
			got = mrc_sweep(t, mm, min(rss - t->share.pages, need),
					is_limit, &t->share.evicted);
		need -= min(need, got);
		if (mm)
			mmput_async(mm);
	}
}

/* Pages of what is planned for a target that it will have need of by the next time. */
static u64 demand(const struct mrc_target *t, u64 planned, u64 rss)
{
	return min(planned - min(planned, rss),
		   t->share.coming + mrc_growth(&t->share));
}

/*
 * Pages of the total that no target has, nor needs soon and is to have; below 0,
 * so many are to be given up. They are nobody's until they are touched, whoever
 * they are planned for.
 */
static s64 left_over(const struct mrc_plan *plan)
{
	s64 left = plan->total;
	unsigned int i;

	for (i = 0; i < plan->n; i++) {
		u64 rss = mrc_target_rss(plan->target[i]);

		left -= rss + demand(plan->target[i], plan->claim[i].pages, rss);
	}
	return left;
}

/*
 * What is free, who grows may take, and who has more than planned keeps it for as
 * long as nobody else needs it. Who grows and gets all that it wants has no limit
 * until the next division: what it evicted of its own it would fetch back, and be
 * taken for one that comes back to what it has. A total that was set is a limit.
 */
static u64 allowed(const struct mrc_target *t, const struct mrc_claim *c, s64 left)
{
	s64 rss = mrc_target_rss(t), planned = c->pages;

	if (READ_ONCE(mrc_division.total_kib))
		return planned;
	if (t->share.growth && c->pages >= c->full)
		return U64_MAX;
	if (left > 0)
		return max_t(s64, planned, rss) + left;
	return max_t(s64, planned, rss + left);
}

/* By its curve alone: what it really misses says nothing of the order. */
static bool is_loop(struct mrc_target *t, const struct mrc_claim *c)
{
	u64 none, rate;

	mutex_lock(&t->lock);
	none = t->curve.rate[0];
	rate = mrc_rate_at(t->curve.rate, c->full, c->pages);
	mutex_unlock(&t->lock);
	return none && rate >= none / 8 * 7;
}

static void give(struct mrc_target *t, const struct mrc_claim *c, s64 left)
{
	WRITE_ONCE(t->share.loops, is_loop(t, c));
	WRITE_ONCE(t->share.pages, allowed(t, c, left));
	mrc_sweep_settle(t);
}

static bool is_planned(const struct mrc_plan *plan, const struct mrc_target *t)
{
	unsigned int i;

	for (i = 0; i < plan->n; i++)
		if (plan->target[i] == t)
			return true;
	return false;
}

/*
 * What a program gains by that has begun, or has executed another, is not known
 * yet: it may take what is free, and not what others have planned for them.
 */
static void give_others(const struct mrc_plan *plan, s64 left)
{
	bool is_limit = READ_ONCE(mrc_division.total_kib);
	struct mrc_target *t;

	list_for_each_entry(t, &mrc_targets, link)
		if (!is_planned(plan, t))
			WRITE_ONCE(t->share.pages, plan->n && !is_limit ?
				   max_t(s64, mrc_target_rss(t) + left, 0) :
				   U64_MAX);
}

/* What is used least has to be known before it is looked for. */
static void age_all(void)
{
	struct mrc_target *t;
	unsigned int n = 0;

	list_for_each_entry(t, &mrc_targets, link)
		n++;
	list_for_each_entry(t, &mrc_targets, link) {
		struct mm_struct *mm = mrc_target_mm(t);

		if (mm) {
			mrc_aging(t, mm, LOOKS_MAX / n);
			mmput_async(mm);
		}
	}
}

/* Return: whether memory is short, so that it has to be done again soon. */
static bool divide(void)
{
	struct mrc_plan plan;
	unsigned int i;
	s64 left = 0;

	mutex_lock(&mrc_targets_lock);
	age_all();
	if (too_much_pressure()) {
		mrc_suspended++;
		lift();
	} else if (!mrc_plan_make(&plan, 0, NULL, 0)) {
		left = left_over(&plan);
		give_others(&plan, left);
		for (i = 0; i < plan.n; i++)
			give(plan.target[i], &plan.claim[i], left);
		relieve(&plan, needed(left));
		mrc_plan_free(&plan);
	}
	mutex_unlock(&mrc_targets_lock);
	return left < 0 && !READ_ONCE(mrc_division.total_kib);
}

static int enforce_thread(void *unused)
{
	unsigned int ms;

	while (!kthread_should_stop()) {
		ms = READ_ONCE(mrc_division.interval_ms);
		if (divide())
			ms /= HURRY;
		wait_event_idle_timeout(mrc_changed, kthread_should_stop(),
					msecs_to_jiffies(ms));
	}
	return 0;
}

static int start(void)
{
	int err;

	if (!memsuite_reclaim_usable())
		return -EOPNOTSUPP;
	enforcer = kthread_create(enforce_thread, NULL, "mrc/enforce");
	if (IS_ERR(enforcer))
		return PTR_ERR(enforcer);
	err = memsuite_tracepoints_register(probes, ARRAY_SIZE(probes));
	if (err) {
		kthread_stop(enforcer);
		return err;
	}
	wake_up_process(enforcer);
	return 0;
}

/* They may wait for a disk. What is noted of pages is soon out of date. */
static void finish_sweeps(void)
{
	struct mrc_target *t;

	list_for_each_entry(t, &mrc_targets, link) {
		mutex_lock(&t->share.sweeping);
		mutex_unlock(&t->share.sweeping);
		mutex_lock(&t->share.aging);
		mrc_aging_forget(t);
		mutex_unlock(&t->share.aging);
	}
}

/* Who is in a fault now, which may take for ever, finds nothing to do after it. */
static void stop(void)
{
	kthread_stop(enforcer);
	memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
	mutex_lock(&mrc_targets_lock);
	lift();
	finish_sweeps();
	mutex_unlock(&mrc_targets_lock);
}

/**
 * mrc_enforce() - put the division into practice, or no more
 * @on: which
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP (the kernel lacks what it takes) or -ENOMEM.
 */
int mrc_enforce(bool on)
{
	int err = 0;

	mutex_lock(&switching);
	if (on && !mrc_enforced)
		err = start();
	else if (!on && mrc_enforced)
		stop();
	if (!err)
		WRITE_ONCE(mrc_enforced, on);
	mutex_unlock(&switching);
	return err;
}
