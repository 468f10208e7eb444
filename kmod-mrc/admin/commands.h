/* SPDX-License-Identifier: GPL-2.0-only */
/* What is written of targets, be they processes or groups. */
#ifndef MRC_ADMIN_COMMANDS_H
#define MRC_ADMIN_COMMANDS_H

#include <linux/types.h>

struct mrc_target_spec;

int mrc_command_add(const struct mrc_target_spec *spec);
int mrc_command_remove(const struct mrc_target_spec *spec);
int mrc_command_list(char *buf);
int mrc_command_accesses(const struct mrc_target_spec *spec, u64 per_s);

#endif
