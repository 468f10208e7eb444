/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_HOOK_HOOK_SYSFS_H
#define MEMSUITE_HOOK_HOOK_SYSFS_H

int memsuite_hooks_init(void);
void memsuite_hooks_exit(void);

#endif
