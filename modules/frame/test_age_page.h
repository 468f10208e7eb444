/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stamps of a block's pages, one by one; for test_age.c. They are needed
 * where pages are freed, in whatever context, so some wait in reserve.
 */
#ifndef MEMSUITE_STAMP_PAGES_H
#define MEMSUITE_STAMP_PAGES_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#define MS_STAMP_BLOCK_PAGES	512UL	/* 2 MiB */

/**
 * struct ms_stamp_pages - the stamps of a block
 * @stamp: of each page
 * @next: the next one in reserve
 * @rcu: to be put
 */
struct ms_stamp_pages {
	u32 stamp[MS_STAMP_BLOCK_PAGES];
	union {
		struct ms_stamp_pages *next;
		struct rcu_head rcu;
	};
};

/* Fill the reserve. May sleep. Returns 0 or -ENOMEM. */
int ms_stamp_pages_start(void);

/* Empty it; all that was taken has been put. May sleep. */
void ms_stamp_pages_stop(void);

/* Undefined stamps, or NULL. Context: any. */
struct ms_stamp_pages *ms_stamp_pages_take(void);

/* Nobody has seen them. Context: any. */
void ms_stamp_pages_put(struct ms_stamp_pages *pages);

/* Put them when those who may see them are out of their RCU sections. */
void ms_stamp_pages_put_rcu(struct ms_stamp_pages *pages);

size_t ms_stamp_pages_bytes(void);

#endif
