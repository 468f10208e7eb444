/* SPDX-License-Identifier: GPL-2.0-only */
/* The thread of a target. */
#ifndef MRC_TRACK_TRACKER_H
#define MRC_TRACK_TRACKER_H

struct mrc_target;

int mrc_tracker_run(struct mrc_target *t);
void mrc_tracker_free(struct mrc_target *t);

#endif
