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

#include <memsuite/evict.h>

#include "curve.h"
#include "division.h"
#include "sample.h"

struct attribute_group;
struct dentry;
struct file_operations;
struct mm_struct;
struct mrc_shadow;
struct pid;
struct task_struct;

/* What the administrator sets; each is read once a ladder. */
struct mrc_tunables {
	u32 samples;
	u32 ladder_ms;
	u32 max_cpu_permille;
};

#define MRC_SAMPLES_MIN		256
#define MRC_SAMPLES_MAX		65536
#define MRC_LADDER_MS_MIN	100
#define MRC_LADDER_MS_MAX	60000

/* Each has a thread; and their list has to fit a page. */
#define MRC_TARGETS_MAX		256

extern struct mrc_tunables mrc_tunables;
extern bool mrc_enabled;
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
};

/**
 * struct mrc_sub - a sub-sample in the current ladder
 * @active: indices of its entries that may still be touched
 * @n: how many
 * @valid: entries of each kind that count in this ladder
 */
struct mrc_sub {
	u32 *active;
	u32 n;
	u32 valid[MRC_KINDS];
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
 * @looked: when that was, in us
 * @over: in the table that page faults are looked up in
 * @work: replaces pages of its own, in its own context
 * @pending: @work is queued
 * @sweeping: one at a time; protects what follows
 * @hand: where the next sweep begins
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
	u64 looked;
	struct hlist_node over;
	struct callback_head work;
	atomic_t pending;
	struct mutex sweeping;	/* hand to refused_busy */
	unsigned long hand;
	struct ms_evict evict;
	unsigned long rest_until;
	u64 evicted;
	u64 replaced;
	u64 refused_shared;
	u64 refused_busy;
};

/**
 * struct mrc_target - a tracked process
 * @link: in the list of targets
 * @pid: its thread group
 * @nr: number of @pid in the initial namespace
 * @thread: its tracker
 * @dir: its directory in debugfs
 * @gone: set by the tracker: the process has ended
 * @lock: protects what readers see: @curve, @stats
 * @curve: the result
 * @stats: counters
 * @mm: the address space, by mmgrab(); from here on only the tracker's
 * @sample: the sampled pages
 * @spare: room for the next enumeration
 * @active: backing of the sub-samples' lists
 * @sub: the sub-samples
 * @rungs: how often the sample has been looked at in this ladder
 * @rung_us: how long after its clearing, on average over the pages
 * @looks: how many pages were looked at since the last of these
 * @looks_us: sum of how long after their clearing
 * @samples: how many are wanted now, by the CPU budget
 * @credit: ladders to come that the budget does not hold back
 * @renewals: how often they were renewed
 * @since: when tracking of @mm began, in us; 0: not begun
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
 * @sub_wsf: and of the sub-samples
 * @steps: scratch
 */
struct mrc_target {
	struct list_head link;
	struct pid *pid;
	int nr;
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
	struct mrc_sub sub[MRC_SUBS];
	u32 rungs;
	u64 rung_us[MRC_RUNGS];
	u64 looks;
	u64 looks_us;
	u32 samples;
	u32 credit;
	u32 renewals;
	u64 since;
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
	struct mrc_wsf sub_wsf[MRC_SUBS];
	struct mrc_steps steps;
};

static inline u64 mrc_now_us(void)
{
	return ktime_to_us(ktime_get());
}

/* targets.c */
int mrc_targets_add(int nr);
int mrc_targets_remove(int nr);
void mrc_targets_remove_all(void);
int mrc_targets_list(char *buf);
void mrc_target_gone(struct mrc_target *t);
struct list_head *mrc_targets_lock(void);
void mrc_targets_unlock(void);

/* ladder.c */
int mrc_ladder_thread(void *target);
void mrc_ladder_free(struct mrc_target *t);

/* walker.c */
int mrc_walk_enumerate(struct mm_struct *mm, struct mrc_sample *sample,
		       u64 *swapped);
bool mrc_walk_file_mapped(struct mm_struct *mm, unsigned long addr);
int mrc_walk_clear(struct mrc_target *t, struct mrc_sub *sub);
int mrc_walk_read(struct mrc_target *t, struct mrc_sub *sub);

/* young.c */
int mrc_young_start(struct mrc_target *t);
void mrc_young_stop(struct mrc_target *t);
int mrc_young_renew(struct mrc_target *t);
void mrc_young_took(struct mrc_target *t, u32 i);
void mrc_young_begin(struct mrc_target *t);
bool mrc_young_lost(struct mrc_target *t, u32 i);
bool mrc_young_age(struct mrc_target *t, unsigned long addr, bool young);
bool mrc_young_seen(struct mrc_target *t, u32 i);

/* hand.c */
u64 mrc_hand_sweep(struct mrc_target *t, struct mm_struct *mm, u64 want,
		   u64 *evicted);
void mrc_hand_settle(struct mrc_target *t);

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
u64 mrc_reserve(void);
int mrc_plan_make(struct mrc_plan *plan, u64 total, const int *pid,
		  unsigned int pids, struct list_head *targets);
void mrc_plan_free(struct mrc_plan *plan);
struct mm_struct *mrc_target_mm(const struct mrc_target *t);
u64 mrc_target_rss(const struct mrc_target *t);

/* enforce.c */
extern bool mrc_enforced;
extern u64 mrc_suspended;
void mrc_enforce_add(struct mrc_target *t);
void mrc_enforce_forget(struct mrc_target *t);
int mrc_enforce(bool on);

/* division_files.c */
extern const struct attribute_group mrc_division_group;
extern const struct file_operations mrc_plan_fops;

/* debugfs.c */
void mrc_debugfs_init(void);
void mrc_debugfs_exit(void);
void mrc_debugfs_add(struct mrc_target *t);
void mrc_debugfs_remove(struct mrc_target *t);

/* sysfs.c */
int mrc_sysfs_init(void);
void mrc_sysfs_exit(void);

#endif
