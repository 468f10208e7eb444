/* SPDX-License-Identifier: GPL-2.0-only */
/* mrc.ko: page miss ratio curves of processes. */
#ifndef MRC_H
#define MRC_H

#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <memsuite/page_map.h>
#include <memsuite/reclaim_pages.h>

#include "curve/compose.h"
#include "curve/curve.h"
#include "curve/division.h"
#include "curve/reuse.h"
#include "curve/sample.h"
#include "divide/page_usage.h"
#include "target/cpu_budget.h"
#include "target/target_parse.h"

struct attribute_group;
struct cgroup;
struct dentry;
struct file_operations;
struct mm_struct;
struct mrc_paper;
struct mrc_samples;
struct mrc_shadow;
struct memsuite_task_work;
struct pid;
struct task_struct;

enum mrc_mode {
	MRC_MODE_LADDER,
	MRC_MODE_PAPER,
	MRC_MODE_SAMPLES,
};

/* What the administrator sets; each is read once a ladder, or an epoch. */
struct mrc_tunables {
	enum mrc_mode mode;
	u32 epoch_ms;
	u32 group_pages;
	u32 samples;
	u32 ladder_ms;
	u32 max_cpu_permille;
	u32 change_pct;
};

#define MRC_SAMPLES_MIN		256
#define MRC_SAMPLES_MAX		65536
#define MRC_LADDER_MS_MIN	100
#define MRC_LADDER_MS_MAX	60000
#define MRC_EPOCH_MS_MAX	1000
#define MRC_GROUP_PAGES_MAX	4096

/* Each has a thread; and their list has to fit a page. */
#define MRC_TARGETS_MAX		256

extern struct mrc_tunables mrc_tunables;
extern bool mrc_enabled;	/* targets are tracked; watch.c */
extern wait_queue_head_t mrc_changed;

/*
 * The lines of the file stats, in this order. Counts are since the target was
 * added; from samples on it is as of the last ladder.
 */
struct mrc_stats {
	u64 enabled_ns;			/* time that it was tracked */
	u64 cpu_ns;			/* of which the tracker ran */
	u64 ladders;			/* that are complete */
	u64 ladders_skipped;		/* given up: lock contended, exec */
	u64 rungs_skipped;		/* late, or lock contended */
	u64 enumerations;		/* of the page tables */
	u64 pte_reads;			/* accessed bits read */
	u64 pte_clears;			/* accessed bits found set and cleared */
	u64 tlb_flushes;
	u64 execs;			/* address spaces left behind */
	u64 shadow_young;		/* accessed bits kept for reclaim */
	u64 shadow_returned;		/* and given back to it */
	u64 samples;			/* pages in the sample */
	u64 samples_huge;		/* of them huge */
	u64 samples_absent;		/* of them not present */
	u64 samples_censored;		/* left out of the last ladder */
	u64 pages_per_sample;
	u64 resident_pages;		/* mapped, base and huge */
	u64 huge_pages;			/* of them, in pages of 4 KiB */
	u64 swapped_pages;
	u64 ladder_us;			/* its longest window */
	u64 period_us;			/* between the last two ladders */
	u64 horizon_us;			/* longest window, by idle age */
	u64 floor_us;			/* finest window that was read */
	u64 floor_pages;		/* below this size the curve is blind */
	u64 touches_per_s;		/* distinct pages, at the floor */
	u64 wss_pages;			/* working set of the ladder's window */
	u64 wss_10ms_pages;
	u64 wss_100ms_pages;
	u64 wss_1s_pages;
	u64 epochs;			/* of mode paper */
	u64 epochs_skipped;		/* cut short: lock contended */
	u64 protections;		/* pages protected */
	u64 protection_faults;		/* touches of protected pages */
	u64 protection_off;		/* how often it was switched off */
	u64 faults_lost;		/* that were too many at once; or samples */
	u64 restored;			/* pages unprotected without a touch */
	u64 protected_pages;		/* as of the last epoch */
	u64 scan_pages;			/* looked at in it */
	u64 stuck_pages;		/* that cannot be protected */
};

/**
 * struct mrc_sub - a sub-sample in the current ladder
 * @valid: entries of each kind that count in this ladder
 * @weight: the pages that each of them stands for, in fixed point
 */
struct mrc_sub {
	u32 valid[MRC_KINDS];
	u64 weight[MRC_KINDS];
};

