/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands between the tests and the memory cells. */
#ifndef MEMDIAG_REPORT_EFFECTIVENESS_H
#define MEMDIAG_REPORT_EFFECTIVENESS_H

struct attribute_group;

extern const struct attribute_group effectiveness_group;

/* Measure it once. May sleep. */
void effectiveness_init(void);

#endif
