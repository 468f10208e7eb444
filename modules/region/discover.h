/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_REGION_DISCOVER_H
#define MEMSUITE_REGION_DISCOVER_H

/* Adds the regions that the firmware and the kernel tell of. Returns 0. May sleep. */
int memsuite_discover_init(void);

#endif
