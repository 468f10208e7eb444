/* SPDX-License-Identifier: GPL-2.0-only */
/* The files in vipzone/accesses: which accesses the processors count. */
#ifndef VIPZONE_ADMIN_ACCESS_SYSFS_H
#define VIPZONE_ADMIN_ACCESS_SYSFS_H

#include <linux/sysfs.h>

extern const struct attribute_group vipzone_access_group;

#endif
