/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages whose next touch faults, for mode paper. */
#ifndef MRC_TRACK_PROTECT_H
#define MRC_TRACK_PROTECT_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/mmu_notifier.h>
#include <linux/types.h>

struct mm_struct;

/* What is found at an address. */
#define MRC_PAGE_PRESENT	BIT(0)
#define MRC_PAGE_YOUNG	BIT(1)	/* its accessed bit was set */
#define MRC_PAGE_PROTECTED	BIT(2)	/* its next touch faults */
#define MRC_PAGE_STUCK	BIT(3)	/* it cannot be protected */
#define MRC_PAGE_HUGE	BIT(4)	/* it is part of a huge page */
#define MRC_PAGE_CHANGED	BIT(5)	/* it was protected just now */

/**
 * enum mrc_protect_op - what to do with a page that is mapped
 * @MRC_OP_LOOK: clear its accessed bit; of a huge page only read it
 * @MRC_OP_CLEAR: clear the accessed bit of a huge page
 * @MRC_OP_PROTECT: have its next touch fault, unless the accessed bit is set,
 *	which is cleared instead
 */
enum mrc_protect_op {
	MRC_OP_LOOK,
	MRC_OP_CLEAR,
	MRC_OP_PROTECT,
};

/* A page of a batch: what to look at, for whom, and what was found. */
struct mrc_protect_page {
	unsigned long addr;
	u32 node;
	u32 found;
};

#define MRC_PROTECT_BATCH	256

/**
 * struct mrc_shield - an address space that has protected pages
 * @mm: the address space
 * @notifier: sees forks, and what is moved
 * @stopping: pages are being unprotected, for good
 * @restored: pages that were unprotected by hand
 */
struct mrc_shield {
	struct mm_struct *mm;
	bool stopping;
#if IS_ENABLED(CONFIG_MMU_NOTIFIER)
	struct mmu_notifier notifier;
#endif
	atomic64_t restored;
};

typedef bool mrc_protect_see_fn(void *arg, unsigned long addr, u32 found);

int mrc_protect_usable(void);
int mrc_protect_start(struct mrc_shield *shield, struct mm_struct *mm);
void mrc_protect_stop(struct mrc_shield *shield);
int mrc_protect_batch(struct mm_struct *mm, enum mrc_protect_op op,
		      struct mrc_protect_page *pages, unsigned int n);
int mrc_protect_enumerate(struct mm_struct *mm, mrc_protect_see_fn *see, void *arg);

#endif
