/* SPDX-License-Identifier: GPL-2.0-only */
/* What give_back.c tells hotplug.c; all else is in memsuite/hotplug.h. */
#ifndef MEMSUITE_RETIRE_HOTPLUG_PRIVATE_H
#define MEMSUITE_RETIRE_HOTPLUG_PRIVATE_H

/* It is online now: retire what was found bad of it. Context: may sleep. */
void memsuite_hotplug_retire(void);

#endif
