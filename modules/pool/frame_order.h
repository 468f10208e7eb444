/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_POOL_FRAME_ORDER_H
#define MEMSUITE_POOL_FRAME_ORDER_H

#include <linux/types.h>

#include "frame/bank_map.h"

/* Frames of the largest container: 16 MiB. */
#define MEMSUITE_MAX_CONTAINER	4096

/**
 * memsuite_frame_order_shuffle() - put the frames of a container in a random order
 * @pfns: frame numbers
 * @nr: how many; at least 1, at most MEMSUITE_MAX_CONTAINER
 * @map: the banks that they lie in; NULL: nothing is known of banks
 * @seed: what the order depends on
 *
 * The order in which frames are handed out (M3, "randomizing allocation").
 * Frames that share a row stay together, the lower first. Rows that follow one
 * another, which a program is likely to use at the same time, lie in different
 * banks: each bank has its turn once, in a random order, before one has its
 * second. So every part of the order is as M3 wants a container: the fewest
 * frames that cover all banks.
 *
 * Pure.
 */
void memsuite_frame_order_shuffle(u64 *pfns, unsigned int nr,
				  const struct memsuite_bank_map *map, u64 seed);

#endif