/**
 * struct mrc_climb - a ladder's part of the sample that has one moment
 * @active: indices of the pages that may still be touched
 * @active_n: how many
 * @pages: how many there were at the beginning
 * @moment: in us; estimated, until the last clearing
 * @next: when the pages are looked at next, in us
 * @rung: which rung that is; on the way down, the one above
 * @up: the moment is over, and bits are only read
 * @done: and not any more
 * @steps: how often the pages have been cleared
 * @rungs: how often they have been looked at since
 * @rung_us: how long after their clearing, on average over the pages
 * @left: how many pages had not been touched by then
 * @looks: how many pages were looked at since the last of these
 * @looks_us: sum of how long after their clearing
 * @useful: the rung by which most that were touched at all had been
 * @window: how long after the moment first touches are known, in us
 * @weight: the pages that a sample of each kind stands for, in fixed point
 */
struct mrc_climb {
	u32 *active;
	u32 active_n;
	u32 pages;
	u64 moment;
	u64 next;
	u32 rung;
	bool up;
	bool done;
	u32 steps;
	u32 rungs;
	u64 rung_us[MRC_RUNGS];
	u32 left[MRC_RUNGS];
	u64 looks;
	u64 looks_us;
	u32 useful;
	u64 window;
	u64 weight[MRC_KINDS];
};

/**
 * struct mrc_share - what a target gets of the memory
 * @weight: of its utility
 * @min: pages that it is never driven below
 * @pages: what it gets now; U64_MAX: nobody says
 * @running: how much of its time it did not wait for misses lately
 * @loops: it misses nearly always: what it used last is used last again
 * @fault: address of its last page fault over its share
 * @faults: its major faults by @looked
 * @missed: how many of them since it was looked at before
 * @coming: pages that come in, in an interval in which as many are missed
 * @fetched: major faults since it has executed its program
 * @anon: its anonymous pages by @looked, with those that are swapped out
 * @swapped: these
 * @mapped: pages of its address space by then: it can have no more
 * @growth: pages a second that @anon has grown by lately, in MRC_RATE
 * @looked: when that was, in us
 * @looks: how often
 * @execs: programs that it had executed by then
 * @real: misses in each second that it ran before that, in MRC_RATE
 * @real_most: the same, and the time before; U64_MAX: not known yet
 * @seen: of mrc_seen_add()
 * @over: in the table that page faults are looked up in
 * @errand: replaces pages of its own, in its own context
 * @sweeping: one at a time; protects what follows
 * @hand: where the next sweep begins
 * @warm: pages that could be evicted and are used too much, lately
 * @found: pages evicted meanwhile
 * @aging: one at a time; protects what follows, up to @notes
 * @ager: where the round over all pages goes on
 * @aged: when it last did, in us
 * @round: when this one began, in us
 * @tables: page tables that it has come over
 * @noted: the address space that is noted; only to be compared
 * @usage: of its pages, for the hand
 * @notes: of each page, a byte of mrc_usage_age(); changed under its page table's lock
 * @evict: pages on their way out
 * @rest_until: it found nothing to evict: jiffies
 * @evicted: pages, when free memory was low
 * @replaced: pages, in page faults of its own
 * @refused_shared: not evicted: mapped more than once
 * @refused_busy: not evicted: in parts, pinned, or off the LRU
 */
struct mrc_share {
	u32 weight;
	u64 min;
	u64 pages;
	u32 running;
	bool loops;
	unsigned long fault;
	u64 faults;
	u64 missed;
	u64 coming;
	u64 fetched;
	u64 anon;
	u64 swapped;
	u64 mapped;
	u64 growth;
	u64 looked;
	u64 looks;
	u64 execs;
	u64 real;
	u64 real_most;
	u64 seen[MRC_SIZES];
	struct hlist_node over;
	struct memsuite_task_work *errand;
	struct mutex sweeping;	/* hand to refused_busy */
	unsigned long hand;
	u64 warm;
	u64 found;
	struct mutex aging;	/* ager to notes */
	unsigned long ager;
	u64 aged;
	u64 round;
	u64 tables;
	const struct mm_struct *noted;
	struct mrc_usage usage;
	struct memsuite_page_map notes;
	struct memsuite_reclaim evict;
	unsigned long rest_until;
	u64 evicted;
	u64 replaced;
	u64 refused_shared;
	u64 refused_busy;
};

/*
 * Ladders on credit, for a curve at once: of a process that is a target by itself,
 * and of one that was there when a target of several was added. One that is unlike
 * those before, and two that tell whether the program has changed.
 */
#define MRC_LOAN_OWN		4
#define MRC_LOAN_GROUP		1
#define MRC_LOAN_DOUBT		3

