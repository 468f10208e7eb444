/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stamps of a block's pages, one by one; for test_age.c. They are needed
 * where pages are freed, in whatever context, so some wait in reserve.
 */
#ifndef MEMSUITE_FRAME_TEST_AGE_PAGE_H
#define MEMSUITE_FRAME_TEST_AGE_PAGE_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#define MEMSUITE_TEST_AGE_BLOCK_PAGES	512UL	/* 2 MiB */

/**
 * struct memsuite_test_age_page - the stamps of a block
 * @stamp: of each page
 * @next: the next one in reserve
 * @rcu: to be put
 */
struct memsuite_test_age_page {
	u32 stamp[MEMSUITE_TEST_AGE_BLOCK_PAGES];
	union {
		struct memsuite_test_age_page *next;
		struct rcu_head rcu;
	};
};

/* Fill the reserve. May sleep. Returns 0 or -ENOMEM. */
int memsuite_test_age_page_start(void);

/* Empty it; all that was taken has been put. May sleep. */
void memsuite_test_age_page_stop(void);

/* Undefined stamps, or NULL. Context: any. */
struct memsuite_test_age_page *memsuite_test_age_page_take(void);

/* Nobody has seen them. Context: any. */
void memsuite_test_age_page_put(struct memsuite_test_age_page *pages);

/* Put them when those who may see them are out of their RCU sections. */
void memsuite_test_age_page_put_rcu(struct memsuite_test_age_page *pages);

size_t memsuite_test_age_page_bytes(void);

#endif
