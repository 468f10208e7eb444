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
#include "target/group.h"
#include "target/target.h"
#include "target/target_parse.h"

/* Two numbers, and blanks. */
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

static int share_set(int nr, u64 weight, u64 pages)
{
	struct mrc_target *t = mrc_target_find_nr(nr);

	if (!t)
		return -ENOENT;
	WRITE_ONCE(t->share.weight, weight);
	WRITE_ONCE(t->share.min, pages);
	return 0;
}

/* Of its processes, also of those to come. */
static int group_share_set(const struct mrc_target_spec *spec, u64 weight, u64 pages)
{
	struct mrc_group *group = mrc_group_find(spec);

	if (!group)
		return -ENOENT;
	group->weight = weight;
	group->min = pages;
	return 0;
}

/* "TARGET WEIGHT MIN_KIB" */
static int set_parse(char *line, struct mrc_target_spec *spec, u64 *weight, u64 *kib)
{
	char *last = strrchr(line, ' ');
	int err;

	if (!last)
		return -EINVAL;
	*last++ = '\0';
	err = mrc_target_parse_rate(line, spec, weight);
	if (!err)
		err = kstrtou64(last, 10, kib);
	if (!err && (*weight < 1 || *weight > MRC_WEIGHT_MAX || *kib > MRC_KIB_MAX))
		err = -ERANGE;
	return err;
}

static ssize_t set_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	int n;

	mutex_lock(&mrc_targets_lock);
	n = mrc_groups_list_shares(buf);
	mutex_unlock(&mrc_targets_lock);
	return n;
}

static ssize_t set_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count)
{
	char line[MRC_TARGET_TEXT + LINE_MAX];
	struct mrc_target_spec spec;
	u64 weight, kib, pages;
	int err = memsuite_parse_line(buf, count, line, sizeof(line));

	if (!err)
		err = set_parse(line, &spec, &weight, &kib);
	if (err)
		return err;
	pages = kib >> (PAGE_SHIFT - 10);
	mutex_lock(&mrc_targets_lock);
	err = spec.type == MRC_TARGET_PROCESS ? share_set(spec.pid, weight, pages) :
						group_share_set(&spec, weight, pages);
	mutex_unlock(&mrc_targets_lock);
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
static struct kobj_attribute set_attr = __ATTR_RW_MODE(set, 0600);
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

