/* SPDX-License-Identifier: GPL-2.0-only */
/* What is written of targets, be they processes or groups. */
#ifndef MRC_ADMIN_COMMANDS_H
#define MRC_ADMIN_COMMANDS_H

#include <linux/types.h>

struct mrc_who;

int mrc_targets_add(const struct mrc_who *who);
int mrc_targets_remove(const struct mrc_who *who);
int mrc_targets_list(char *buf);
int mrc_targets_set_accesses(const struct mrc_who *who, u64 per_s);

#endif
