// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/debug/memsuite/mrc: what is known of each process and group. */

#include <linux/debugfs.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "admin/plan_debugfs.h"
#include "admin/target_debugfs.h"
#include "curve/compose.h"
#include "curve/curve.h"
#include "curve/sample.h"
#include "target/group.h"
#include "target/group_sum.h"
#include "target/target.h"
#include "target/target_parse.h"
#include "target/target_stats.h"

static struct dentry *root;

/* Of what it gives back and touches again, a program may have little at a time. */
static u64 total_pages(const struct mrc_stats *stats)
{
	return max(stats->resident_pages + stats->swapped_pages,
		   stats->samples);
}

static void show_curve(struct seq_file *m, const struct mrc_curve *curve,
		       const struct mrc_stats *stats)
{
	u64 total = total_pages(stats);
	struct mrc_line line;
	unsigned int i;

	seq_puts(m, "# pages misses_per_s miss_ratio low high\n");
	for (i = 0; mrc_curve_line(curve, i, total, &line); i++)
		seq_printf(m, "%llu %llu.%03llu %u.%06u %u.%06u %u.%06u\n",
			   line.pages, line.rate / MRC_RATE,
			   line.rate % MRC_RATE,
			   line.ratio / MRC_RATIO, line.ratio % MRC_RATIO,
			   line.low / MRC_RATIO, line.low % MRC_RATIO,
			   line.high / MRC_RATIO, line.high % MRC_RATIO);
}

