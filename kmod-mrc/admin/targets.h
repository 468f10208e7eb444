/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes become targets, and are targets no more. */
#ifndef MRC_ADMIN_TARGETS_H
#define MRC_ADMIN_TARGETS_H

#include <linux/types.h>

struct list_head;
struct mrc_target;
struct pid;

int mrc_target_track(struct pid *pid, bool own, u32 groups, u64 pages, u32 loan);
void mrc_target_hide(struct mrc_target *t, struct list_head *hidden);
void mrc_targets_free(struct list_head *hidden);

int mrc_target_add(int nr);
int mrc_target_remove(int nr);
void mrc_targets_remove_all(void);

#endif
