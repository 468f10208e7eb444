// SPDX-License-Identifier: GPL-2.0-only
/* memdiag: tests memory while the system works. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include <memsuite/control.h>

#include "paths/address_bits.h"
#include "paths/controller.h"
#include "paths/ecc.h"
#include "paths/hotplug_test.h"
#include "paths/inuse.h"
#include "report/coverage.h"
#include "report/effectiveness.h"
#include "report/memdiag_sysfs.h"
#include "report/range_sysfs.h"
#include "result/bad_pages.h"
#include "result/inject.h"
#include "result/retire_policy.h"
#include "sched/algorithm.h"
#include "sched/census.h"
#include "sched/extra_tests.h"
#include "sched/registry.h"
#include "sched/test_lifetime.h"

static struct dentry *debugfs;

/* What comes from outside first, then what it uses. */
static void memdiag_parts_exit(void)
{
	debugfs_remove_recursive(debugfs);
	memdiag_ecc_exit();
	memdiag_range_stop();
	memdiag_hotplug_exit();
	memdiag_controller_stop();
	memdiag_inject_exit();
	memdiag_extra_tests_exit();
	memdiag_retire_policy_exit();
	memdiag_bad_pages_exit();
	memdiag_census_exit();
}

static int __init memdiag_init(void)
{
	int err;

	err = memdiag_algorithm_init();
	if (err)
		return err;
	memdiag_registry_init();
	memdiag_lifetime_init();
	err = memdiag_census_init();
	if (err)
		return err;
	err = memdiag_bad_pages_init();
	if (err)
		goto exit_census;
	err = memdiag_extra_tests_init();
	if (err)
		goto exit_bad_pages;
	err = memdiag_hotplug_init();
	if (err)
		goto exit_extra_tests;
	debugfs = memsuite_debugfs_add("memdiag");
	memdiag_bad_pages_table_init(debugfs);
	memdiag_coverage_init(debugfs);
	memdiag_inuse_init(debugfs);
	memdiag_address_bits_init(debugfs);
	memdiag_extra_tests_table_init(debugfs);
	memdiag_ecc_init(debugfs);
	memdiag_inject_init(debugfs);
	memdiag_retire_policy_init(debugfs);
	memdiag_effectiveness_init();
	memdiag_hotplug_start();
	err = memdiag_sysfs_init();
	if (err)
		memdiag_parts_exit();
	return err;

exit_extra_tests:
	memdiag_extra_tests_exit();
exit_bad_pages:
	memdiag_bad_pages_exit();
exit_census:
	memdiag_census_exit();
	return err;
}

static void __exit memdiag_exit(void)
{
	memdiag_sysfs_exit();
	memdiag_parts_exit();
}

module_init(memdiag_init);
module_exit(memdiag_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The memsuite authors");
MODULE_DESCRIPTION("Continuous online memory diagnostic");
MODULE_VERSION(MEMSUITE_VERSION);
