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

#include "admin/division_sysfs.h"
#include "curve/division.h"
#include "divide/enforce.h"
#include "divide/guard.h"
#include "divide/plan.h"
#include "target/target.h"

#define LINE_MAX	64

static const char *const utilities[] = {
	[MRC_UTILITY_RATIO] = "ratio",
	[MRC_UTILITY_MISSES] = "misses",
	[MRC_UTILITY_TIME] = "time",
};

static ssize_t utility_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%s\n", utilities[READ_ONCE(mrc_division_tunables.utility)]);
}

static ssize_t utility_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *buf, size_t count)
{
	int i = sysfs_match_string(utilities, buf);

	if (i < 0)
		return i;
	WRITE_ONCE(mrc_division_tunables.utility, i);
	return count;
}

static const char *const guard_phases[] = {
	[MRC_GUARD_WATCH] = "watch",
	[MRC_GUARD_TRIAL] = "trial",
	[MRC_GUARD_UNDONE] = "undone",
};

static ssize_t guard_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%s\n", guard_phases[READ_ONCE(mrc_enforce_guard.phase)]);
}

static int share_set(int nr, u64 weight, u64 min_kib)
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
	    number[1] > MRC_WEIGHT_MAX || number[2] > MRC_KIB_MAX)
		return -ERANGE;
	err = share_set(number[0], number[1], number[2]);
	return err ?: count;
}

static struct mrc_share_counts counts_of_all(void)
{
	struct mrc_share_counts all;

	mutex_lock(&mrc_targets_lock);
	mrc_targets_count(&all);
	mutex_unlock(&mrc_targets_lock);
	return all;
}

MEMSUITE_ATTR_SWITCH(enforce, READ_ONCE(mrc_enforced), mrc_enforce_switch);
MEMSUITE_ATTR_NUMBER(total_kib, mrc_division_tunables.total_kib, 0, MRC_KIB_MAX);
MEMSUITE_ATTR_NUMBER(reserve_kib, mrc_division_tunables.reserve_kib, 0, MRC_KIB_MAX);
MEMSUITE_ATTR_NUMBER(unit_kib, mrc_division_tunables.unit_kib, 4, 1 << 20);
MEMSUITE_ATTR_NUMBER(miss_us, mrc_division_tunables.miss_us, 1, 1000000);
MEMSUITE_ATTR_NUMBER(interval_ms, mrc_division_tunables.interval_ms, 10, 60000);
MEMSUITE_ATTR_NUMBER(pressure_pct, mrc_division_tunables.pressure_pct, 1, 100);
static struct kobj_attribute utility_attr = __ATTR_RW(utility);
static struct kobj_attribute set_attr = __ATTR_WO(set);
MEMSUITE_ATTR_NUMBER_RO(evicted_pages, counts_of_all().evicted);
MEMSUITE_ATTR_NUMBER_RO(replaced_pages, counts_of_all().replaced);
MEMSUITE_ATTR_NUMBER_RO(refused_shared_pages, counts_of_all().refused_shared);
MEMSUITE_ATTR_NUMBER_RO(refused_busy_pages, counts_of_all().refused_busy);
MEMSUITE_ATTR_NUMBER_RO(suspended, READ_ONCE(mrc_enforce_suspended));
MEMSUITE_ATTR_NUMBER_RO(undone, READ_ONCE(mrc_enforce_guard.undone));
static struct kobj_attribute guard_attr = __ATTR_RO(guard);

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
	&undone_attr.attr,
	&guard_attr.attr,
	NULL
};

const struct attribute_group mrc_division_group = {
	.name = "division",
	.attrs = division_attrs,
};

