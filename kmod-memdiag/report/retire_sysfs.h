/* SPDX-License-Identifier: GPL-2.0-only */
/* Retiring pages by hand. */
#ifndef MEMDIAG_REPORT_RETIRE_SYSFS_H
#define MEMDIAG_REPORT_RETIRE_SYSFS_H

struct attribute_group;

extern const struct attribute_group memdiag_retire_group;

#endif
