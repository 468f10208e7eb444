/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mode in which the processor tells which addresses are accessed (paper
 * 001's hardware monitor, section 3.1, by what real processors have: PEBS, IBS).
 */
#ifndef MRC_TRACK_MODE_SAMPLES_H
#define MRC_TRACK_MODE_SAMPLES_H

struct mrc_target;

int mrc_mode_samples_window(struct mrc_target *t);
void mrc_mode_samples_stop(struct mrc_target *t);

#endif
