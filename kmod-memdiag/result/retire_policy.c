// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which of the pages that fail a test are retired. A page that holds wrong
 * values is retired when that is seen, as other tools take it out of use at an
 * uncorrectable error. One that was wrong once, and never in many looks right
 * afterwards, may have been hit by a particle: it is counted, as others count
 * corrected errors, and retired when it happens again.
 *
 * Where very much fails, it is no longer single pages that are bad, and a
 * machine without memory is of no use to anybody: beyond a limit nothing more is
 * retired, or nothing more of that DIMM, and an alarm tells what to replace.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <memsuite/control.h>

#include "result/bad_pages.h"
#include "result/retire_policy.h"

#define THRESHOLD_MAX	1000
#define WINDOW_S	(24 * 3600)
#define WINDOW_MAX_S	(30 * 24 * 3600)

/* Beyond that many, who fails is retired at once. */
#define SUSPECTS_MAX	1024

/* Of all memory. */
#define LIMIT_PART	100
#define LIMIT_LEAST	1024
/* Of a DIMM: a chip has failed, or a row of many banks. */
#define LIMIT_DIMM_PCT	1

/**
 * struct suspect - a page that has failed, and is still in use
 * @link: in suspects, the last found first
 * @pfn: its frame
 * @class: what was found last
 * @findings: how often
 * @first_s: when, seconds since boot
 * @last_s: likewise
 */
struct suspect {
	struct list_head link;
	unsigned long pfn;
	enum memdiag_fault_class class;
	unsigned int findings;
	time64_t first_s;
	time64_t last_s;
};

static LIST_HEAD(suspects);		/* all under policy_lock */
static unsigned int nr_suspects;
static DEFINE_MUTEX(policy_lock);

/* How often a page is found before it is retired; 0: never. */
static unsigned int thresholds[MEMDIAG_NR_CLASSES] = {
	[MEMDIAG_CLASS_UNKNOWN] = 1,
	[MEMDIAG_CLASS_READ_PATH] = 2,
	[MEMDIAG_CLASS_TRANSIENT] = 2,
	[MEMDIAG_CLASS_INTERMITTENT] = 1,
	[MEMDIAG_CLASS_HARD] = 1,
	[MEMDIAG_CLASS_UNCORRECTABLE] = 1,
};

static unsigned int window_s = WINDOW_S;
static u64 limit_pages;			/* 0: none */
static unsigned int limit_dimm_pct = LIMIT_DIMM_PCT;	/* 0: none */

static void suspect_del(struct suspect *suspect)
{
	list_del(&suspect->link);
	nr_suspects--;
	kfree(suspect);
}

static struct suspect *suspect_find(unsigned long pfn)
{
	struct suspect *suspect;

	list_for_each_entry(suspect, &suspects, link)
		if (suspect->pfn == pfn)
			return suspect;
	return NULL;
}

static void suspects_forget_old(time64_t now)
{
	struct suspect *suspect, *next;

	list_for_each_entry_safe(suspect, next, &suspects, link)
		if (now - suspect->first_s > READ_ONCE(window_s))
			suspect_del(suspect);
}

static struct suspect *suspect_get(unsigned long pfn, time64_t now)
{
	struct suspect *suspect;

	suspects_forget_old(now);
	suspect = suspect_find(pfn);
	if (suspect || nr_suspects == SUSPECTS_MAX)
		return suspect;
	suspect = kzalloc(sizeof(*suspect), GFP_KERNEL);
	if (!suspect)
		return NULL;
	suspect->pfn = pfn;
	suspect->first_s = now;
	list_add(&suspect->link, &suspects);
	nr_suspects++;
	return suspect;
}

/* Whether the page has been found as often as its class may be. */
static bool findings_suffice(struct suspect *suspect, enum memdiag_fault_class class)
{
	unsigned int threshold = READ_ONCE(thresholds[class]);

	/* There is no place to count. */
	if (!suspect)
		return threshold;
	return threshold && suspect->findings >= threshold;
}

static bool policy_wants(const struct memdiag_bad_page *bad_page)
{
	time64_t now = ktime_get_seconds();
	struct suspect *suspect = suspect_get(bad_page->pfn, now);

	if (suspect) {
		suspect->class = bad_page->class;
		suspect->findings++;
		suspect->last_s = now;
	}
	if (!findings_suffice(suspect, bad_page->class) || memdiag_bad_pages_refuse(bad_page))
		return false;
	if (suspect)
		suspect_del(suspect);
	return true;
}

