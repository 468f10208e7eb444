// SPDX-License-Identifier: GPL-2.0-only
/* Request merging; streams.h. Pure logic: also built in user space. */

#include <linux/kernel.h>

#include "store/streams.h"

/**
 * vstore_streams_add() - note a write
 * @streams: of this store
 * @block: the first one
 * @nr: how many blocks
 *
 * Return: the first block of the request that this one continues, or @block if it continues none.
 */
u64 vstore_streams_add(struct vstore_streams *streams, u64 block, u32 nr)
{
	struct vstore_stream *oldest = &streams->stream[0];
	unsigned int i;

	streams->clock++;
	for (i = 0; i < VSTORE_STREAMS; i++) {
		struct vstore_stream *s = &streams->stream[i];

		if (s->used && block >= s->end && block - s->end <= VSTORE_STREAM_GAP) {
			u64 start = s->start;

			*s = (struct vstore_stream){ block, block + nr, streams->clock };
			return start;
		}
		if (s->used < oldest->used)
			oldest = s;
	}
	*oldest = (struct vstore_stream){ block, block + nr, streams->clock };
	return block;
}
