// SPDX-License-Identifier: GPL-2.0-only
/*
 * The division of memory, put into practice: paper 001, section 4.1.3.
 *
 * A thread divides the memory anew now and then. When less is available than the
 * reserve, or will be as programs go on, or when a total is set, it evicts the pages
 * used least of the targets that have more than their share: by the division, these
 * lose least. And a process that faults while it has more than its share replaces pages
 * of its own. While much is available, nobody has a share, and no fault is looked at.
 */

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <compat/compat.h>
#include <memsuite/psi.h>
#include <memsuite/reclaim_pages.h>

#include "curve/division.h"
#include "divide/aging.h"
#include "divide/enforce.h"
#include "divide/evict.h"
#include "divide/guard.h"
#include "divide/memory_reserve.h"
#include "divide/plan.h"
#include "divide/replace.h"
#include "target/target.h"
#include "target/tunables.h"

/* The minimum, unless one is set: what a small program has. */
#define MIN_PAGES	256
/* Pages evicted in one round. */
#define ROUND_MAX	2048
/* Pages that are aged before a division. */
#define LOOKS_MAX	65536
/* While memory is short, it is divided so many times as often. */
#define HURRY		4
/* And at least as often as that while it is tried whether shares help. */
#define TRIAL_MS	500U

bool mrc_enforced;
u64 mrc_enforce_suspended;
struct mrc_guard mrc_enforce_guard;

static DEFINE_MUTEX(enforce_lock);
static struct task_struct *enforcer;
/* Page faults are looked at; of the enforcer. */
static bool listening;

/**
 * mrc_enforce_add() - a new target, which may have as much as it likes at first
 * @t: the target
 *
 * Context: may sleep; the targets are locked.
 * Return: 0 or -ENOMEM.
 */
int mrc_enforce_add(struct mrc_target *t)
{
	mutex_init(&t->share.evicting);
	mutex_init(&t->share.aging);
	memsuite_page_map_init(&t->share.usage_map, sizeof(u8));
	t->share.weight = 1;
	t->share.min = MIN_PAGES;
	t->share.pages = U64_MAX;
	t->share.running = MRC_RUNNING;
	t->share.real_most = U64_MAX;
	return mrc_replace_add(t);
}

/**
 * mrc_enforce_hide() - a target is about to be freed
 * @t: the target, of mrc_enforce_add()
 *
 * Context: any; the targets are locked.
 */
void mrc_enforce_hide(struct mrc_target *t)
{
	mrc_replace_hide(t);
}

/**
 * mrc_enforce_forget() - it is about to be freed, and is nobody else's
 * @t: the target, of mrc_enforce_hide(), after a grace period of RCU
 *
 * Context: may sleep, for as long as pages are being replaced.
 */
void mrc_enforce_forget(struct mrc_target *t)
{
	mrc_replace_forget(t);
	mrc_target_keep_counts(&t->share);
	memsuite_page_map_free(&t->share.usage_map);
}

static void shares_lift(void)
{
	struct mrc_target *t;

	list_for_each_entry(t, &mrc_targets, link)
		WRITE_ONCE(t->share.pages, U64_MAX);
}

/*
 * Memory that is withheld without need makes programs wait. When they wait for more of
 * the time than is allowed, they get it.
 */
static bool is_too_much_pressure(u64 now, u64 waited)
{
	static u64 last_waited, last;
	u64 pct = div64_u64((waited - last_waited) * 100, max(now - last, 1ULL));

	last = now;
	last_waited = waited;
	return pct > READ_ONCE(mrc_division_tunables.pressure_pct) &&
	       mrc_reserve_available() > READ_ONCE(mrc_reserve_kept);
}

/* Where memory is short, programs wait anyway: it is tried whether shares help. */
static bool is_undone(u64 now, u64 waited)
{
	struct mrc_guard_look look = { .now = now, .waited = waited };
	struct mrc_share_counts all;
	struct mrc_target *t;

	mrc_targets_count(&all);
	look.evicted = all.evicted + all.replaced;
	look.fetched = all.fetched;
	list_for_each_entry(t, &mrc_targets, link)
		look.swapped += t->share.swapped;
	return !mrc_guard_see(&mrc_enforce_guard, &look);
}

