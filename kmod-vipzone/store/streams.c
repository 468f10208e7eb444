// SPDX-License-Identifier: GPL-2.0-only
/* Request merging; streams.h. Pure logic: also built in user space. */

#include <linux/kernel.h>

#include "store/streams.h"

/**
 * store_streams_add() - note a write
 * @streams: of this store
 * @block: the first one
 * @nr: how many blocks
 *
 * Return: the first block of the row of requests that this one continues, or
 * @block if it continues none.
 */
u64 store_streams_add(struct store_streams *streams, u64 block, u32 nr)
{
	struct store_stream *oldest = &streams->stream[0];
	unsigned int i;

	streams->clock++;
	for (i = 0; i < STORE_STREAMS; i++) {
		struct store_stream *s = &streams->stream[i];

		if (s->used && block >= s->end && block - s->end <= STORE_STREAM_GAP) {
			s->end = block + nr;
			s->used = streams->clock;
			return s->start;
		}
		if (s->used < oldest->used)
			oldest = s;
	}
	*oldest = (struct store_stream){ block, block + nr, streams->clock };
	return block;
}
