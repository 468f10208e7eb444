/* SPDX-License-Identifier: GPL-2.0-only */
/* Tested pages ahead of allocation. */
#ifndef MEMDIAG_PATHS_PRETEST_POOL_H
#define MEMDIAG_PATHS_PRETEST_POOL_H

struct attribute_group;

extern const struct attribute_group memdiag_pretest_group;

/* With the controller. May sleep. */
void memdiag_pretest_start(void);
void memdiag_pretest_stop(void);

#endif
