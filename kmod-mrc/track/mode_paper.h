/* SPDX-License-Identifier: GPL-2.0-only */
/* Mode paper, which follows paper 001, section 3.2, to the letter. */
#ifndef MRC_TRACK_MODE_PAPER_H
#define MRC_TRACK_MODE_PAPER_H

struct mrc_target;

int mrc_mode_paper_window(struct mrc_target *t);
void mrc_mode_paper_stop(struct mrc_target *t);

#endif
