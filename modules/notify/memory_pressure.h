/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_NOTIFY_MEMORY_PRESSURE_H
#define MEMSUITE_NOTIFY_MEMORY_PRESSURE_H

int memsuite_memory_pressure_init(void);
void memsuite_memory_pressure_exit(void);

#endif
