/* SPDX-License-Identifier: GPL-2.0-only */
/* A tracked process: all that is known of it, by whom, and the list of them. */
#ifndef MRC_TARGET_TARGET_H
#define MRC_TARGET_TARGET_H

#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "curve/curve.h"
#include "curve/reuse.h"
#include "curve/sample.h"
#include "target/cpu_budget.h"
#include "target/memory_share.h"
#include "target/target_stats.h"
#include "target/tunables.h"

struct dentry;
struct mm_struct;
struct mrc_mode_paper;
struct mrc_mode_samples;
struct mrc_young_shadow;
struct pid;
struct task_struct;

/* Each has a thread; and their list has to fit a page. */
#define MRC_TARGETS_MAX		256

/*
 * Ladders on credit, for a curve at once: of a process that is a target by itself,
 * and of one that was there when a target of several was added. One that is unlike
 * those before, and two that tell whether the program has changed.
 */
#define MRC_LOAN_OWN		4
#define MRC_LOAN_GROUP		1
#define MRC_LOAN_DOUBT		3

/**
 * struct mrc_sub_sample - a sub-sample in the current ladder
 * @valid: entries of each kind that count in this ladder
 * @weight: the pages that each of them stands for, in fixed point
 */
struct mrc_sub_sample {
	u32 valid[MRC_KINDS];
	u64 weight[MRC_KINDS];
};

/**
 * struct mrc_ladder_schedule - when a ladder looks around one moment
 * @active: pages of this moment that may still be touched, as indices of the sample
 * @active_n: how many there are
 * @pages: how many there were at the beginning
 * @moment: when it is, in us; estimated until the last clearing
 * @next: when the pages are looked at next, in us
 * @point: which sample point that is; on the way down, the one above
 * @up: the moment is over: from now on bits are only read
 * @done: all has been looked at
 * @steps: how often the pages have been cleared
 * @points: sample points since the moment: how often the pages have been looked at
 * @point_us: how long after their clearing that was, on average over the pages
 * @left: how many pages had not been touched by then
 * @looks: how many pages were looked at since the last sample point
 * @looks_us: sum of how long after their clearing
 * @useful: by this sample point most pages were touched that are touched at all
 * @window: for so long after the moment first touches are known, in us
 * @weight: the pages that a sample of each kind stands for, in fixed point
 */
struct mrc_ladder_schedule {
	u32 *active;
	u32 active_n;
	u32 pages;
	u64 moment;
	u64 next;
	u32 point;
	bool up;
	bool done;
	u32 steps;
	u32 points;
	u64 point_us[MRC_SAMPLE_POINTS];
	u32 left[MRC_SAMPLE_POINTS];
	u64 looks;
	u64 looks_us;
	u32 useful;
	u64 window;
	u64 weight[MRC_KINDS];
};

