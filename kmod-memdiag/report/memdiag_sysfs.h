/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory of memdiag in sysfs. */
#ifndef MEMDIAG_REPORT_MEMDIAG_SYSFS_H
#define MEMDIAG_REPORT_MEMDIAG_SYSFS_H

/* With all its files. May sleep. Returns 0 or an error. */
int memdiag_sysfs_init(void);
void memdiag_sysfs_exit(void);

#endif
