// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/debug/memsuite/mrc: each target's curve and statistics. */

#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "mrc.h"

static struct dentry *root;

static int curve_show(struct seq_file *m, void *unused)
{
	struct mrc_target *t = m->private;
	struct mrc_line line;
	unsigned int i;
	u64 total;

	seq_puts(m, "# pages misses_per_s miss_ratio low high\n");
	mutex_lock(&t->lock);
	total = t->stats.resident_pages + t->stats.swapped_pages;
	for (i = 0; mrc_curve_line(&t->curve, i, total, &line); i++)
		seq_printf(m, "%llu %llu.%03llu %u.%04u %u.%04u %u.%04u\n",
			   line.pages, line.rate / MRC_RATE,
			   line.rate % MRC_RATE,
			   line.ratio / MRC_RATIO, line.ratio % MRC_RATIO,
			   line.low / MRC_RATIO, line.low % MRC_RATIO,
			   line.high / MRC_RATIO, line.high % MRC_RATIO);
	mutex_unlock(&t->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(curve);

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
};

static int stats_show(struct seq_file *m, void *unused)
{
	struct mrc_target *t = m->private;
	unsigned int i;

	BUILD_BUG_ON(sizeof(struct mrc_stats) != ARRAY_SIZE(stats) * sizeof(u64));
	mutex_lock(&t->lock);
	for (i = 0; i < ARRAY_SIZE(stats); i++)
		seq_printf(m, "%s %llu\n", stats[i].name,
			   *(u64 *)((char *)&t->stats + stats[i].offset));
	mutex_unlock(&t->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

/**
 * mrc_debugfs_add() - make the directory of a target
 * @t: the target
 */
void mrc_debugfs_add(struct mrc_target *t)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", t->nr);
	t->dir = debugfs_create_dir(name, root);
	debugfs_create_file("curve", 0400, t->dir, t, &curve_fops);
	debugfs_create_file("stats", 0400, t->dir, t, &stats_fops);
}

/**
 * mrc_debugfs_remove() - remove it; waits for those who are reading
 * @t: the target
 */
void mrc_debugfs_remove(struct mrc_target *t)
{
	debugfs_remove_recursive(t->dir);
}

/**
 * mrc_debugfs_init() - make the directory of the module
 */
void mrc_debugfs_init(void)
{
	root = ms_debugfs_add("mrc");
	debugfs_create_file("plan", 0600, root, NULL, &mrc_plan_fops);
}

/**
 * mrc_debugfs_exit() - remove it
 */
void mrc_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}
