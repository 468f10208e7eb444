/* SPDX-License-Identifier: GPL-2.0-only */
/* Mode ladder: accessed bits of a sample, read at times that grow. */
#ifndef MRC_TRACK_LADDER_H
#define MRC_TRACK_LADDER_H

struct mrc_target;

int mrc_ladder_window(struct mrc_target *t);
void mrc_ladder_forget(struct mrc_target *t);
void mrc_ladder_free(struct mrc_target *t);

#endif
