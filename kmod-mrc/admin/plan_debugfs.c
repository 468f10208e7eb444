// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/memsuite/mrc/plan: what would come of dividing memory now, or so
 * much of it among some targets.
 */

#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <compat/compat.h>

#include "admin/plan_debugfs.h"
#include "curve/curve.h"
#include "curve/division.h"
#include "divide/plan.h"
#include "target/target.h"

/**
 * struct question - what a reader of the plan has asked
 * @total: pages to divide; 0: as it is set
 * @n: number of targets that it is for; 0: all
 * @pid: these
 */
struct question {
	u64 total;
	unsigned int n;
	int pid[MRC_TARGETS_MAX];
};

static void plan_show_line(struct seq_file *m, const struct mrc_target *t,
			   const struct mrc_claim *c)
{
	u64 rss = mrc_target_rss(t);
	u64 now = mrc_rate_at(c->rate, c->full, rss);
	u64 then = mrc_rate_at(c->rate, c->full, c->pages);

	seq_printf(m, "%d %u %llu %llu %llu %llu %llu.%03llu %llu.%03llu\n",
		   t->nr, t->share.weight, t->share.min, rss, c->full, c->pages,
		   now / MRC_RATE, now % MRC_RATE,
		   then / MRC_RATE, then % MRC_RATE);
}

static int plan_show(struct seq_file *m, void *unused)
{
	struct question *q = m->private;
	struct mrc_plan plan;
	unsigned int i;
	int err;

	mutex_lock(&mrc_targets_lock);
	err = mrc_plan_make(&plan, q->total, q->pid, q->n);
	if (!err) {
		seq_puts(m, "# pid weight min_pages resident_pages full_pages share_pages misses_per_s_now misses_per_s\n");
		for (i = 0; i < plan.n; i++)
			plan_show_line(m, plan.target[i], &plan.claim[i]);
		mrc_plan_free(&plan);
	}
	mutex_unlock(&mrc_targets_lock);
	return err;
}

static int plan_open(struct inode *inode, struct file *file)
{
	struct question *q = kzalloc(sizeof(*q), GFP_KERNEL);
	int err = q ? single_open(file, plan_show, q) : -ENOMEM;

	if (err)
		kfree(q);
	return err;
}

static int plan_release(struct inode *inode, struct file *file)
{
	kfree(((struct seq_file *)file->private_data)->private);
	return single_release(inode, file);
}

static int question_parse(struct question *q, char *text)
{
	char *word = strsep(&text, " ");
	u64 kib = 0;
	int err = kstrtou64(word, 10, &kib);

	if (!err && kib > MRC_KIB_MAX)
		err = -ERANGE;
	q->total = kib >> (PAGE_SHIFT - 10);
	for (q->n = 0; !err && (word = strsep(&text, " ")); q->n++) {
		if (q->n == MRC_TARGETS_MAX)
			return -E2BIG;
		err = kstrtoint(word, 10, &q->pid[q->n]);
	}
	return err;
}

static ssize_t plan_write(struct file *file, const char __user *from,
			  size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	struct question *question;
	char *text;
	int err = -ENOMEM;

	if (count >= PAGE_SIZE)
		return -E2BIG;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	question = kzalloc(sizeof(*question), GFP_KERNEL);
	if (question)
		err = question_parse(question, strim(text));
	if (!err) {
		/* The same lock as of a read, which may be under way. */
		mutex_lock(&m->lock);
		memcpy(m->private, question, sizeof(*question));
		mutex_unlock(&m->lock);
	}
	kfree(question);
	kfree(text);
	return err ?: count;
}

const struct file_operations mrc_plan_fops = {
	.owner = THIS_MODULE,
	.open = plan_open,
	.read = seq_read,
	.write = plan_write,
	.llseek = seq_lseek,
	.release = plan_release,
};
