// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/memsuite/vipzone/accesses */

#include <linux/string.h>

#include <memsuite/control.h>

#include "admin/access_sysfs.h"
#include "policy/policy.h"
#include "steer/access_charge.h"

static const char * const source_names[] = {
	[VIPZONE_SOURCE_TOUCHES] = "touches",
	[VIPZONE_SOURCE_PMU] = "pmu",
};

static ssize_t read_event_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	return memsuite_perf_event_show(&vipzone_counter_events.event[VIPZONE_ACCESS_READ], buf);
}

static ssize_t event_store(const char *buf, size_t count, enum vipzone_access_kind kind)
{
	struct memsuite_perf_event event;
	int err = memsuite_perf_event_store(buf, count, &event);

	if (!err)
		err = vipzone_charge_set_event(kind, &event);
	return err ?: count;
}

static ssize_t read_event_store(struct kobject *kobj,
				struct kobj_attribute *attr, const char *buf,
				size_t count)
{
	return event_store(buf, count, VIPZONE_ACCESS_READ);
}

static ssize_t write_event_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	if (!vipzone_counters_are_apart())
		return sysfs_emit(buf, "none\n");
	return memsuite_perf_event_show(&vipzone_counter_events.event[VIPZONE_ACCESS_WRITE], buf);
}

static ssize_t write_event_store(struct kobject *kobj,
				 struct kobj_attribute *attr, const char *buf,
				 size_t count)
{
	if (sysfs_streq(buf, "none"))
		return vipzone_charge_set_event(VIPZONE_ACCESS_WRITE, NULL) ?: count;
	return event_store(buf, count, VIPZONE_ACCESS_WRITE);
}

MEMSUITE_ATTR_CHOICE(source, source_names, vipzone_charge_source(), vipzone_charge_set_source);
static struct kobj_attribute read_event_attr = __ATTR_RW(read_event);
static struct kobj_attribute write_event_attr = __ATTR_RW(write_event);
MEMSUITE_ATTR_NUMBER_RO(running_pct, vipzone_charge_running_pct());
MEMSUITE_ATTR_NUMBER_RO(undivided, vipzone_policies_undivided());

static struct attribute *access_attrs[] = {
	&source_attr.attr, &read_event_attr.attr, &write_event_attr.attr,
	&running_pct_attr.attr, &undivided_attr.attr, NULL
};

const struct attribute_group vipzone_access_group = {
	.name = "accesses",
	.attrs = access_attrs,
};
