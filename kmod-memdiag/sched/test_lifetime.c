// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a test is good for: what the administrator says, or what the
 * workers can do (COMeT, section 3.2.2).
 */

#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>

#include <memsuite/alloc_stats.h>
#include <memsuite/control.h>

#include "sched/comet.h"
#include "sched/control_policy.h"
#include "sched/test_lifetime.h"

#define TABLE_1_S	180

unsigned int memdiag_test_lifetime_s = TABLE_1_S;

static struct memdiag_comet_effort effort = {
	.alpha_pct = 100, .mem_util_pct = 100, .test_res_pct = 100,
};

static DEFINE_MUTEX(lifetime_lock);	/* who sets it */
static unsigned int automatic = 1;
static unsigned int least_s = TABLE_1_S;

static void lifetime_set(unsigned int seconds)
{
	WRITE_ONCE(memdiag_test_lifetime_s, seconds);
	memsuite_alloc_stats_set_lifetime(seconds);
}

/* A new one makes tests expire, or does away with what is known of when they will. */
static bool lifetime_differs(u64 seconds)
{
	u64 now = memdiag_test_lifetime_s;

	return seconds > now + now / 8 || seconds < now - now / 8;
}

void memdiag_lifetime_update(u64 speed, unsigned int fidelity, u64 sweep_pages_s,
			     unsigned int sweep_parts)
{
	u64 pages = totalram_pages(), by_cpu, by_memory, seconds;

	if (!speed)
		return;
	by_cpu = memdiag_comet_lifetime_s(&effort, pages,
					  div64_u64((u64)NSEC_PER_SEC * fidelity, speed));
	by_cpu *= sweep_parts / 4;
	by_memory = div64_u64(pages * fidelity * sweep_parts, sweep_pages_s);
	seconds = clamp_t(u64, max(by_cpu, by_memory), READ_ONCE(least_s),
			  MEMDIAG_LIFETIME_MAX_S);
	mutex_lock(&lifetime_lock);
	if (automatic && lifetime_differs(seconds))
		lifetime_set(seconds);
	mutex_unlock(&lifetime_lock);
}

unsigned int memdiag_lifetime_cpu_pct(void)
{
	return READ_ONCE(effort.test_res_pct);
}

/* A hundredth of what the machine's CPUs can do. */
void memdiag_lifetime_init(void)
{
	effort.test_res_pct = min(num_online_cpus(), 100 * MEMDIAG_WORKERS_MAX);
}

static ssize_t test_lifetime_s_show(struct kobject *kobj,
				    struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(memdiag_test_lifetime_s));
}

static ssize_t test_lifetime_s_store(struct kobject *kobj,
				     struct kobj_attribute *attr,
				     const char *buf, size_t count)
{
	u64 seconds;
	int err;

	err = memsuite_parse_u64(buf, count, 1, MEMDIAG_LIFETIME_MAX_S, &seconds);
	if (err)
		return err;
	mutex_lock(&lifetime_lock);
	WRITE_ONCE(automatic, 0);
	lifetime_set(seconds);
	mutex_unlock(&lifetime_lock);
	return count;
}

struct kobj_attribute memdiag_test_lifetime_s_attr = __ATTR_RW(test_lifetime_s);

MEMSUITE_ATTR_NUMBER(automatic, automatic, 0, 1);
MEMSUITE_ATTR_NUMBER(least_s, least_s, 1, MEMDIAG_LIFETIME_MAX_S);
MEMSUITE_ATTR_NUMBER(alpha_pct, effort.alpha_pct, 100, 100000);
MEMSUITE_ATTR_NUMBER(mem_util_pct, effort.mem_util_pct, 1, 100);
MEMSUITE_ATTR_NUMBER(test_res_pct, effort.test_res_pct, 1, 100 * MEMDIAG_WORKERS_MAX);

static struct attribute *lifetime_attrs[] = {
	&automatic_attr.attr, &least_s_attr.attr, &alpha_pct_attr.attr, &mem_util_pct_attr.attr,
	&test_res_pct_attr.attr, NULL
};

const struct attribute_group memdiag_lifetime_group = {
	.name = "lifetime",
	.attrs = lifetime_attrs,
};
