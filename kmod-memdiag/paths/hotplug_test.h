/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that comes online: tested before use, and retired again. */
#ifndef MEMDIAG_PATHS_HOTPLUG_TEST_H
#define MEMDIAG_PATHS_HOTPLUG_TEST_H

struct attribute_group;

extern const struct attribute_group memdiag_hotplug_group;

/* May sleep. Returns 0 or an error. */
int memdiag_hotplug_init(void);
/* Test what comes online from now on, if it can be done and is not unwanted. May sleep. */
void memdiag_hotplug_start(void);
void memdiag_hotplug_exit(void);

#endif
