/* SPDX-License-Identifier: GPL-2.0-only */
/* /sys/kernel/debug/memsuite/vipzone */
#ifndef VIPZONE_ADMIN_VIPZONE_DEBUGFS_H
#define VIPZONE_ADMIN_VIPZONE_DEBUGFS_H

void vipzone_debugfs_init(void);
void vipzone_debugfs_exit(void);

#endif
