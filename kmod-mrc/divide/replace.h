/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages that a target replaces by itself, after a page fault. */
#ifndef MRC_DIVIDE_REPLACE_H
#define MRC_DIVIDE_REPLACE_H

#include <linux/types.h>

struct mrc_share;
struct mrc_target;

int mrc_replace_add(struct mrc_target *t);
void mrc_replace_hide(struct mrc_target *t);
void mrc_replace_forget(struct mrc_target *t);
int mrc_replace_start(void);
void mrc_replace_stop(void);
void mrc_replace_owe(u64 pages);
u64 mrc_replace_take(u64 pages);
void mrc_replace_given(struct mrc_share *s, u64 pages);

#endif
