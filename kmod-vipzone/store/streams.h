/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Request merging (Park et al., section 4.2): small requests that continue one
 * another belong to a file that grows, and are for the disk.
 */
#ifndef VSTORE_STREAMS_H
#define VSTORE_STREAMS_H

#include <linux/types.h>

#define VSTORE_STREAMS		32
#define VSTORE_STREAM_GAP	4	/* blocks that a request may leave out */

struct vstore_stream {
	u64 start;		/* of the last request */
	u64 end;		/* where the next request is expected */
	u64 used;		/* by when it was used, the oldest gives way */
};

struct vstore_streams {
	struct vstore_stream stream[VSTORE_STREAMS];
	u64 clock;
};

u64 vstore_streams_add(struct vstore_streams *streams, u64 block, u32 nr);

#endif
