/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory in use: moved before its tests expire. */
#ifndef MEMDIAG_PATHS_INUSE_H
#define MEMDIAG_PATHS_INUSE_H

#include <linux/types.h>

struct attribute_group;
struct dentry;

extern const struct attribute_group memdiag_inuse_group;
extern const struct attribute_group memdiag_inuse_moves_group;

/* debugfs memdiag/ages */
void memdiag_inuse_init(struct dentry *debugfs);
/* Start and stop the thread that moves. May sleep. Returns 0 or an error. */
int memdiag_inuse_start(void);
void memdiag_inuse_stop(void);
/* Memory has come whose tests are forgotten. Context: any. */
void memdiag_inuse_forget(void);
/* Whether contents are moved. Context: any. */
bool memdiag_inuse_moves(void);
/* Pages moved so far. */
u64 memdiag_inuse_moved_pages(void);

#endif
