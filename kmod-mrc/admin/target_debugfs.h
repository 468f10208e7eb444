/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of each process and group, in debugfs. */
#ifndef MRC_ADMIN_TARGET_DEBUGFS_H
#define MRC_ADMIN_TARGET_DEBUGFS_H

struct dentry;
struct mrc_group;
struct mrc_target;

void mrc_debugfs_init(void);
void mrc_debugfs_exit(void);

void mrc_debugfs_add(struct mrc_target *t);
void mrc_debugfs_add_group(struct mrc_group *group);
void mrc_debugfs_remove(struct dentry *dir);

#endif
