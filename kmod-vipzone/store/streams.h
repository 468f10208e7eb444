/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Request merging (Park et al., section 4.2): small requests that continue one
 * another belong to a file that grows, and are for the disk.
 */
#ifndef STORE_STREAMS_H
#define STORE_STREAMS_H

#include <linux/types.h>

#define STORE_STREAMS		32
#define STORE_STREAM_GAP	4	/* blocks that a request may leave out */

struct store_stream {
	u64 start;
	u64 end;		/* where the next request is expected */
	u64 used;		/* by when it was used, the oldest gives way */
};

struct store_streams {
	struct store_stream stream[STORE_STREAMS];
	u64 clock;
};

u64 store_streams_add(struct store_streams *streams, u64 block, u32 nr);

#endif
