// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coverage: how much of the memory was tested within the lifetime of a test,
 * by what the memory is used for. No claim is made without these counts.
 */

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/hugetlb.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <compat/poison.h>
#include <memsuite/alloc_stats.h>
#include <memsuite/control.h>

#include "report/coverage.h"
#include "sched/test_lifetime.h"

enum use { FREE, USER, PAGE_CACHE, HUGETLB, PINNED, KERNEL, NR_USES };

static const char * const use_names[NR_USES] = {
	"free", "user", "page_cache", "hugetlb", "pinned", "kernel",
};

/* Ages are sorted by 64ths of the lifetime of a test, up to two of them. */
#define LIFETIME_BUCKETS	64
#define NR_BUCKETS		(2 * LIFETIME_BUCKETS)

/**
 * struct use_coverage - the pages of one use
 * @pages: all of them
 * @tested: those with a whole test that has not expired
 * @partly: those with one that has not, but was less
 * @untested: those without any
 * @oldest_s: the age of the oldest whole test
 * @whole: those that have one
 * @ages: of these
 */
struct use_coverage {
	u64 pages;
	u64 tested;
	u64 partly;
	u64 untested;
	u64 whole;
	unsigned int oldest_s;
	u64 ages[NR_BUCKETS];
};

static struct use_coverage uses[NR_USES];	/* under coverage_lock */
static unsigned int counted_lifetime_s;
static unsigned long counted;		/* jiffies; 0: never */
static DEFINE_MUTEX(coverage_lock);

/* A small page that is pinned has this many references at least. */
static bool use_is_pinned(struct page *head)
{
	bool pinned;

	if (!PageHead(head) && page_count(head) < GUP_PIN_COUNTING_BIAS)
		return false;
	/* Until now it could have become anything. */
	if (!get_page_unless_zero(head))
		return false;
	pinned = !PageTail(head) && memsuite_page_pinned(head);
	put_page(head);
	return pinned;
}

/* Takes no reference, or none for long: the answer may be a moment old. */
static enum use use_of(struct page *page)
{
	struct page *head;

	if (PageBuddy(page) || PageOffline(page))
		return FREE;
	head = compound_head(page);
	if (PageReserved(page) || PageSlab(head))
		return KERNEL;
	/* In use, or in reserve. */
	if (PageHuge(head))
		return HUGETLB;
	/* Inside a free block, or in the lists of a CPU. */
	if (!page_count(head))
		return FREE;
	if (!PageLRU(head))
		return KERNEL;
	if (use_is_pinned(head))
		return PINNED;
	return PageAnon(head) ? USER : PAGE_CACHE;
}

/**
 * struct test_state - the last test of a page
 * @age_s: how long ago; UINT_MAX: there was none
 * @whole: it was a whole one
 */
struct test_state {
	unsigned int age_s;
	bool whole;
};

static struct test_state test_state_of(unsigned long pfn)
{
	return (struct test_state) {
		.age_s = memsuite_alloc_stats_age_s(pfn),
		.whole = memsuite_alloc_stats_whole(pfn),
	};
}

static void coverage_count_pages(struct use_coverage *coverage, struct test_state test,
				 unsigned long nr)
{
	bool good = test.age_s < counted_lifetime_s;
	unsigned int bucket;

	coverage->pages += nr;
	if (test.age_s == UINT_MAX) {
		coverage->untested += nr;
		return;
	}
	if (!test.whole) {
		coverage->partly += good ? nr : 0;
		return;
	}
	coverage->whole += nr;
	coverage->tested += good ? nr : 0;
	coverage->oldest_s = max(coverage->oldest_s, test.age_s);
	bucket = div_u64((u64)test.age_s * LIFETIME_BUCKETS, counted_lifetime_s);
	coverage->ages[min_t(unsigned int, bucket, NR_BUCKETS - 1)] += nr;
}

/*
 * How many pages from one on are of the same use: of a free block, or of a folio. Takes no
 * reference and no lock: the answer may be a moment old.
 */
static unsigned long pages_of_one_use(struct page *page)
{
	unsigned int order = 0;

	if (PageBuddy(page))
		order = READ_ONCE(page->private);
	else if (PageHead(page))
		order = compound_order(page);
	return order <= MEMSUITE_MAX_ORDER ? 1UL << order : 1;
}

/*
 * The pages of a pageblock. What is free, or of one folio, is counted together if all of the
 * block was tested together.
 */
static void coverage_count_block(unsigned long pfn, unsigned long end)
{
	bool uniform = memsuite_alloc_stats_uniform(pfn);
	struct test_state test = test_state_of(pfn);
	unsigned long span;
	struct page *page;

	for (; pfn < end; pfn += span) {
		page = pfn_to_page(pfn);
		span = uniform ? pages_of_one_use(page) : 1;
		if (!uniform)
			test = test_state_of(pfn);
		if (!memsuite_page_is_bad(page))
			coverage_count_pages(&uses[use_of(page)], test, min(span, end - pfn));
	}
}

