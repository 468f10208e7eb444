/* SPDX-License-Identifier: GPL-2.0-only */
/* memdiag/range: the test of a range that an administrator asks for. */
#ifndef MEMDIAG_REPORT_RANGE_SYSFS_H
#define MEMDIAG_REPORT_RANGE_SYSFS_H

struct attribute_group;

extern const struct attribute_group memdiag_range_group;

/* Cancel the test, if one is running. May sleep. */
void memdiag_range_stop(void);

#endif
