// SPDX-License-Identifier: GPL-2.0-only
/* vipzone: decides which physical memory a page comes from. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "admin/chardev.h"
#include "admin/vipzone_debugfs.h"
#include "admin/vipzone_sysfs.h"
#include "audit/audit.h"
#include "audit/entrants.h"
#include "audit/file_arrivals.h"
#include "policy/bank_assign.h"
#include "policy/cgroup_policy.h"
#include "policy/file_policy.h"
#include "policy/plugged.h"
#include "policy/process_energy.h"
#include "policy/process_table.h"
#include "steer/access_charge.h"
#include "steer/steering.h"
#include "steer/task_events.h"
#include "tags/tags.h"

/* Its files were there, and may have been written to. */
static void vipzone_stop(void)
{
	vipzone_plugged_exit();
	vipzone_sysfs_close();
	vipzone_audit_stop();
	vipzone_entrants_stop();
	vipzone_file_arrivals_stop();
	vipzone_steering_stop();
	vipzone_task_events_stop();
	vipzone_tags_exit();
	vipzone_file_policy_exit();
	vipzone_cgroup_policy_exit();
	vipzone_processes_exit();
	vipzone_process_energy_sweep(true);
	vipzone_sysfs_exit();
	vipzone_bank_assign_exit();
}

static int __init vipzone_init(void)
{
	int err = vipzone_bank_assign_init();

	if (err)
		return err;
	vipzone_charge_init();
	err = vipzone_tags_init();
	if (err)
		goto err_tags;
	err = vipzone_processes_init();
	if (err)
		goto err_processes;
	err = vipzone_plugged_init();
	if (err)
		goto err_plugged;
	err = vipzone_sysfs_init();
	if (err)
		goto err_sysfs;
	err = vipzone_chardev_init();
	if (err)
		goto err_chardev;
	vipzone_debugfs_init();
	return 0;

err_chardev:
	vipzone_stop();
	return err;
err_sysfs:
	vipzone_plugged_exit();
err_plugged:
	vipzone_processes_exit();
err_processes:
	vipzone_tags_exit();
err_tags:
	vipzone_bank_assign_exit();
	return err;
}

static void __exit vipzone_exit(void)
{
	vipzone_debugfs_exit();
	vipzone_chardev_exit();
	vipzone_stop();
}

module_init(vipzone_init);
module_exit(vipzone_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The memsuite authors");
MODULE_DESCRIPTION("Placement of pages in regions of physical memory");
MODULE_VERSION(MEMSUITE_VERSION);
