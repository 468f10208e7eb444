/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_RETIRE_PAGES_SYSFS_H
#define MEMSUITE_RETIRE_PAGES_SYSFS_H

int memsuite_pages_sysfs_init(void);
void memsuite_pages_sysfs_exit(void);

#endif
