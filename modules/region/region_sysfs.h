/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_REGION_REGION_SYSFS_H
#define MEMSUITE_REGION_REGION_SYSFS_H

#include <linux/sysfs.h>

/* The files of a region's directory, once memsuite_region_sysfs_init() has made them. */
extern const struct attribute_group *memsuite_region_groups[];

void memsuite_region_sysfs_init(void);

#endif
