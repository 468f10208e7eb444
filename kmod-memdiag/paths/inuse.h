/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory in use: moved before its tests expire. */
#ifndef MEMDIAG_PATHS_INUSE_H
#define MEMDIAG_PATHS_INUSE_H

#include <linux/types.h>

struct attribute_group;
struct dentry;

extern const struct attribute_group inuse_group;
extern const struct attribute_group inuse_moves_group;

/* debugfs memdiag/ages */
void inuse_init(struct dentry *debugfs);
/* Start and stop the thread that moves. May sleep. Returns 0 or an error. */
int inuse_start(void);
void inuse_stop(void);
/* Pages moved so far. */
u64 inuse_moved_pages(void);

#endif