/* Return: whether shares bind nobody for now. A total that is set is not left to the guard. */
static bool is_suspended(void)
{
	u64 now = mrc_now_us(), waited;

	if (memsuite_psi_read(MEMSUITE_PSI_MEMORY, &waited))
		waited = 0;
	if (!READ_ONCE(mrc_division_tunables.total_kib))
		return is_undone(now, waited);
	/* What it counted is of no use later. */
	mrc_enforce_guard.phase = MRC_GUARD_WATCH;
	mrc_enforce_guard.begin.now = 0;
	return is_too_much_pressure(now, waited);
}

/* Pages that have to be evicted. A total that is set is a limit, whatever is available. */
static u64 pages_needed(s64 left)
{
	if (READ_ONCE(mrc_division_tunables.total_kib))
		return MEMSUITE_RECLAIM_MAX;
	return clamp_t(s64, -left, 0, ROUND_MAX);
}

/* What faults may take of that: all that is over a limit, or as much as memory is short. */
static u64 pages_owed(s64 left)
{
	/* What cannot be had is added to it again. */
	if (READ_ONCE(mrc_division_tunables.total_kib))
		return S64_MAX / 2;
	return left < 0 ? -left : 0;
}

/*
 * Evict them from the targets that have more than their share. Where memory is short,
 * pages that cannot be written at once are left to the next round: the division does
 * not wait for the disk, since it may be another by then.
 */
static void memory_relieve(const struct mrc_plan *plan, u64 need)
{
	bool is_limit = READ_ONCE(mrc_division_tunables.total_kib);
	unsigned int i;

	for (i = 0; i < plan->n && need; i++) {
		struct mrc_target *t = plan->target[i];
		struct mm_struct *mm = mrc_target_mm(t);
		u64 rss = mm ? get_mm_rss(mm) : 0, got = 0;

		if (rss > t->share.pages)
			got = mrc_evict(t, mm, min(rss - t->share.pages, need),
					is_limit, &t->share.evicted);
		need -= min(need, got);
		mrc_replace_take(got);
		mrc_replace_given(&t->share, got);
		if (mm)
			mmput_async(mm);
	}
}

/* Pages planned for a target that it will need by the next division. */
static u64 target_demand(const struct mrc_target *t, u64 planned, u64 rss)
{
	return min(planned - min(planned, rss),
		   t->share.coming + mrc_plan_growth(&t->share) +
		   mrc_plan_returning(&t->share));
}

/* What was evicted and is being written is free soon, and is not evicted for once more. */
static u64 pages_being_written(void)
{
	struct mrc_target *t;
	u64 pages = 0;

	if (READ_ONCE(mrc_division_tunables.total_kib))
		return 0;
	list_for_each_entry(t, &mrc_targets, link)
		pages += READ_ONCE(t->share.reclaim.nr);
	return pages;
}

/*
 * Pages of the total that no target has, nor will need soon by the plan. If it is below
 * 0, so many are to be given up. Pages are nobody's until they are touched, whoever they
 * are planned for.
 */
static s64 plan_left_over(const struct mrc_plan *plan, u64 *demand)
{
	s64 left = plan->total + pages_being_written();
	unsigned int i;

	*demand = 0;
	for (i = 0; i < plan->n; i++) {
		struct mrc_target *t = plan->target[i];
		u64 rss = mrc_target_rss(t);

		t->share.demand = target_demand(t, plan->claim[i].pages, rss);
		*demand += t->share.demand;
		left -= rss;
	}
	return left - *demand;
}

/*
 * What a target may be made smaller to, where memory is short. It gives up pages for what
 * other targets will need, and for as much again of the reserve.
 */
static u64 share_shrunk(u64 rss, s64 left, u64 others)
{
	return others ? rss - min3(rss, (u64)-left, 2 * others) : U64_MAX;
}

/*
 * A target that grows may take what is free, and one that has more than planned keeps
 * it for as long as nobody else needs it. One that grows and gets all that it wants has
 * no limit until the next division: it would fetch back what it evicted of its own, and
 * be taken for one that comes back to its pages. A total that is set is a limit.
 */
