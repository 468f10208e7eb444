// SPDX-License-Identifier: GPL-2.0-only
/* memdiag: tests memory while the system works. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "memdiag.h"

static int __init memdiag_init(void)
{
	int err;

	err = algorithm_init();
	if (err)
		return err;
	err = findings_init();
	if (err)
		return err;
	err = memdiag_sysfs_init();
	if (err)
		findings_exit();
	return err;
}

static void __exit memdiag_exit(void)
{
	memdiag_sysfs_exit();
	range_stop();
	controller_stop();
	findings_exit();
}

module_init(memdiag_init);
module_exit(memdiag_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The memsuite authors");
MODULE_DESCRIPTION("Continuous online memory diagnostic");
MODULE_VERSION(MEMSUITE_VERSION);
