/* SPDX-License-Identifier: GPL-2.0-only */
/* What notify/memory_hotplug.c tells online_inspect.c; all else is in memsuite/online_inspect.h. */
#ifndef MEMSUITE_RETIRE_ONLINE_INSPECT_PRIVATE_H
#define MEMSUITE_RETIRE_ONLINE_INSPECT_PRIVATE_H

/* It is online now: retire what was found bad of it. Context: may sleep. */
void memsuite_online_inspect_retire(void);

/* Waits until that is done; nobody calls the other any more. Context: may sleep. */
void memsuite_online_inspect_flush(void);

#endif
