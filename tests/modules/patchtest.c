// SPDX-License-Identifier: GPL-2.0-only
/*
 * A live patch of a function that a hook is at: the kernel refuses it, so that what it has in the function's place is
 * never called. Not installed anywhere.
 */
#include <linux/livepatch.h>
#include <linux/module.h>

static char *name;
module_param(name, charp, 0400);
MODULE_PARM_DESC(name, "the function");

static void *nothing(void)
{
	return NULL;
}

static struct klp_func functions[] = {
	{ .new_func = nothing },
	{}
};

static struct klp_object objects[] = {
	{ .funcs = functions },
	{}
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objects,
};

static int __init patchtest_init(void)
{
	if (!name)
		return -EINVAL;
	functions[0].old_name = name;
	return klp_enable_patch(&patch);
}

static void __exit patchtest_exit(void)
{
}

module_init(patchtest_init);
module_exit(patchtest_exit);

MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("A live patch that is refused, for tests");
