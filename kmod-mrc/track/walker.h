/* SPDX-License-Identifier: GPL-2.0-only */
/* The page tables of a target, as a ladder looks at them. */
#ifndef MRC_TRACK_WALKER_H
#define MRC_TRACK_WALKER_H

#include <linux/types.h>

struct mm_struct;
struct mrc_ladder_schedule;
struct mrc_sample;
struct mrc_target;

int mrc_walker_enumerate(struct mm_struct *mm, struct mrc_sample *sample,
			 u64 *swapped);
bool mrc_walker_file_mapped(struct mm_struct *mm, unsigned long addr);
int mrc_walker_clear(struct mrc_target *t, struct mrc_ladder_schedule *c);
int mrc_walker_read(struct mrc_target *t, struct mrc_ladder_schedule *c);

#endif