static u64 share_allowed(const struct mrc_target *t, const struct mrc_claim *c, s64 left,
			 u64 demand)
{
	u64 rss = mrc_target_rss(t), planned = c->pages;

	if (READ_ONCE(mrc_division_tunables.total_kib))
		return planned;
	if (mrc_plan_gives_back(&t->share) || (t->share.growth && planned >= c->full))
		return U64_MAX;
	if (left >= 0)
		return max(planned, rss) + left;
	/* As it was counted: what it has changes meanwhile. */
	demand -= min(demand, t->share.demand);
	return max(planned, share_shrunk(rss, left, demand));
}

/*
 * Told by its curve alone: what it really misses says nothing of the order. Before there is
 * one, most programs fill their memory in order, to go over it again.
 */
static bool is_loop(struct mrc_target *t, const struct mrc_claim *c)
{
	u64 none, rate, ladders;

	mutex_lock(&t->lock);
	ladders = t->curve.ladders;
	none = t->curve.rate[0];
	rate = mrc_rate_at(t->curve.rate, c->full, c->pages);
	mutex_unlock(&t->lock);
	return !ladders || (none && rate >= none / 8 * 7);
}

static void share_set(struct mrc_target *t, u64 pages)
{
	WRITE_ONCE(t->share.given, mrc_target_rss(t));
	WRITE_ONCE(t->share.pages, pages);
}

static void share_give(struct mrc_target *t, const struct mrc_claim *c, s64 left, u64 demand)
{
	WRITE_ONCE(t->share.loops, is_loop(t, c));
	share_set(t, share_allowed(t, c, left, demand));
}

static bool plan_has(const struct mrc_plan *plan, const struct mrc_target *t)
{
	unsigned int i;

	for (i = 0; i < plan->n; i++)
		if (plan->target[i] == t)
			return true;
	return false;
}

/*
 * Of a program that has just begun, or was just executed, it is not known what memory
 * is worth to it: it may take what is free, and not what is planned for others.
 */
static u64 share_of_unknown(const struct mrc_target *t, s64 left, u64 demand)
{
	u64 rss = mrc_target_rss(t);

	if (mrc_plan_gives_back(&t->share))
		return U64_MAX;
	return left >= 0 ? rss + left : share_shrunk(rss, left, demand);
}

static void shares_give_others(const struct mrc_plan *plan, s64 left, u64 demand)
{
	bool is_limit = READ_ONCE(mrc_division_tunables.total_kib);
	struct mrc_target *t;

	list_for_each_entry(t, &mrc_targets, link) {
		if (plan_has(plan, t))
			continue;
		WRITE_ONCE(t->share.loops, true);
		share_set(t, plan->n && !is_limit ?
			  share_of_unknown(t, left, demand) : U64_MAX);
	}
}

/* What has been written since is free before it is counted. */
static void evictions_settle(void)
{
	struct mrc_target *t;

	list_for_each_entry(t, &mrc_targets, link)
		mrc_evict_settle(t);
}

/* Which pages are used least has to be known before they are looked for. */
static void targets_age(void)
{
	struct mrc_target *t;
	unsigned int n = 0;

	list_for_each_entry(t, &mrc_targets, link)
		n++;
	list_for_each_entry(t, &mrc_targets, link) {
		struct mm_struct *mm = mrc_target_mm(t);

		if (mm) {
			mrc_aging_go_on(t, mm, LOOKS_MAX / n);
			mmput_async(mm);
		}
	}
}

/*
 * What others than targets want is the kernel's to find, who takes it from everybody. But a
 * reserve that is set is kept whoever wants memory, and one that targets themselves use up:
 * what they take of it, the kernel takes of whoever has not used his pages for longest.
 */
static bool reserve_is_theirs(const struct mrc_plan *plan)
{
	return READ_ONCE(mrc_division_tunables.reserve_kib) || plan->is_contended;
}

/* What is set is kept whatever is available. */
static bool is_scarce(void)
{
	return mrc_reserve_is_scarce() || READ_ONCE(mrc_division_tunables.total_kib) ||
	       READ_ONCE(mrc_division_tunables.reserve_kib);
}

/* Everybody's faults pass there. Where that fails it is tried again by the next division. */
static void faults_listen(bool on)
{
	if (on == listening)
		return;
	if (on) {
		listening = !mrc_replace_start();
	} else {
		mrc_replace_stop();
		listening = false;
	}
}

