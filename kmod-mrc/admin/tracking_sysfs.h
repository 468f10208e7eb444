/* SPDX-License-Identifier: GPL-2.0-only */
/* What is tracked, and how, in sysfs. */
#ifndef MRC_ADMIN_TRACKING_SYSFS_H
#define MRC_ADMIN_TRACKING_SYSFS_H

int mrc_sysfs_init(void);
void mrc_sysfs_exit(void);

#endif
