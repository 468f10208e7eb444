/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that comes online: tested before use, and retired again. */
#ifndef MEMDIAG_PATHS_HOTPLUG_TEST_H
#define MEMDIAG_PATHS_HOTPLUG_TEST_H

struct attribute_group;

extern const struct attribute_group newcomers_group;

/* May sleep. Returns 0 or an error. */
int newcomers_init(void);
void newcomers_exit(void);

#endif
