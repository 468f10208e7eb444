/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands between the tests and the memory cells. */
#ifndef MEMDIAG_REPORT_EFFECTIVENESS_H
#define MEMDIAG_REPORT_EFFECTIVENESS_H

struct attribute_group;

extern const struct attribute_group memdiag_effectiveness_group;

/* Measure it once. May sleep. */
void memdiag_effectiveness_init(void);

#endif
