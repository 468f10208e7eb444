// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes each call of a function take longer, so that others come in between, who seldom do. Not installed anywhere.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char *name;
module_param(name, charp, 0400);
MODULE_PARM_DESC(name, "the function");

static unsigned int ms = 10;
module_param(ms, uint, 0600);
MODULE_PARM_DESC(ms, "how much longer");

static int slow(struct kprobe *probe, struct pt_regs *regs)
{
	mdelay(ms);
	return 0;
}

static struct kprobe probe = { .pre_handler = slow };

static int __init slowtest_init(void)
{
	probe.symbol_name = name;
	return name ? register_kprobe(&probe) : -EINVAL;
}

static void __exit slowtest_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(slowtest_init);
module_exit(slowtest_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Makes calls of a function slow");