/**
 * struct mrc_target - a tracked process
 * @link: in mrc_targets
 * @pid: its thread group
 * @nr: number of @pid in the initial namespace
 * @by_nr: in the hash of all targets
 * @own: it is a target by itself
 * @groups: slots of the groups that it is in
 * @wanted: the same, while all processes are looked through
 * @pages: what it had in memory when they last were
 * @sharers: how many processes share the CPU budget with it
 * @budget: what its ladders are paid from
 * @own_budget: its own, if it is a target by itself
 * @loan: how many ladders it gets on credit at a time
 * @thread: its tracker
 * @dir: its directory in debugfs
 * @gone: the process has ended: it is to be dropped
 * @lock: protects what readers see: @curve, @stats, @sample
 * @curve: the result
 * @stats: counters
 * @mm: the address space, by mmgrab(); from here on only the tracker's
 * @sample: the sampled pages
 * @spare: where the next enumeration goes
 * @active: memory of the lists of @schedule
 * @schedule: of each moment
 * @moments: how many moments there are
 * @sub: the sub-samples
 * @top: how many sample points the next ladder needs; 0: all
 * @weight: the pages that a sample of each kind stands for
 * @few_huge: sub-samples share the huge pages
 * @samples: how many samples the CPU budget allows now
 * @payer: the budget that this ladder is paid from, or NULL
 * @permille: what the payer earned when the tracker began to wait
 * @taken: what was taken out of it: the time that it takes to earn that, in us
 * @taken_of_all: what was taken out of the budget of all targets, likewise; 0: nothing
 * @cost_ns: CPU time that the last ladder took
 * @credit: ladders to come that need not be paid for before
 * @doubted: a ladder unlike those before got credit, and none was paid for since
 * @since: when tracking of @mm began, in us; 0: not begun
 * @published: when the last ladder ended, in us
 * @enumerated: when the page tables were last enumerated, in us
 * @enumeration_ns: CPU time that this took
 * @rss: resident pages then
 * @swapped: swapped-out pages then
 * @notifier: gives accessed bits back to reclaim
 * @notified: it is registered with @mm
 * @shadow: the bits
 * @returned: how many were given back
 * @share: what it gets of the memory
 * @wsf: working set function of the whole sample
 * @reuse: scratch
 * @rate: miss rates of the ladder that is being published
 * @blind: what it was blind to
 * @announced: the curve when its last change was announced
 * @mode: how it is tracked now
 * @paper: in mode paper
 * @sampled: in mode samples
 */
struct mrc_target {
	struct list_head link;
	struct pid *pid;
	struct hlist_node by_nr;
	int nr;
	bool own;
	u32 groups;
	u32 wanted;
	u64 pages;
	u32 sharers;
	struct mrc_cpu_budget *budget;
	struct mrc_cpu_budget own_budget;
	u32 loan;
	struct task_struct *thread;
	struct dentry *dir;
	bool gone;

	struct mutex lock;	/* curve and stats */
	struct mrc_curve curve;
	struct mrc_stats stats;

	struct mm_struct *mm;
	struct mrc_sample sample;
	struct mrc_sample spare;
	u32 *active;
	struct mrc_ladder_schedule schedule[MRC_MOMENTS];
	u32 moments;
	struct mrc_sub_sample sub[MRC_SUBS];
	u32 top;
	u64 weight[MRC_KINDS];
	bool few_huge;
	u32 samples;
	struct mrc_cpu_budget *payer;
	u32 permille;
	u64 taken;
	u64 taken_of_all;
	u64 cost_ns;
	u32 credit;
	bool doubted;
	u64 since;
	u64 published;
	u64 enumerated;
	u64 enumeration_ns;
	u64 rss;
	u64 swapped;
#if IS_ENABLED(CONFIG_MMU_NOTIFIER)
	struct mmu_notifier notifier;
#endif
	bool notified;
	struct mrc_young_shadow __rcu *shadow;
	atomic64_t returned;
	struct mrc_share share;
	struct mrc_wsf wsf;
	struct mrc_reuse reuse;
	u64 rate[MRC_SIZES];
	struct mrc_blind blind;
	u64 announced[MRC_SIZES];
	enum mrc_mode mode;
	struct mrc_mode_paper *paper;
	struct mrc_mode_samples *sampled;
};

extern struct list_head mrc_targets;
extern struct mutex mrc_targets_lock;

static inline u64 mrc_now_us(void)
{
	return ktime_to_us(ktime_get());
}

void mrc_target_keep_counts(const struct mrc_share *s);
void mrc_target_forget_fetched(struct mrc_share *s);
void mrc_targets_count(struct mrc_share_counts *all);
void mrc_target_link(struct mrc_target *t);
void mrc_target_unlink(struct mrc_target *t);
struct mrc_target *mrc_target_find(struct pid *pid);
struct mrc_target *mrc_target_find_nr(int nr);
struct mm_struct *mrc_target_mm(const struct mrc_target *t);
u64 mrc_target_rss(const struct mrc_target *t);
void mrc_target_measured(struct mrc_target *t);

#endif
