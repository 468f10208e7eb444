// SPDX-License-Identifier: GPL-2.0-only
/*
 * memdiag/range: the test of a range that an administrator asks for, in the shape of the
 * kernel's in-field scan: run_test, status, details.
 */

#include <linux/ktime.h>
#include <linux/mm.h>

#include <memsuite/control.h>
#include <memsuite/region.h>

#include "paths/range_test.h"
#include "report/range_sysfs.h"

static struct memdiag_range_test test = MEMDIAG_RANGE_TEST(test);

static const char * const status_name[] = {
	[MEMDIAG_RANGE_UNTESTED] = "untested",
	[MEMDIAG_RANGE_RUNNING] = "running",
	[MEMDIAG_RANGE_PASS] = "pass",
	[MEMDIAG_RANGE_FAIL] = "fail",
	[MEMDIAG_RANGE_PARTIAL] = "partial",
	[MEMDIAG_RANGE_CANCELLED] = "cancelled",
};

void memdiag_range_stop(void)
{
	memdiag_range_test_stop(&test);
}

static ssize_t run_test_store(struct kobject *kobj, struct kobj_attribute *attr,
			      const char *buf, size_t count)
{
	char line[64];
	u64 from, to;
	int err;

	err = memsuite_parse_line(buf, count, line, sizeof(line));
	if (err)
		return err == -E2BIG ? -EINVAL : err;
	err = memsuite_parse_range(line, &from, &to);
	if (err)
		return err;
	err = memdiag_range_test_begin(&test, from, to);
	return err ?: count;
}

static int range_cancel(u64 unused)
{
	memdiag_range_stop();
	return 0;
}

MEMSUITE_ATTR_COMMAND(cancel, range_cancel, 1, 1);

static ssize_t status_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n", status_name[memdiag_range_test_status(&test)]);
}

static ssize_t range_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "0x%llx-0x%llx\n", (u64)PFN_PHYS(test.start),
			  (u64)PFN_PHYS(test.end));
}

static unsigned long range_pages_done(void)
{
	return READ_ONCE(test.pfn) - test.start;
}

static ssize_t progress_pct_show(struct kobject *kobj,
				 struct kobj_attribute *attr, char *buf)
{
	unsigned long all = test.end - test.start;

	return sysfs_emit(buf, "%lu\n", all ? range_pages_done() * 100 / all : 0);
}

static ssize_t eta_s_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	unsigned long done = range_pages_done();
	u64 eta = 0;

	if (memdiag_range_test_status(&test) == MEMDIAG_RANGE_RUNNING && done)
		eta = ktime_ms_delta(ktime_get(), test.begun) *
		      (test.end - test.start - done) / done / MSEC_PER_SEC;
	return sysfs_emit(buf, "%llu\n", eta);
}

MEMSUITE_ATTR_NUMBER_RO(tested_pages, READ_ONCE(test.tested));
MEMSUITE_ATTR_NUMBER_RO(untested_pages, READ_ONCE(test.untested));
MEMSUITE_ATTR_NUMBER_RO(bad_pages, READ_ONCE(test.bad));

static struct kobj_attribute run_test_attr = __ATTR_WO(run_test);
static struct kobj_attribute status_attr = __ATTR_RO(status);
static struct kobj_attribute range_attr = __ATTR_RO_MODE(range, 0400);
static struct kobj_attribute progress_pct_attr = __ATTR_RO(progress_pct);
static struct kobj_attribute eta_s_attr = __ATTR_RO(eta_s);

static struct attribute *range_attrs[] = {
	&run_test_attr.attr, &cancel_attr.attr, &status_attr.attr,
	&range_attr.attr, &progress_pct_attr.attr, &eta_s_attr.attr,
	&tested_pages_attr.attr, &untested_pages_attr.attr,
	&bad_pages_attr.attr, NULL
};

const struct attribute_group memdiag_range_group = {
	.name = "range",
	.attrs = range_attrs,
};
