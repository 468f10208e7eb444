/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_NOTIFY_SYSTEM_SLEEP_H
#define MEMSUITE_NOTIFY_SYSTEM_SLEEP_H

int memsuite_system_sleep_init(void);
void memsuite_system_sleep_exit(void);

#endif
