/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_NOTIFY_MEMORY_HOTPLUG_H
#define MEMSUITE_NOTIFY_MEMORY_HOTPLUG_H

int memsuite_memory_hotplug_init(void);
void memsuite_memory_hotplug_exit(void);

#endif
