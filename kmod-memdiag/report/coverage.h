/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of the memory was tested lately. */
#ifndef MEMDIAG_REPORT_COVERAGE_H
#define MEMDIAG_REPORT_COVERAGE_H

struct attribute_group;
struct dentry;

extern const struct attribute_group memdiag_coverage_group;

/* debugfs memdiag/coverage */
void memdiag_coverage_init(struct dentry *debugfs);

#endif
