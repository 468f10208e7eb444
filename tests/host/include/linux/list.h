/* SPDX-License-Identifier: GPL-2.0-only */
/* For structures that have a place in a list which the logic does not use. */
#ifndef HOST_LINUX_LIST_H
#define HOST_LINUX_LIST_H

struct list_head {
	struct list_head *next;
	struct list_head *prev;
};

#endif
