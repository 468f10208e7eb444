/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the tests of memory in use expire, by pageblock: a walk over memory then costs what is due,
 * not what there is. A user is one thread.
 */
#ifndef MEMDIAG_PATHS_EXPIRY_H
#define MEMDIAG_PATHS_EXPIRY_H

#include <linux/mmzone.h>
#include <linux/types.h>

#define MEMDIAG_EXPIRY_BLOCKS	(PAGES_PER_SECTION / MEMDIAG_EXPIRY_BLOCK_PAGES)
/* As the kernel has pageblocks where huge pages are 2 MiB; a larger one is several of these. */
#define MEMDIAG_EXPIRY_BLOCK_PAGES	512UL

/**
 * struct memdiag_expiry_section - the blocks of a memory section
 * @round: the walks that @due_s is of, see memdiag_expiry_restart()
 * @least_s: no block is due before
 * @due_s: second from which on each of them is to be looked at; 0: at once
 * @vain: how many walks in a row came for nothing
 */
struct memdiag_expiry_section {
	u32 round;
	u32 least_s;
	u32 due_s[MEMDIAG_EXPIRY_BLOCKS];
	u8 vain[MEMDIAG_EXPIRY_BLOCKS];
};

/* What was due is forgotten: all blocks are. Context: the user. */
void memdiag_expiry_restart(void);

/* The first frame from @pfn on, a block's first, that is due at @now_s; or @end. Context: any. */
unsigned long memdiag_expiry_next(unsigned long pfn, unsigned long end, u32 now_s);

/* The block of @pfn is due at @due_s, and was found so. Context: may sleep. */
void memdiag_expiry_set(unsigned long pfn, u32 due_s);

/*
 * The block of @pfn has pages that could not be moved now: it is due after @pause_s, twice as long
 * each time, @most_s at most. Context: may sleep.
 */
void memdiag_expiry_retry(unsigned long pfn, u32 now_s, u32 pause_s, u32 most_s);

/* Context: may sleep. */
void memdiag_expiry_free(void);

#endif
