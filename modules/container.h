/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_CONTAINER_H
#define MEMSUITE_CONTAINER_H

#include <linux/types.h>

/**
 * ms_container_shuffle() - put the frames of a container in a random order
 * @pfns: frame numbers
 * @nr: how many
 * @row_frames: frames of successive numbers that share a row; they stay
 *	together, the lower first; at least 1
 * @seed: what the order depends on
 *
 * The order in which frames are handed out (M3, "randomizing allocation").
 *
 * Pure.
 */
void ms_container_shuffle(u64 *pfns, unsigned int nr, u64 row_frames, u64 seed);

#endif
