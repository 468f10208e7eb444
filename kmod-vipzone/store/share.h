/* SPDX-License-Identifier: GPL-2.0-only */
/* PRAM shared between the store and memory: how much of it each has. */
#ifndef STORE_SHARE_H
#define STORE_SHARE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct store;
struct store_loan;

/* Part of struct store; all but what says otherwise is under its lock. */
struct store_share {
	struct store_loan *loan;	/* NULL: the PRAM is the store's alone */
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

int store_share_init(void);
void store_share_exit(void);

int store_share_allocate(struct store *store);
void store_share_free(struct store *store);
int store_share_open(struct store *store);
void store_share_start(struct store *store);
void store_share_stop(struct store *store);
void store_share_poke(struct store *store);
void store_share_keep(struct store *store);
u32 store_share_room(const struct store *store);

#endif