static int curve_show(struct seq_file *m, void *unused)
{
	struct mrc_target *t = m->private;

	mutex_lock(&t->lock);
	show_curve(m, &t->curve, &t->stats);
	mutex_unlock(&t->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(curve);

static void show_accesses(struct seq_file *m, const struct mrc_curve *curve)
{
	const char *source = curve->accesses ? "written" :
			     curve->sampled ? "samples" : "touches";

	seq_puts(m, "# per_s source\n");
	seq_printf(m, "%llu %s\n",
		   div_u64(mrc_curve_accesses(curve), MRC_RATE), source);
}

static int accesses_show(struct seq_file *m, void *unused)
{
	struct mrc_target *t = m->private;

	mutex_lock(&t->lock);
	show_accesses(m, &t->curve);
	mutex_unlock(&t->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(accesses);

/* By each time scale that was observed. */
static void show_wss(struct seq_file *m, const struct mrc_compose *compose,
		     const struct mrc_stats *stats)
{
	unsigned int i;

	seq_puts(m, "# us pages\n");
	for (i = 0; i < mrc_times_within(stats->horizon_us); i++)
		seq_printf(m, "%llu %llu\n", mrc_time(i),
			   mrc_compose_at(compose, mrc_time(i)));
}

static int wss_show(struct seq_file *m, void *unused)
{
	struct mrc_compose *compose = kvmalloc(sizeof(*compose), GFP_KERNEL);
	struct mrc_target *t = m->private;

	if (!compose)
		return -ENOMEM;
	mrc_compose_begin(compose);
	mutex_lock(&t->lock);
	mrc_compose_add(compose, t->curve.rate);
	show_wss(m, compose, &t->stats);
	mutex_unlock(&t->lock);
	kvfree(compose);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(wss);

static int pages_show(struct seq_file *m, void *unused)
{
	struct mrc_target *t = m->private;
	u32 i;

	seq_puts(m, "# address kind seen_us\n");
	mutex_lock(&t->lock);
	for (i = 0; i < t->sample.n; i++) {
		const struct mrc_entry *e = &t->sample.entry[i];

		seq_printf(m, "0x%lx %s %llu\n", e->addr,
			   mrc_entry_kind(e) == MRC_HUGE ? "huge" : "base",
			   READ_ONCE(e->seen_by));
	}
	mutex_unlock(&t->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(pages);

#define STAT(name) { #name, offsetof(struct mrc_stats, name) }
static const struct {
	const char *name;
	size_t offset;
} stats[] = {
	STAT(enabled_ns),
	STAT(cpu_ns),
	STAT(ladders),
	STAT(ladders_skipped),
	STAT(rungs_skipped),
	STAT(enumerations),
	STAT(pte_reads),
	STAT(pte_clears),
	STAT(tlb_flushes),
	STAT(execs),
	STAT(shadow_young),
	STAT(shadow_returned),
	STAT(samples),
	STAT(samples_huge),
	STAT(samples_absent),
	STAT(samples_censored),
	STAT(pages_per_sample),
	STAT(resident_pages),
	STAT(huge_pages),
	STAT(swapped_pages),
	STAT(ladder_us),
	STAT(period_us),
	STAT(horizon_us),
	STAT(floor_us),
	STAT(floor_pages),
	STAT(touches_per_s),
	STAT(wss_pages),
	STAT(wss_10ms_pages),
	STAT(wss_100ms_pages),
	STAT(wss_1s_pages),
	STAT(epochs),
	STAT(epochs_skipped),
	STAT(protections),
	STAT(protection_faults),
	STAT(protection_off),
	STAT(faults_lost),
	STAT(restored),
	STAT(protected_pages),
	STAT(scan_pages),
	STAT(stuck_pages),
};

static void show_stats(struct seq_file *m, const struct mrc_stats *values)
{
	unsigned int i;

	BUILD_BUG_ON(sizeof(*values) != ARRAY_SIZE(stats) * sizeof(u64));
	for (i = 0; i < ARRAY_SIZE(stats); i++)
		seq_printf(m, "%s %llu\n", stats[i].name,
			   *(const u64 *)((const char *)values +
					  stats[i].offset));
}

static int stats_show(struct seq_file *m, void *unused)
{
	struct mrc_target *t = m->private;

	mutex_lock(&t->lock);
	show_stats(m, &t->stats);
	mutex_unlock(&t->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

/* The same of a group: @show gets its sum. */
static int show_sum(struct seq_file *m,
		    void (*show)(struct seq_file *m, struct mrc_sum *sum))
{
	struct mrc_sum *sum = mrc_group_sum(m->private);

	if (!sum)
		return -ENOMEM;
	show(m, sum);
	kvfree(sum);
	return 0;
}

static void sum_curve(struct seq_file *m, struct mrc_sum *sum)
{
	show_curve(m, &sum->curve, &sum->stats);
}

static int group_curve_show(struct seq_file *m, void *unused)
{
	return show_sum(m, sum_curve);
}
DEFINE_SHOW_ATTRIBUTE(group_curve);

static void sum_accesses(struct seq_file *m, struct mrc_sum *sum)
{
	show_accesses(m, &sum->curve);
}

static int group_accesses_show(struct seq_file *m, void *unused)
{
	return show_sum(m, sum_accesses);
}
DEFINE_SHOW_ATTRIBUTE(group_accesses);

static void sum_wss(struct seq_file *m, struct mrc_sum *sum)
{
	show_wss(m, &sum->compose, &sum->stats);
}

static int group_wss_show(struct seq_file *m, void *unused)
{
	return show_sum(m, sum_wss);
}
DEFINE_SHOW_ATTRIBUTE(group_wss);

static void sum_stats(struct seq_file *m, struct mrc_sum *sum)
{
	struct mrc_group *group = m->private;

	show_stats(m, &sum->stats);
	seq_printf(m, "processes %llu\n", group->seen);
	seq_printf(m, "processes_tracked %llu\n", group->tracked);
	seq_printf(m, "processes_measured %llu\n", sum->measured);
	seq_printf(m, "untracked_pages %llu\n",
		   group->seen_pages - min(group->seen_pages,
					   group->tracked_pages));
}

static int group_stats_show(struct seq_file *m, void *unused)
{
	return show_sum(m, sum_stats);
}
DEFINE_SHOW_ATTRIBUTE(group_stats);

static int processes_show(struct seq_file *m, void *unused)
{
	struct mrc_group *group = m->private;
	struct mrc_target *t;

	seq_puts(m, "# pid pages\n");
	mutex_lock(&mrc_targets_lock);
	list_for_each_entry(t, &mrc_targets, link)
		if (t->groups & BIT(group->slot))
			seq_printf(m, "%d %llu\n", t->nr, t->pages);
	mutex_unlock(&mrc_targets_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(processes);

/**
 * mrc_debugfs_add() - make the directory of a process
 * @t: the target
 */
void mrc_debugfs_add(struct mrc_target *t)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", t->nr);
	t->dir = debugfs_create_dir(name, root);
	debugfs_create_file("curve", 0400, t->dir, t, &curve_fops);
	debugfs_create_file("stats", 0400, t->dir, t, &stats_fops);
	debugfs_create_file("accesses", 0400, t->dir, t, &accesses_fops);
	debugfs_create_file("wss", 0400, t->dir, t, &wss_fops);
	debugfs_create_file("pages", 0400, t->dir, t, &pages_fops);
}

/**
 * mrc_debugfs_add_group() - make the directory of a group
 * @group: the group
 */
void mrc_debugfs_add_group(struct mrc_group *group)
{
	char name[MRC_TARGET_DIRNAME];

	mrc_target_dirname(&group->spec, name);
	group->dir = debugfs_create_dir(name, root);
	debugfs_create_file("curve", 0400, group->dir, group, &group_curve_fops);
	debugfs_create_file("stats", 0400, group->dir, group, &group_stats_fops);
	debugfs_create_file("accesses", 0400, group->dir, group,
			    &group_accesses_fops);
	debugfs_create_file("wss", 0400, group->dir, group, &group_wss_fops);
	debugfs_create_file("processes", 0400, group->dir, group,
			    &processes_fops);
}

/**
 * mrc_debugfs_remove() - remove a directory; waits for those who are reading
 * @dir: the directory
 *
 * Hold no lock that those take.
 */
void mrc_debugfs_remove(struct dentry *dir)
{
	debugfs_remove_recursive(dir);
}

/**
 * mrc_debugfs_init() - make the directory of the module
 */
void mrc_debugfs_init(void)
{
	root = memsuite_debugfs_add("mrc");
	debugfs_create_file("plan", 0600, root, NULL, &mrc_plan_fops);
}

/**
 * mrc_debugfs_exit() - remove it
 */
void mrc_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}