/**
 * struct mrc_target - a tracked process
 * @link: in mrc_targets
 * @pid: its thread group
 * @nr: number of @pid in the initial namespace
 * @own: it is a target by itself
 * @groups: slots of the groups that it is in
 * @wanted: the same, while they are being looked through
 * @pages: what it had in memory then
 * @sharers: how many processes share the CPU budget with it
 * @purse: what its ladders are paid from
 * @own_purse: its own, if it shares with nobody
 * @loan: how many ladders it gets on credit at a time
 * @thread: its tracker
 * @dir: its directory in debugfs
 * @gone: set by the tracker: the process has ended
 * @lock: protects what readers see: @curve, @stats, @sample
 * @curve: the result
 * @stats: counters
 * @mm: the address space, by mmgrab(); from here on only the tracker's
 * @sample: the sampled pages
 * @spare: room for the next enumeration
 * @active: backing of the lists of @climb
 * @climb: of each moment
 * @moments: how many there are
 * @sub: the sub-samples
 * @top: how many rungs the next ladder needs; 0: all
 * @weight: the pages that a sample of each kind stands for
 * @few_huge: sub-samples share the huge pages
 * @samples: how many are wanted now, by the CPU budget
 * @payer: the purse that the ladder is paid from, or NULL
 * @taken: what was taken out of it, in us that it takes to earn that
 * @cost_ns: CPU time that the last ladder took
 * @credit: ladders to come that need not be paid for before
 * @doubted: some were for doubt, and none has been paid for since
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
 * @announced: the curve when its last change was announced
 * @mode: how it is tracked now
 * @paper: in mode paper
 * @sampled: in mode samples
 */
struct mrc_target {
	struct list_head link;
	struct pid *pid;
	int nr;
	bool own;
	u32 groups;
	u32 wanted;
	u64 pages;
	u32 sharers;
	struct mrc_purse *purse;
	struct mrc_purse own_purse;
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
	struct mrc_climb climb[MRC_MOMENTS];
	u32 moments;
	struct mrc_sub sub[MRC_SUBS];
	u32 top;
	u64 weight[MRC_KINDS];
	bool few_huge;
	u32 samples;
	struct mrc_purse *payer;
	u64 taken;
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
	struct mrc_shadow __rcu *shadow;
	atomic64_t returned;
	struct mrc_share share;
	struct mrc_wsf wsf;
	struct mrc_reuse reuse;
	u64 rate[MRC_SIZES];
	u64 announced[MRC_SIZES];
	enum mrc_mode mode;
	struct mrc_paper *paper;
	struct mrc_samples *sampled;
};

/* Slots are bits of mrc_target's groups. */
#define MRC_GROUPS		32

/**
 * struct mrc_group - processes that are a target together
 * @who: which
 * @slot: its own
 * @cgroup: for those of a cgroup
 * @dir: its directory in debugfs
 * @since: when it was added, in ns since boot
 * @accesses: of mrc_curve
 * @seen: how many processes there were when last looked
 * @seen_pages: what they had in memory
 * @tracked: how many of them are tracked
 * @tracked_pages: what these had in memory
 */
struct mrc_group {
	struct mrc_who who;
	unsigned int slot;
	struct cgroup *cgroup;
	struct dentry *dir;
	u64 since;
	u64 accesses;
	u64 seen;
	u64 seen_pages;
	u64 tracked;
	u64 tracked_pages;
};

/**
 * struct mrc_sum - a group's processes added up
 * @stats: totals; the longest of their times, the shortest horizon
 * @measured: how many have a curve
 * @curve: of all of them
 * @compose: their working sets
 */
struct mrc_sum {
	struct mrc_stats stats;
	u64 measured;
	struct mrc_curve curve;
	struct mrc_compose compose;
};

static inline u64 mrc_now_us(void)
{
	return ktime_to_us(ktime_get());
}

/* target.c: the tracked processes. */
extern struct list_head mrc_targets;
extern struct mutex mrc_targets_lock;
int mrc_targets_add(const struct mrc_who *who);
int mrc_targets_remove(const struct mrc_who *who);
void mrc_targets_remove_all(void);
int mrc_targets_list(char *buf);
int mrc_targets_set_accesses(const struct mrc_who *who, u64 per_s);
int mrc_target_track(struct pid *pid, bool own, u32 groups, u64 pages, u32 loan);
void mrc_target_drop(struct mrc_target *t);
void mrc_target_gone(struct mrc_target *t);
void mrc_target_measured(struct mrc_target *t);

/* group.c: targets of several processes. */
int mrc_group_add(const struct mrc_who *who);
int mrc_group_remove(const struct mrc_who *who);
void mrc_groups_remove_all(void);
bool mrc_groups_any(void);
void mrc_groups_look(void);
struct mrc_group *mrc_group_find(const struct mrc_who *who);
int mrc_groups_list(char *buf, int n);
struct mrc_sum *mrc_group_sum(struct mrc_group *group);
struct mrc_purse *mrc_group_purse(u32 slots);

