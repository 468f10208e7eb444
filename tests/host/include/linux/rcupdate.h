/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_LINUX_RCUPDATE_H
#define HOST_LINUX_RCUPDATE_H

#include <linux/kernel.h>

struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *rcu);
};

/* Here nobody reads meanwhile. */
#define kfree_rcu(p, head)	kfree(p)

#endif
