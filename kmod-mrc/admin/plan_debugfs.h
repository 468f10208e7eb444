/* SPDX-License-Identifier: GPL-2.0-only */
/* What would come of dividing memory, in debugfs. */
#ifndef MRC_ADMIN_PLAN_DEBUGFS_H
#define MRC_ADMIN_PLAN_DEBUGFS_H

struct file_operations;

extern const struct file_operations mrc_plan_fops;

#endif