/* descendants.c: who descends from a process that is a target with its children. */
int mrc_kin_start(struct pid *root, unsigned int slot);
void mrc_kin_stop(unsigned int slot);
u32 mrc_kin_groups(const struct pid *pid);
bool mrc_kin_left(unsigned int slot);
u64 mrc_kin_lost(void);
void mrc_kin_exit(void);

/* watch.c: whether targets are tracked, and the look at them each second. */
struct mrc_contention {
	bool only;		/* tracked only under contention */
	bool now;		/* memory is short */
	u32 pressure_pct;
	u32 available_pct;
};

extern struct mrc_contention mrc_contention;
int mrc_watch_enable(bool on);
bool mrc_watch_enabled(void);
int mrc_watch_contended_only(bool on);
void mrc_watch_kick(void);
void mrc_watch_stop(void);
const char *mrc_watch_source(void);

/* ladder_schedule.c */
int mrc_climb(struct mrc_target *t, u32 rungs);

/* ladder.c */
int mrc_ladder_thread(void *target);
void mrc_ladder_free(struct mrc_target *t);
bool mrc_sleep_until(u64 us);

/* estimate.c */
void mrc_estimate_prepare(struct mrc_target *t);
u64 mrc_estimate(struct mrc_target *t);
void mrc_estimate_sub(struct mrc_target *t, u32 sub);

/* walker.c */
int mrc_walk_enumerate(struct mm_struct *mm, struct mrc_sample *sample,
		       u64 *swapped);
bool mrc_walk_file_mapped(struct mm_struct *mm, unsigned long addr);
int mrc_walk_clear(struct mrc_target *t, struct mrc_climb *c);
int mrc_walk_read(struct mrc_target *t, struct mrc_climb *c);

/* young_notifier.c */
int mrc_young_start(struct mrc_target *t);
void mrc_young_stop(struct mrc_target *t);
int mrc_young_renew(struct mrc_target *t);
void mrc_young_took(struct mrc_target *t, u32 i);
void mrc_young_begin(struct mrc_target *t);
bool mrc_young_lost(struct mrc_target *t, u32 i);
bool mrc_young_age(struct mrc_target *t, unsigned long addr, bool young);
bool mrc_young_kept(struct mrc_target *t, unsigned long addr);
bool mrc_young_seen(struct mrc_target *t, u32 i);

/* aging.c */
void mrc_aging(struct mrc_target *t, struct mm_struct *mm, u64 most);
bool mrc_aging_knows(const struct mrc_target *t, const struct mm_struct *mm);
void mrc_aging_forget(struct mrc_target *t);
bool mrc_aging_give_back(struct mrc_target *t, unsigned long start,
			 unsigned long end, bool clear);

/* evict.c */
u64 mrc_sweep(struct mrc_target *t, struct mm_struct *mm, u64 want,
	      bool wait, u64 *evicted);
void mrc_sweep_settle(struct mrc_target *t);

/**
 * struct mrc_plan - who gets how much
 * @total: pages that are divided
 * @n: targets that have a curve
 * @target: these; no longer than the targets are locked
 * @claim: in the same order
 * @rate: copies of their curves
 */
struct mrc_plan {
	u64 total;
	unsigned int n;
	struct mrc_target **target;
	struct mrc_claim *claim;
	u64 (*rate)[MRC_SIZES];
};

/* What the administrator sets of the division. */
struct mrc_division_tunables {
	u64 total_kib;
	u64 reserve_kib;
	u32 unit_kib;
	u32 utility;
	u32 miss_us;
	u32 interval_ms;
	u32 pressure_pct;
};

extern struct mrc_division_tunables mrc_division;

/* plan.c */
u64 mrc_available(void);
u64 mrc_growth(const struct mrc_share *s);
u64 mrc_reserve(void);
int mrc_plan_make(struct mrc_plan *plan, u64 total, const int *pid,
		  unsigned int pids);
void mrc_plan_free(struct mrc_plan *plan);
struct mm_struct *mrc_target_mm(const struct mrc_target *t);
u64 mrc_target_rss(const struct mrc_target *t);

/* enforce.c */
extern bool mrc_enforced;
extern u64 mrc_suspended;
int mrc_enforce_add(struct mrc_target *t);
void mrc_enforce_forget(struct mrc_target *t);
int mrc_enforce(bool on);

/* division_sysfs.c */
extern const struct attribute_group mrc_division_group;
extern const struct file_operations mrc_plan_fops;

/* debugfs.c */
void mrc_debugfs_init(void);
void mrc_debugfs_exit(void);
void mrc_debugfs_add(struct mrc_target *t);
void mrc_debugfs_add_group(struct mrc_group *group);
void mrc_debugfs_remove(struct dentry *dir);

/* sysfs.c */
int mrc_sysfs_init(void);
void mrc_sysfs_exit(void);
void mrc_sysfs_changed(void);

#endif