static void coverage_count_memory(void)
{
	unsigned long pfn, end, next;
	struct page *page;
	int nid;

	memset(uses, 0, sizeof(uses));
	counted_lifetime_s = READ_ONCE(memdiag_test_lifetime_s);
	for_each_node_state(nid, N_MEMORY) {
		end = node_end_pfn(nid);
		pfn = ALIGN_DOWN(node_start_pfn(nid), pageblock_nr_pages);
		for (; pfn < end; pfn = next) {
			next = pfn + pageblock_nr_pages;
			page = pfn_to_online_page(pfn);
			if (page && page_to_nid(page) == nid)
				coverage_count_block(pfn, next);
			cond_resched();
		}
	}
	counted = jiffies ?: 1;
}

/* Looking at all memory is no small thing: once a second at most. */
static const struct use_coverage *coverage_of_use(enum use use)
{
	if (!counted || time_after(jiffies, counted + HZ))
		coverage_count_memory();
	return &uses[use];
}

/* The age that @pct percent of the tests are younger than, in seconds. */
static u64 age_percentile_s(const struct use_coverage *coverage, unsigned int pct)
{
	u64 seen = 0;
	unsigned int i;

	if (!coverage->whole)
		return 0;
	for (i = 0; i < NR_BUCKETS - 1; i++) {
		seen += coverage->ages[i];
		if (seen * 100 >= coverage->whole * pct)
			break;
	}
	return min_t(u64, DIV_ROUND_UP_ULL((u64)(i + 1) * counted_lifetime_s,
					   LIFETIME_BUCKETS),
		     coverage->oldest_s);
}

static u64 tested_pct(const struct use_coverage *coverage)
{
	return coverage->pages ? div64_u64(coverage->tested * 100, coverage->pages) : 100;
}

#define coverage_attr(use, name, value)					\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	const struct use_coverage *coverage;				\
	u64 number;							\
									\
	mutex_lock(&coverage_lock);					\
	coverage = coverage_of_use(use);				\
	number = value;							\
	mutex_unlock(&coverage_lock);					\
	return sysfs_emit(buf, "%llu\n", number);			\
}									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

#define use_attrs(use, name)						\
coverage_attr(use, name##_pages, coverage->pages);			\
coverage_attr(use, name##_tested_pages, coverage->tested);		\
coverage_attr(use, name##_tested_pct, tested_pct(coverage));		\
coverage_attr(use, name##_partly_tested_pages, coverage->partly);	\
coverage_attr(use, name##_untested_pages, coverage->untested);		\
coverage_attr(use, name##_oldest_age_s, coverage->oldest_s);		\
coverage_attr(use, name##_age_p50_s, age_percentile_s(coverage, 50));		\
coverage_attr(use, name##_age_p99_s, age_percentile_s(coverage, 99))

use_attrs(FREE, free);
use_attrs(USER, user);
use_attrs(PAGE_CACHE, page_cache);
use_attrs(HUGETLB, hugetlb);
use_attrs(PINNED, pinned);
use_attrs(KERNEL, kernel);

#define use_attr_list(name)						\
	&name##_pages_attr.attr, &name##_tested_pages_attr.attr,	\
	&name##_tested_pct_attr.attr,					\
	&name##_partly_tested_pages_attr.attr, &name##_untested_pages_attr.attr,	\
	&name##_oldest_age_s_attr.attr, &name##_age_p50_s_attr.attr,	\
	&name##_age_p99_s_attr.attr

static struct attribute *coverage_attrs[] = {
	use_attr_list(free), use_attr_list(user), use_attr_list(page_cache),
	use_attr_list(hugetlb), use_attr_list(pinned), use_attr_list(kernel), NULL
};

const struct attribute_group memdiag_coverage_group = {
	.name = "coverage",
	.attrs = coverage_attrs,
	.is_visible = memsuite_attr_admin,	/* reading walks all memory */
};

/* The picture: how old the tests are, as a bar for each eighth. */
static void show_ages(struct seq_file *file, const struct use_coverage *coverage)
{
	const unsigned int step = LIFETIME_BUCKETS / 8;
	unsigned int i, j, width;
	u64 pages;

	for (i = 0; i < NR_BUCKETS; i += step) {
		for (pages = 0, j = i; j < i + step; j++)
			pages += coverage->ages[j];
		if (!pages)
			continue;
		width = div64_u64(pages * 50, coverage->pages);
		seq_printf(file, "  %6u s %10llu ",
			   (unsigned int)div_u64((u64)i * counted_lifetime_s,
						 LIFETIME_BUCKETS), pages);
		for (j = 0; j < width; j++)
			seq_putc(file, '#');
		seq_putc(file, '\n');
	}
}

static int coverage_show(struct seq_file *file, void *unused)
{
	const struct use_coverage *coverage;
	int use;

	mutex_lock(&coverage_lock);
	coverage_of_use(0);
	seq_printf(file, "# pages by use, and how old their tests are; a test is good for %u s\n",
		   counted_lifetime_s);
	for (use = 0; use < NR_USES; use++) {
		coverage = &uses[use];
		seq_printf(file, "%s: %llu pages, %llu%% tested, %llu partly, %llu untested, oldest %u s\n",
			   use_names[use], coverage->pages, tested_pct(coverage),
			   coverage->partly, coverage->untested, coverage->oldest_s);
		show_ages(file, coverage);
	}
	mutex_unlock(&coverage_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(coverage);

void memdiag_coverage_init(struct dentry *debugfs)
{
	debugfs_create_file("coverage", 0444, debugfs, NULL, &coverage_fops);
}
