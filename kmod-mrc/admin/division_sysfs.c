// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/memsuite/mrc/division, which is documented in
 * Documentation/ABI/testing/sysfs-kernel-memsuite-mrc, and what would come of
 * it: /sys/kernel/debug/memsuite/mrc/plan.
 */

#include <linux/bits.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/uaccess.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "mrc.h"

#define LINE_MAX	64
#define KIB_MAX		BIT_ULL(42)

static const char *const utilities[] = {
	[MRC_UTILITY_RATIO] = "ratio",
	[MRC_UTILITY_MISSES] = "misses",
	[MRC_UTILITY_TIME] = "time",
};

static ssize_t utility_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%s\n", utilities[READ_ONCE(mrc_division.utility)]);
}

static ssize_t utility_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *buf, size_t count)
{
	int i = sysfs_match_string(utilities, buf);

	if (i < 0)
		return i;
	WRITE_ONCE(mrc_division.utility, i);
	return count;
}

static int set(int nr, u64 weight, u64 min_kib)
{
	struct mrc_target *t;
	int err = -ENOENT;

	mutex_lock(&mrc_targets_lock);
	list_for_each_entry(t, &mrc_targets, link)
		if (t->nr == nr) {
			WRITE_ONCE(t->share.weight, weight);
			WRITE_ONCE(t->share.min, min_kib >> (PAGE_SHIFT - 10));
			err = 0;
		}
	mutex_unlock(&mrc_targets_lock);
	return err;
}

static ssize_t set_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count)
{
	char line[LINE_MAX], *rest = line, *word;
	u64 number[3];
	unsigned int n = 0;
	int err = memsuite_parse_line(buf, count, line, sizeof(line));

	while (!err && (word = strsep(&rest, " "))) {
		if (n == ARRAY_SIZE(number))
			return -EINVAL;
		err = kstrtou64(word, 10, &number[n++]);
	}
	if (err)
		return err;
	if (n != ARRAY_SIZE(number))
		return -EINVAL;
	if (number[0] > PID_MAX_LIMIT || number[1] < 1 ||
	    number[1] > MRC_WEIGHT_MAX || number[2] > KIB_MAX)
		return -ERANGE;
	err = set(number[0], number[1], number[2]);
	return err ?: count;
}

/* Sum of a count of all targets. */
#define SUM(field) ({							\
	struct mrc_target *__t;						\
	u64 __sum = 0;							\
									\
	mutex_lock(&mrc_targets_lock);					\
	list_for_each_entry(__t, &mrc_targets, link)			\
		__sum += READ_ONCE(__t->share.field);			\
	mutex_unlock(&mrc_targets_lock);				\
	__sum;								\
})

MEMSUITE_ATTR_SWITCH(enforce, READ_ONCE(mrc_enforced), mrc_enforce);
MEMSUITE_ATTR_NUMBER(total_kib, mrc_division.total_kib, 0, KIB_MAX);
MEMSUITE_ATTR_NUMBER(reserve_kib, mrc_division.reserve_kib, 0, KIB_MAX);
MEMSUITE_ATTR_NUMBER(unit_kib, mrc_division.unit_kib, 4, 1 << 20);
MEMSUITE_ATTR_NUMBER(miss_us, mrc_division.miss_us, 1, 1000000);
MEMSUITE_ATTR_NUMBER(interval_ms, mrc_division.interval_ms, 10, 60000);
MEMSUITE_ATTR_NUMBER(pressure_pct, mrc_division.pressure_pct, 1, 100);
static struct kobj_attribute utility_attr = __ATTR_RW(utility);
static struct kobj_attribute set_attr = __ATTR_WO(set);
MEMSUITE_ATTR_NUMBER_RO(evicted_pages, SUM(evicted));
MEMSUITE_ATTR_NUMBER_RO(replaced_pages, SUM(replaced));
MEMSUITE_ATTR_NUMBER_RO(refused_shared_pages, SUM(refused_shared));
MEMSUITE_ATTR_NUMBER_RO(refused_busy_pages, SUM(refused_busy));
MEMSUITE_ATTR_NUMBER_RO(suspended, READ_ONCE(mrc_suspended));

static struct attribute *division_attrs[] = {
	&enforce_attr.attr,
	&total_kib_attr.attr,
	&reserve_kib_attr.attr,
	&unit_kib_attr.attr,
	&utility_attr.attr,
	&miss_us_attr.attr,
	&interval_ms_attr.attr,
	&pressure_pct_attr.attr,
	&set_attr.attr,
	&evicted_pages_attr.attr,
	&replaced_pages_attr.attr,
	&refused_shared_pages_attr.attr,
	&refused_busy_pages_attr.attr,
	&suspended_attr.attr,
	NULL
};

const struct attribute_group mrc_division_group = {
	.name = "division",
	.attrs = division_attrs,
};

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

static void show_line(struct seq_file *m, const struct mrc_target *t,
		      const struct mrc_claim *c)
{
	u64 rss = mrc_target_rss(t);
	u64 now = mrc_rate_at(c->rate, c->full, rss);
	u64 then = mrc_rate_at(c->rate, c->full, c->pages);

	seq_printf(m, "%d %u %llu %llu %llu %llu %llu.%03llu %llu.%03llu\n",
		   t->nr, c->weight, c->min, rss, c->full, c->pages,
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
			show_line(m, plan.target[i], &plan.claim[i]);
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

static int parse(struct question *q, char *text)
{
	char *word = strsep(&text, " ");
	u64 kib;
	int err = kstrtou64(word, 10, &kib);

	if (!err && kib > KIB_MAX)
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
	char *text;
	int err;

	if (count >= PAGE_SIZE)
		return -E2BIG;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	/* The same lock as of a read, which may be under way. */
	mutex_lock(&m->lock);
	err = parse(m->private, strim(text));
	mutex_unlock(&m->lock);
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
