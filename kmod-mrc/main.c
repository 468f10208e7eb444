// SPDX-License-Identifier: GPL-2.0-only
/* mrc.ko: page miss ratio curves of processes, from accessed bits. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include <compat/compat.h>
#include <compat/pagetable.h>

#include "admin/groups.h"
#include "admin/target_debugfs.h"
#include "admin/targets.h"
#include "admin/tracking_sysfs.h"
#include "admin/watch.h"
#include "curve/curve.h"
#include "divide/enforce.h"
#include "target/descendants.h"

static int __init mrc_init(void)
{
	int err;

	if (!memsuite_pagetable_usable()) {
		pr_err("page tables belong to the hypervisor (Xen PV)\n");
		return -EOPNOTSUPP;
	}
	mrc_curve_init();
	mrc_debugfs_init();
	err = mrc_sysfs_init();
	if (err)
		mrc_debugfs_exit();
	return err;
}

static void __exit mrc_exit(void)
{
	mrc_sysfs_exit();
	mrc_enforce_switch(false);
	mrc_watch_stop();
	mrc_groups_remove_all();
	mrc_targets_remove_all();
	mrc_descendants_exit();
	mrc_debugfs_exit();
}

module_init(mrc_init);
module_exit(mrc_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The memsuite authors");
MODULE_DESCRIPTION("Page miss ratio curves of live processes");
MODULE_VERSION(MEMSUITE_VERSION);
