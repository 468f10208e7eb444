/* SPDX-License-Identifier: GPL-2.0-only */
/* /sys/kernel/memsuite/vipzone */
#ifndef VIPZONE_ADMIN_VIPZONE_SYSFS_H
#define VIPZONE_ADMIN_VIPZONE_SYSFS_H

int vipzone_sysfs_init(void);

/* Takes away the files by which anything new is steered. */
void vipzone_sysfs_close(void);

/* Takes away the directory. All policies are gone by now. */
void vipzone_sysfs_exit(void);

#endif
