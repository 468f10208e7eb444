/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that comes online, for the core. */
#ifndef MEMSUITE_ARRIVAL_CORE_H
#define MEMSUITE_ARRIVAL_CORE_H

/* It is online now: retire what was found bad of it. Context: may sleep. */
void memsuite_hotplug_retire(void);

#endif
