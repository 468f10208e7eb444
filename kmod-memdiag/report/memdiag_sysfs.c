// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/memsuite/memdiag */

#include <linux/err.h>
#include <linux/mutex.h>

#include <memsuite/control.h>

#include "paths/address_bits.h"
#include "paths/controller.h"
#include "paths/ecc.h"
#include "paths/hotplug_test.h"
#include "paths/inuse.h"
#include "paths/pretest_pool.h"
#include "report/coverage.h"
#include "report/effectiveness.h"
#include "report/memdiag_sysfs.h"
#include "report/range_sysfs.h"
#include "report/retire_sysfs.h"
#include "result/bad_pages.h"
#include "result/inject.h"
#include "result/retire_policy.h"
#include "result/testers.h"
#include "sched/algorithm.h"
#include "sched/extra_tests.h"
#include "sched/optimisations.h"
#include "sched/test_lifetime.h"
#include "sched/worker.h"

static struct kobject *dir;

static int memdiag_enable(bool on)
{
	static DEFINE_MUTEX(enable_lock);
	int err = 0;

	mutex_lock(&enable_lock);
	if (on && !memdiag_controller_running())
		err = memdiag_controller_start();
	else if (!on)
		memdiag_controller_stop();
	mutex_unlock(&enable_lock);
	return err;
}

MEMSUITE_ATTR_SWITCH(enabled, memdiag_controller_running(), memdiag_enable);
MEMSUITE_ATTR_NUMBER_RO(bad_page_count, memdiag_bad_pages_count());
MEMSUITE_ATTR_NUMBER_RO(pending_page_count, memdiag_bad_pages_pending());
MEMSUITE_ATTR_NUMBER_RO(tested_pages, memdiag_worker_tested_pages());
MEMSUITE_ATTR_NUMBER_RO(passes, memdiag_worker_passes());
MEMSUITE_ATTR_NUMBER_RO(pass_progress_pct, memdiag_worker_progress_pct());
MEMSUITE_ATTR_NUMBER_RO(pass_eta_s, memdiag_worker_eta_s());
MEMSUITE_ATTR_NUMBER_RO(doubted_blocks, memdiag_testers_doubted_blocks());

static ssize_t distrusted_cpus_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return memdiag_testers_show(buf);
}

static struct kobj_attribute distrusted_cpus_attr = __ATTR_RO(distrusted_cpus);

static struct attribute *memdiag_attrs[] = {
	&enabled_attr.attr, &memdiag_test_lifetime_s_attr.attr,
	&bad_page_count_attr.attr, &pending_page_count_attr.attr,
	&tested_pages_attr.attr, &passes_attr.attr,
	&pass_progress_pct_attr.attr, &pass_eta_s_attr.attr,
	&doubted_blocks_attr.attr, &distrusted_cpus_attr.attr, NULL
};

static const struct attribute_group memdiag_group = {
	.attrs = memdiag_attrs,
};

static const struct attribute_group *memdiag_groups[] = {
	&memdiag_group, &memdiag_lifetime_group,
	&memdiag_algorithm_group, &memdiag_algorithm_coverage_group,
	&memdiag_control_group, &memdiag_pretest_group,
	&memdiag_inuse_group, &memdiag_inuse_moves_group,
	&memdiag_hotplug_group, &memdiag_coverage_group,
	&memdiag_range_group, &memdiag_retire_group,
	&memdiag_extra_tests_group, &memdiag_optimisations_group,
	&memdiag_address_bits_group, &memdiag_ecc_group, &memdiag_inject_group,
	&memdiag_effectiveness_group, &memdiag_retire_policy_group,
	NULL
};

int memdiag_sysfs_init(void)
{
	dir = memsuite_control_add("memdiag", memdiag_groups);
	return PTR_ERR_OR_ZERO(dir);
}

void memdiag_sysfs_exit(void)
{
	memsuite_control_del(dir);
}
