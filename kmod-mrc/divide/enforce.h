/* SPDX-License-Identifier: GPL-2.0-only */
/* The division of memory, put into practice. */
#ifndef MRC_DIVIDE_ENFORCE_H
#define MRC_DIVIDE_ENFORCE_H

#include <linux/types.h>

struct mrc_guard;
struct mrc_target;

extern bool mrc_enforced;
extern u64 mrc_enforce_suspended;
extern struct mrc_guard mrc_enforce_guard;

int mrc_enforce_add(struct mrc_target *t);
void mrc_enforce_hide(struct mrc_target *t);
void mrc_enforce_forget(struct mrc_target *t);
int mrc_enforce_switch(bool on);

#endif
