/* SPDX-License-Identifier: GPL-2.0-only */
/* Accessed bits that were cleared are given back to reclaim. */
#ifndef MRC_TRACK_YOUNG_NOTIFIER_H
#define MRC_TRACK_YOUNG_NOTIFIER_H

#include <linux/types.h>

struct mm_struct;
struct mrc_target;

int mrc_young_notifier_start(struct mrc_target *t);
void mrc_young_notifier_stop(struct mrc_target *t);
bool mrc_young_elsewhere(const struct mrc_target *t, struct mm_struct *mm, unsigned long addr,
			 unsigned long size, bool clear);

#endif
