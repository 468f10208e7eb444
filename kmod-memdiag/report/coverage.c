// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coverage: how much of the memory was tested within the lifetime of a test,
 * by what the memory is used for. No claim is made without these counts.
 */

#include <linux/debugfs.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/seq_file.h>

#include <memsuite/control.h>

#include "report/coverage.h"
#include "sched/census.h"

static const char * const use_names[MEMDIAG_NR_USES] = {
	"free", "user", "page_cache", "hugetlb", "pinned", "kernel",
};

/* The age that @pct percent of the tests are younger than, in seconds. */
static u64 age_percentile_s(const struct memdiag_census *census,
			    const struct memdiag_use_count *count, unsigned int pct)
{
	u64 seen = 0;
	unsigned int i;

	if (!count->whole)
		return 0;
	for (i = 0; i < MEMDIAG_AGE_BUCKETS - 1; i++) {
		seen += count->ages[i];
		if (seen * 100 >= count->whole * pct)
			break;
	}
	return min_t(u64, DIV_ROUND_UP_ULL((u64)(i + 1) * census->lifetime_s,
					   MEMDIAG_LIFETIME_BUCKETS),
		     count->oldest_s);
}

static u64 tested_pct(const struct memdiag_use_count *count)
{
	return count->pages ? div64_u64(count->tested * 100, count->pages) : 100;
}

#define coverage_attr(use, name, value)					\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	const struct memdiag_census *census = memdiag_census_get();	\
	const struct memdiag_use_count *count;				\
	u64 number;							\
									\
	if (!census)							\
		return -EAGAIN;						\
	count = &census->uses[use];					\
	number = value;							\
	memdiag_census_put();						\
	return sysfs_emit(buf, "%llu\n", number);			\
}									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

#define use_attrs(use, name)						\
coverage_attr(use, name##_pages, count->pages);				\
coverage_attr(use, name##_tested_pages, count->tested);			\
coverage_attr(use, name##_tested_pct, tested_pct(count));		\
coverage_attr(use, name##_partly_tested_pages, count->partly);		\
coverage_attr(use, name##_untested_pages, count->untested);		\
coverage_attr(use, name##_oldest_age_s, count->oldest_s);		\
coverage_attr(use, name##_age_p50_s, age_percentile_s(census, count, 50));	\
coverage_attr(use, name##_age_p99_s, age_percentile_s(census, count, 99))

use_attrs(MEMDIAG_FREE, free);
use_attrs(MEMDIAG_USER, user);
use_attrs(MEMDIAG_PAGE_CACHE, page_cache);
use_attrs(MEMDIAG_HUGETLB, hugetlb);
use_attrs(MEMDIAG_PINNED, pinned);
use_attrs(MEMDIAG_KERNEL, kernel);

static ssize_t counted_age_s_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct memdiag_census *census = memdiag_census_get();
	unsigned long age;

	if (!census)
		return -EAGAIN;
	age = (jiffies - census->end) / HZ;
	memdiag_census_put();
	return sysfs_emit(buf, "%lu\n", age);
}

static struct kobj_attribute counted_age_s_attr = __ATTR_RO(counted_age_s);

#define use_attr_list(name)						\
	&name##_pages_attr.attr, &name##_tested_pages_attr.attr,	\
	&name##_tested_pct_attr.attr,					\
	&name##_partly_tested_pages_attr.attr, &name##_untested_pages_attr.attr,	\
	&name##_oldest_age_s_attr.attr, &name##_age_p50_s_attr.attr,	\
	&name##_age_p99_s_attr.attr

static struct attribute *coverage_attrs[] = {
	use_attr_list(free), use_attr_list(user), use_attr_list(page_cache),
	use_attr_list(hugetlb), use_attr_list(pinned), use_attr_list(kernel),
	&counted_age_s_attr.attr, NULL
};

const struct attribute_group memdiag_coverage_group = {
	.name = "coverage",
	.attrs = coverage_attrs,
	.is_visible = memsuite_attr_admin,	/* reading has all memory counted */
};

/* The picture: how old the tests are, as a bar for each eighth. */
static void show_ages(struct seq_file *file, const struct memdiag_use_count *count,
		      unsigned int lifetime_s)
{
	const unsigned int step = MEMDIAG_LIFETIME_BUCKETS / 8;
	unsigned int i, j, width;
	u64 pages;

	for (i = 0; i < MEMDIAG_AGE_BUCKETS; i += step) {
		for (pages = 0, j = i; j < i + step; j++)
			pages += count->ages[j];
		if (!pages)
			continue;
		width = div64_u64(pages * 50, count->pages);
		seq_printf(file, "  %6u s %10llu ",
			   (unsigned int)div_u64((u64)i * lifetime_s, MEMDIAG_LIFETIME_BUCKETS),
			   pages);
		for (j = 0; j < width; j++)
			seq_putc(file, '#');
		seq_putc(file, '\n');
	}
}

static int coverage_show(struct seq_file *file, void *unused)
{
	const struct memdiag_census *census = memdiag_census_get();
	const struct memdiag_use_count *count;
	int use;

	if (!census)
		return -EAGAIN;
	seq_printf(file, "# pages by use, and how old their tests are; a test is good for %u s\n",
		   census->lifetime_s);
	for (use = 0; use < MEMDIAG_NR_USES; use++) {
		count = &census->uses[use];
		seq_printf(file, "%s: %llu pages, %llu%% tested, %llu partly, %llu untested, oldest %u s\n",
			   use_names[use], count->pages, tested_pct(count),
			   count->partly, count->untested, count->oldest_s);
		show_ages(file, count, census->lifetime_s);
	}
	memdiag_census_put();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(coverage);

void memdiag_coverage_init(struct dentry *debugfs)
{
	debugfs_create_file("coverage", 0400, debugfs, NULL, &coverage_fops);
}