static void shares_enforce(const struct mrc_plan *plan, s64 left, u64 demand)
{
	unsigned int i;

	if (reserve_is_theirs(plan))
		demand = S64_MAX;
	mrc_replace_owe(pages_owed(left));
	shares_give_others(plan, left, demand);
	for (i = 0; i < plan->n; i++)
		share_give(plan->target[i], &plan->claim[i], left, demand);
	memory_relieve(plan, pages_needed(left));
}

/* Return: whether memory is short, so that it has to be done again soon. */
static bool memory_divide(bool scarce)
{
	bool is_short = false, suspended;
	struct mrc_plan plan;
	u64 demand;
	s64 left;

	mrc_evict_look();
	mutex_lock(&mrc_targets_lock);
	if (scarce)
		targets_age();
	evictions_settle();
	if (!mrc_plan_make(&plan, 0, NULL, 0)) {
		left = plan_left_over(&plan, &demand);
		is_short = left < 0 && !READ_ONCE(mrc_division_tunables.total_kib);
		WRITE_ONCE(mrc_reserve_kept, plan.reserve);
		mrc_reserve_see(is_short && left + (s64)plan.reserve < 0);
		suspended = is_suspended();
		mrc_enforce_suspended += suspended;
		if (scarce && !suspended)
			shares_enforce(&plan, left, demand);
		else
			shares_lift();
		mrc_plan_free(&plan);
	}
	mutex_unlock(&mrc_targets_lock);
	return is_short;
}

static int enforce_thread(void *unused)
{
	unsigned int ms;
	bool scarce;

	while (!kthread_should_stop()) {
		scarce = is_scarce();
		faults_listen(scarce);
		ms = READ_ONCE(mrc_division_tunables.interval_ms);
		if (memory_divide(scarce))
			ms /= HURRY;
		if (mrc_enforce_guard.phase == MRC_GUARD_TRIAL)
			ms = min(ms, TRIAL_MS);
		wait_event_idle_timeout(mrc_changed, kthread_should_stop(),
					msecs_to_jiffies(ms));
	}
	return 0;
}

static int enforce_start(void)
{
	int err;

	if (!memsuite_reclaim_usable())
		return -EOPNOTSUPP;
	enforcer = kthread_create(enforce_thread, NULL, "mrc/enforce");
	if (IS_ERR(enforcer))
		return PTR_ERR(enforcer);
	err = mrc_replace_start();
	if (err) {
		kthread_stop(enforcer);
		return err;
	}
	listening = true;
	memset(&mrc_enforce_guard, 0, sizeof(mrc_enforce_guard));
	mrc_reserve_begin();
	wake_up_process(enforcer);
	return 0;
}

/* Evictions under way may wait for a disk. The usage of pages is soon out of date. */
static void evictions_finish(void)
{
	struct mrc_target *t;

	list_for_each_entry(t, &mrc_targets, link) {
		mutex_lock(&t->share.evicting);
		/* Whose frames they are by the time it goes on, nobody knows. */
		t->share.reclaim.nr = 0;
		mutex_unlock(&t->share.evicting);
		mutex_lock(&t->share.aging);
		mrc_aging_forget(t);
		mutex_unlock(&t->share.aging);
	}
}

/* A process that is in a fault now, which may take for ever, finds nothing to do after it. */
static void enforce_stop(void)
{
	kthread_stop(enforcer);
	faults_listen(false);
	mutex_lock(&mrc_targets_lock);
	shares_lift();
	evictions_finish();
	mutex_unlock(&mrc_targets_lock);
}

/**
 * mrc_enforce_switch() - put the division into practice, or no more
 * @on: which
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP (the kernel lacks what it takes) or -ENOMEM.
 */
int mrc_enforce_switch(bool on)
{
	int err = 0;

	mutex_lock(&enforce_lock);
	if (on && !mrc_enforced)
		err = enforce_start();
	else if (!on && mrc_enforced)
		enforce_stop();
	if (!err)
		WRITE_ONCE(mrc_enforced, on);
	mutex_unlock(&enforce_lock);
	return err;
}
