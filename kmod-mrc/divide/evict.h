/* SPDX-License-Identifier: GPL-2.0-only */
/* Evicting the pages of a target that are used least. */
#ifndef MRC_DIVIDE_EVICT_H
#define MRC_DIVIDE_EVICT_H

#include <linux/types.h>

struct mm_struct;
struct mrc_target;

u64 mrc_evict(struct mrc_target *t, struct mm_struct *mm, u64 want,
	      bool wait, u64 *evicted);
void mrc_evict_look(void);
void mrc_evict_settle(struct mrc_target *t);

#endif
