/* SPDX-License-Identifier: GPL-2.0-only */
/* Uevents of the module: SUBSYSTEM=module, DEVPATH=/module/memdiag, ACTION=change. */
#ifndef MEMDIAG_RESULT_EVENT_H
#define MEMDIAG_RESULT_EVENT_H

#include <linux/compiler.h>

#include "result/area.h"

/*
 * One is made at a time, under the lock of the list of bad pages: begin, add its variables, send.
 * There is always memory for it: what user space is not told of it does not keep.
 */
void memdiag_event_begin(const char *kind);
__printf(1, 2) void memdiag_event_add(const char *format, ...);
/* START, END, STRIDE, BITS and LANE. */
void memdiag_event_add_area(const struct memdiag_area *area);
/* May sleep. */
void memdiag_event_send(void);

#endif
