/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/vipzone */
#ifndef VIPZONE_ADMIN_CHARDEV_H
#define VIPZONE_ADMIN_CHARDEV_H

int vipzone_chardev_init(void);

/* Nobody has it open. */
void vipzone_chardev_exit(void);

#endif
