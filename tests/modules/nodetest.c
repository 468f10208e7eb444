// SPDX-License-Identifier: GPL-2.0-only
/* As long as it is loaded, a node is said to have no memory, as when all of it has gone offline. Not installed anywhere. */
#include <linux/module.h>
#include <linux/nodemask.h>

static int nid = 1;
module_param(nid, int, 0400);
MODULE_PARM_DESC(nid, "the node");

static int __init nodetest_init(void)
{
	if (nid < 0 || nid >= MAX_NUMNODES || !node_state(nid, N_MEMORY))
		return -EINVAL;
	node_clear_state(nid, N_MEMORY);
	return 0;
}

static void __exit nodetest_exit(void)
{
	node_set_state(nid, N_MEMORY);
}

module_init(nodetest_init);
module_exit(nodetest_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A node without memory");
