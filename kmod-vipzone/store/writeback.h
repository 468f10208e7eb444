/* SPDX-License-Identifier: GPL-2.0-only */
/* What moves from PRAM to the disk, in the background. */
#ifndef VSTORE_WRITEBACK_H
#define VSTORE_WRITEBACK_H

#include <linux/types.h>

struct vstore;
struct work_struct;

#ifndef VSTORE_BATCH		/* a test may have a small PRAM */
/* Blocks that write-back takes at a time, and in how many runs at most. */
#define VSTORE_BATCH	256
#define VSTORE_RUNS	64
#endif

/* Blocks in a row that are written to disk together. */
struct vstore_run {
	u64 block;
	u32 nr;
	u32 at;			/* in the buffer, in blocks */
	int error;
};

void vstore_writeback_work(struct work_struct *work);
bool vstore_writeback_wanted(const struct vstore *store);
bool vstore_writeback_overlaps(const struct vstore *store, u64 block, u64 end);
int vstore_writeback_flush(struct vstore *store);
void vstore_writeback_stop(struct vstore *store);

#endif
