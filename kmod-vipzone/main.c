// SPDX-License-Identifier: GPL-2.0-only
/* vipzone: decides which physical memory a page comes from. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "energy/access_counters.h"
#include "policy/bank_assign.h"
#include "tags/tags.h"
#include "vipzone.h"

static int __init vipzone_init(void)
{
	int err = spread_init();

	if (err)
		return err;
	meter_init();
	err = processes_init();
	if (err)
		goto err_processes;
	err = vipzone_sysfs_init();
	if (err)
		goto err_sysfs;
	err = device_init();
	if (err)
		goto err_device;
	return 0;

err_device:
	vipzone_sysfs_close();
	vipzone_sysfs_exit();
err_sysfs:
	processes_exit();
err_processes:
	spread_exit();
	return err;
}

static void __exit vipzone_exit(void)
{
	device_exit();
	vipzone_sysfs_close();
	audit_stop();
	steering_stop();
	lifetime_stop();
	tags_exit();
	scopes_exit();
	processes_exit();
	vipzone_sysfs_exit();
	spread_exit();
}

module_init(vipzone_init);
module_exit(vipzone_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The memsuite authors");
MODULE_DESCRIPTION("Placement of pages in regions of physical memory");
MODULE_VERSION(MEMSUITE_VERSION);
