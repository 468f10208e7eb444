// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coverage: how much of the memory was tested within the lifetime of a test,
 * by what the memory is used for. Nothing is claimed without this account.
 */

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include <compat/compat.h>
#include <memsuite/alloc_stats.h>
#include <memsuite/control.h>

#include "report/coverage.h"
#include "sched/test_lifetime.h"

enum use { FREE, USER, PAGE_CACHE, KERNEL, NR_USES };

static const char * const use_name[NR_USES] = {
	"free", "user", "page_cache", "kernel",
};

/* Ages are sorted by 64ths of the lifetime of a test, up to two of them. */
#define LIFETIME_BUCKETS	64
#define NR_BUCKETS		(2 * LIFETIME_BUCKETS)

/**
 * struct tally - the pages of one use
 * @pages: all of them
 * @tested: those with a test that has not expired
 * @untested: those without one
 * @oldest_s: the age of the oldest test
 * @ages: of those that have one
 */
struct tally {
	u64 pages;
	u64 tested;
	u64 untested;
	unsigned int oldest_s;
	u64 ages[NR_BUCKETS];
};

static struct tally tallies[NR_USES];	/* under tally_lock */
static unsigned int tally_lifetime_s;
static unsigned long tallied;		/* jiffies; 0: never */
static DEFINE_MUTEX(tally_lock);

/* A look without a reference: what is seen may be a moment old. */
static enum use use_of(struct page *page)
{
	struct page *head;

	if (PageBuddy(page) || PageOffline(page))
		return FREE;
	head = compound_head(page);
	if (PageReserved(page) || PageSlab(head))
		return KERNEL;
	/* Inside a free block, or in the lists of a CPU. */
	if (!page_count(head))
		return FREE;
	if (!PageLRU(head))
		return KERNEL;
	return PageAnon(head) ? USER : PAGE_CACHE;
}

static void tally_page(struct tally *tally, unsigned long pfn)
{
	unsigned int age = memsuite_alloc_stats_age_s(pfn), bucket;

	tally->pages++;
	if (age == UINT_MAX) {
		tally->untested++;
		return;
	}
	tally->tested += age < tally_lifetime_s;
	tally->oldest_s = max(tally->oldest_s, age);
	bucket = div_u64((u64)age * LIFETIME_BUCKETS, tally_lifetime_s);
	tally->ages[min_t(unsigned int, bucket, NR_BUCKETS - 1)]++;
}

static void tally_frames(unsigned long pfn, unsigned long nr)
{
	struct page *page = pfn_to_page(pfn);
	unsigned long i;

	for (i = 0; i < nr; i++, page++)
		if (!PageHWPoison(page))
			tally_page(&tallies[use_of(page)], pfn + i);
}

static void tally_memory(void)
{
	unsigned long pfn, end;
	int nid;

	memset(tallies, 0, sizeof(tallies));
	tally_lifetime_s = READ_ONCE(tester_lifetime_s);
	for_each_node_state(nid, N_MEMORY) {
		end = node_end_pfn(nid);
		pfn = ALIGN_DOWN(node_start_pfn(nid), pageblock_nr_pages);
		for (; pfn < end; pfn += pageblock_nr_pages) {
			struct page *page = pfn_to_online_page(pfn);

			if (page && page_to_nid(page) == nid)
				tally_frames(pfn, pageblock_nr_pages);
			cond_resched();
		}
	}
	tallied = jiffies ?: 1;
}

/* Looking at all memory is no small thing: once a second at most. */
static const struct tally *get_tally(enum use use)
{
	if (!tallied || time_after(jiffies, tallied + HZ))
		tally_memory();
	return &tallies[use];
}

/* The age that @pct percent of the tests are younger than, in seconds. */
static u64 age_percentile_s(const struct tally *tally, unsigned int pct)
{
	u64 tests = tally->pages - tally->untested, seen = 0;
	unsigned int i;

	if (!tests)
		return 0;
	for (i = 0; i < NR_BUCKETS - 1; i++) {
		seen += tally->ages[i];
		if (seen * 100 >= tests * pct)
			break;
	}
	return min_t(u64, DIV_ROUND_UP_ULL((u64)(i + 1) * tally_lifetime_s,
					   LIFETIME_BUCKETS),
		     tally->oldest_s);
}

static u64 tested_pct(const struct tally *tally)
{
	return tally->pages ? div64_u64(tally->tested * 100, tally->pages) : 100;
}

#define tally_attr(use, name, value)					\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	const struct tally *tally;					\
	u64 number;							\
									\
	mutex_lock(&tally_lock);					\
	tally = get_tally(use);						\
	number = value;							\
	mutex_unlock(&tally_lock);					\
	return sysfs_emit(buf, "%llu\n", number);			\
}									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

#define use_attrs(use, name)						\
tally_attr(use, name##_pages, tally->pages);				\
tally_attr(use, name##_tested_pages, tally->tested);			\
tally_attr(use, name##_tested_pct, tested_pct(tally));			\
tally_attr(use, name##_untested_pages, tally->untested);		\
tally_attr(use, name##_oldest_age_s, tally->oldest_s);			\
tally_attr(use, name##_age_p50_s, age_percentile_s(tally, 50));		\
tally_attr(use, name##_age_p99_s, age_percentile_s(tally, 99))

use_attrs(FREE, free);
use_attrs(USER, user);
use_attrs(PAGE_CACHE, page_cache);
use_attrs(KERNEL, kernel);

#define use_attr_list(name)						\
	&name##_pages_attr.attr, &name##_tested_pages_attr.attr,	\
	&name##_tested_pct_attr.attr, &name##_untested_pages_attr.attr,	\
	&name##_oldest_age_s_attr.attr, &name##_age_p50_s_attr.attr,	\
	&name##_age_p99_s_attr.attr

static struct attribute *coverage_attrs[] = {
	use_attr_list(free), use_attr_list(user), use_attr_list(page_cache),
	use_attr_list(kernel), NULL
};

const struct attribute_group coverage_group = {
	.name = "coverage",
	.attrs = coverage_attrs,
};

/* The picture: how old the tests are, as a bar for each eighth. */
static void show_ages(struct seq_file *file, const struct tally *tally)
{
	const unsigned int step = LIFETIME_BUCKETS / 8;
	unsigned int i, j, width;
	u64 pages;

	for (i = 0; i < NR_BUCKETS; i += step) {
		for (pages = 0, j = i; j < i + step; j++)
			pages += tally->ages[j];
		if (!pages)
			continue;
		width = div64_u64(pages * 50, tally->pages);
		seq_printf(file, "  %6u s %10llu ",
			   (unsigned int)div_u64((u64)i * tally_lifetime_s,
						 LIFETIME_BUCKETS), pages);
		for (j = 0; j < width; j++)
			seq_putc(file, '#');
		seq_putc(file, '\n');
	}
}

static int coverage_show(struct seq_file *file, void *unused)
{
	const struct tally *tally;
	int use;

	mutex_lock(&tally_lock);
	get_tally(0);
	seq_printf(file, "# pages by use, and how old their tests are; a test is good for %u s\n",
		   tally_lifetime_s);
	for (use = 0; use < NR_USES; use++) {
		tally = &tallies[use];
		seq_printf(file, "%s: %llu pages, %llu%% tested, %llu untested, oldest %u s\n",
			   use_name[use], tally->pages, tested_pct(tally),
			   tally->untested, tally->oldest_s);
		show_ages(file, tally);
	}
	mutex_unlock(&tally_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(coverage);

void coverage_init(struct dentry *debugfs)
{
	debugfs_create_file("coverage", 0444, debugfs, NULL, &coverage_fops);
}
