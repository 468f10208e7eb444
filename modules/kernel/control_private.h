/* SPDX-License-Identifier: GPL-2.0-only */
/* The roots, for main.c; all else is in memsuite/control.h. */
#ifndef MEMSUITE_KERNEL_CONTROL_PRIVATE_H
#define MEMSUITE_KERNEL_CONTROL_PRIVATE_H

int memsuite_control_init(void);
void memsuite_control_exit(void);

#endif
