/* SPDX-License-Identifier: GPL-2.0-only */
/* PRAM shared between the store and memory: how much of it each has. */
#ifndef VSTORE_SHARE_H
#define VSTORE_SHARE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct vstore;
struct vstore_loan;

/* Part of struct vstore; all but what says otherwise is under its lock. */
struct vstore_share {
	struct vstore_loan *loan;	/* NULL: the PRAM is the store's alone */
	u16 *used;			/* pages of each unit that the store uses */
	struct list_head list;		/* of those that memory may ask; under a lock of its own */
	struct workqueue_struct *queue;
	struct delayed_work work;
	u32 min_pct;			/* of PRAM that the store keeps whatever memory asks for */
	u32 max_pct;			/* ... and that it may have */
	atomic_long_t asked;		/* pages that memory asks for */
	unsigned long wait_until;	/* do not take from memory before */
	unsigned long give_after;	/* nor lend to it */
	unsigned long retry_after;	/* nor ask the kernel again to take what it did not */
	bool on;
	bool begun;
	u32 cursor;			/* the unit after the one that was claimed last */
	u64 lends;			/* units, also below */
	u64 claims;
	u64 claims_failed;
	u64 moved;			/* pages, within PRAM */
};

int vstore_share_alloc(struct vstore *store);
void vstore_share_free(struct vstore *store);
int vstore_share_open(struct vstore *store);
void vstore_share_start(struct vstore *store);
void vstore_share_stop(struct vstore *store);
void vstore_share_kick(struct vstore *store);

#endif
