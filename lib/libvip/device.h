/* SPDX-License-Identifier: GPL-2.0-only */
/* The vipzone module, as vipzone(4) describes it. */
#ifndef VIP_DEVICE_H
#define VIP_DEVICE_H

#include <stdbool.h>

/* Whether the module is loaded, and may be told. */
bool device_exists(void);

/* Make a call, as ioctl() does. */
int device_tell(unsigned long request, void *argument);

#endif