bool memdiag_retire_policy_wants(const struct memdiag_bad_page *bad_page)
{
	bool wanted;

	mutex_lock(&policy_lock);
	wanted = policy_wants(bad_page);
	mutex_unlock(&policy_lock);
	if (!wanted)
		pr_warn_ratelimited("0x%llx has failed a test (%s), and stays in use: see memdiag/retire_policy\n",
				    bad_page->address, memdiag_classify_name(bad_page->class));
	return wanted;
}

bool memdiag_retire_policy_suspects(unsigned long pfn)
{
	bool suspected;

	mutex_lock(&policy_lock);
	suspects_forget_old(ktime_get_seconds());
	suspected = suspect_find(pfn);
	mutex_unlock(&policy_lock);
	return suspected;
}

static unsigned int suspects_count(void)
{
	unsigned int nr;

	mutex_lock(&policy_lock);
	suspects_forget_old(ktime_get_seconds());
	nr = nr_suspects;
	mutex_unlock(&policy_lock);
	return nr;
}

static int limit_set(u64 pages)
{
	mutex_lock(&policy_lock);
	WRITE_ONCE(limit_pages, pages);
	memdiag_bad_pages_set_limits(limit_pages, limit_dimm_pct);
	mutex_unlock(&policy_lock);
	return 0;
}

static int limit_dimm_set(u64 pct)
{
	mutex_lock(&policy_lock);
	WRITE_ONCE(limit_dimm_pct, pct);
	memdiag_bad_pages_set_limits(limit_pages, limit_dimm_pct);
	mutex_unlock(&policy_lock);
	return 0;
}

MEMSUITE_ATTR_NUMBER(read_path_threshold, thresholds[MEMDIAG_CLASS_READ_PATH], 0, THRESHOLD_MAX);
MEMSUITE_ATTR_NUMBER(transient_threshold, thresholds[MEMDIAG_CLASS_TRANSIENT], 0, THRESHOLD_MAX);
MEMSUITE_ATTR_NUMBER(intermittent_threshold, thresholds[MEMDIAG_CLASS_INTERMITTENT], 0,
		     THRESHOLD_MAX);
MEMSUITE_ATTR_NUMBER(hard_threshold, thresholds[MEMDIAG_CLASS_HARD], 0, THRESHOLD_MAX);
MEMSUITE_ATTR_NUMBER(window_s, window_s, 1, WINDOW_MAX_S);
MEMSUITE_ATTR_NUMBER_SET(limit_pages, READ_ONCE(limit_pages), limit_set, 0, U64_MAX);
MEMSUITE_ATTR_NUMBER_SET(limit_dimm_pct, READ_ONCE(limit_dimm_pct), limit_dimm_set, 0, 100);
MEMSUITE_ATTR_NUMBER_RO(suspect_count, suspects_count());
MEMSUITE_ATTR_NUMBER_RO(alarm, !!memdiag_bad_pages_alarm_count());

static ssize_t alarms_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return memdiag_bad_pages_alarms(buf);
}

static struct kobj_attribute alarms_attr = __ATTR_RO(alarms);

static struct attribute *retire_policy_attrs[] = {
	&read_path_threshold_attr.attr, &transient_threshold_attr.attr,
	&intermittent_threshold_attr.attr, &hard_threshold_attr.attr, &window_s_attr.attr,
	&limit_pages_attr.attr, &limit_dimm_pct_attr.attr, &suspect_count_attr.attr,
	&alarm_attr.attr, &alarms_attr.attr, NULL
};

const struct attribute_group memdiag_retire_policy_group = {
	.name = "retire_policy",
	.attrs = retire_policy_attrs,
};

static int suspects_show(struct seq_file *file, void *unused)
{
	time64_t now = ktime_get_seconds();
	struct suspect *suspect;

	seq_puts(file, "# pfn class findings first_age_s last_age_s\n");
	mutex_lock(&policy_lock);
	suspects_forget_old(now);
	list_for_each_entry(suspect, &suspects, link)
		seq_printf(file, "0x%lx %s %u %lld %lld\n", suspect->pfn,
			   memdiag_classify_name(suspect->class), suspect->findings,
			   now - suspect->first_s, now - suspect->last_s);
	mutex_unlock(&policy_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(suspects);

void memdiag_retire_policy_init(struct dentry *debugfs)
{
	limit_set(max_t(u64, totalram_pages() / LIMIT_PART, LIMIT_LEAST));
	debugfs_create_file("suspects", 0400, debugfs, NULL, &suspects_fops);
}

void memdiag_retire_policy_exit(void)
{
	struct suspect *suspect, *next;

	list_for_each_entry_safe(suspect, next, &suspects, link)
		suspect_del(suspect);
}
