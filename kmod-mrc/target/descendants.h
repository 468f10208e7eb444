/* SPDX-License-Identifier: GPL-2.0-only */
/* Who descends from a process that is a target with its children. */
#ifndef MRC_TARGET_DESCENDANTS_H
#define MRC_TARGET_DESCENDANTS_H

#include <linux/types.h>

struct pid;

int mrc_descendants_start(struct pid *root, unsigned int slot);
void mrc_descendants_stop(unsigned int slot);
u32 mrc_descendant_groups(const struct pid *pid);
bool mrc_descendants_left(unsigned int slot);
u64 mrc_descendants_lost(void);
void mrc_descendants_exit(void);

#endif
