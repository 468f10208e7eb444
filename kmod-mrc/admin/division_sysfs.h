/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory division, in sysfs. */
#ifndef MRC_ADMIN_DIVISION_SYSFS_H
#define MRC_ADMIN_DIVISION_SYSFS_H

struct attribute_group;

extern const struct attribute_group mrc_division_group;

#endif
