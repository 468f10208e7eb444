/* SPDX-License-Identifier: GPL-2.0-only */
/* Tagged ranges that the address spaces of a fork share until one of them changes its own. */
#ifndef VIPZONE_TAGS_SHARED_TAGS_H
#define VIPZONE_TAGS_SHARED_TAGS_H

#include <linux/gfp.h>
#include <linux/workqueue.h>

#include "tags/tag_ranges.h"

/**
 * struct vipzone_shared_tags - tagged ranges that have users
 * @ranges: while there is more than one, nobody changes them
 * @users: address spaces; under the lock of @ranges
 * @freeing: frees it after a grace period
 */
struct vipzone_shared_tags {
	struct vipzone_tag_ranges ranges;
	unsigned int users;
	struct rcu_work freeing;
};

/* Empty, with one user; NULL for want of memory. */
struct vipzone_shared_tags *vipzone_shared_tags_alloc(gfp_t gfp);

/**
 * vipzone_shared_tags_copy() - what a user gets who is to change them
 * @from: the caller is one of its users, and has more than one itself
 * @lost: counts the tags that were not copied for want of memory
 *
 * Context: may sleep, but not wait for memory.
 * Return: a copy with one user, or NULL.
 */
struct vipzone_shared_tags *vipzone_shared_tags_copy(struct vipzone_shared_tags *from,
						     atomic64_t *lost);

/* Readers under RCU may still be at it. Context: any but an interrupt's. */
void vipzone_shared_tags_put(struct vipzone_shared_tags *tags);

int vipzone_shared_tags_init(void);

/* All have been put: waits until they are freed. */
void vipzone_shared_tags_exit(void);

#endif
