// SPDX-License-Identifier: GPL-2.0-only
/* memsuite: the common core. Loading it changes nothing in the system. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>

#include "core.h"

/* In this order; exit is the mirror. */
static const struct {
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{ ms_calls_init, NULL },
	{ NULL, ms_errands_exit },
	{ ms_control_init, ms_control_exit },
	{ ms_hooks_init, ms_hooks_exit },
	{ ms_holding_init, ms_holding_exit },
	{ ms_pools_init, ms_pools_exit },
	{ ms_demand_init, ms_demand_exit },
	{ ms_bank_maps_init, ms_bank_maps_exit },
	{ ms_regions_init, ms_regions_exit },
};

static void exit_parts(int nr)
{
	while (nr--)
		if (parts[nr].exit)
			parts[nr].exit();
}

static int __init memsuite_init(void)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		err = parts[i].init ? parts[i].init() : 0;
		if (err) {
			exit_parts(i);
			return err;
		}
	}
	pr_info("version %s\n", MEMSUITE_VERSION);
	return 0;
}

static void __exit memsuite_exit(void)
{
	exit_parts(ARRAY_SIZE(parts));
}

module_init(memsuite_init);
module_exit(memsuite_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The memsuite authors");
MODULE_DESCRIPTION("Page allocator hooks, free-page access and memory regions for memdiag, vipzone and mrc");
MODULE_VERSION(MEMSUITE_VERSION);
