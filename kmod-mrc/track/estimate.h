/* SPDX-License-Identifier: GPL-2.0-only */
/* From what a ladder saw of each page to miss rates. */
#ifndef MRC_TRACK_ESTIMATE_H
#define MRC_TRACK_ESTIMATE_H

#include <linux/types.h>

struct mrc_target;

void mrc_estimate_prepare(struct mrc_target *t);
u64 mrc_estimate_whole(struct mrc_target *t);
void mrc_estimate_sub(struct mrc_target *t, u32 sub);

#endif
