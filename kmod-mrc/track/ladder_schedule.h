/* SPDX-License-Identifier: GPL-2.0-only */
/* When a ladder looks at the pages of its sample. */
#ifndef MRC_TRACK_LADDER_SCHEDULE_H
#define MRC_TRACK_LADDER_SCHEDULE_H

#include <linux/types.h>

struct mrc_target;

int mrc_ladder_schedule_run(struct mrc_target *t, u32 points);

#endif
