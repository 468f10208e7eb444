/* SPDX-License-Identifier: GPL-2.0-only */
/* Uevents of the module: SUBSYSTEM=module, DEVPATH=/module/memdiag, ACTION=change. */
#ifndef MEMDIAG_RESULT_EVENT_H
#define MEMDIAG_RESULT_EVENT_H

#include <linux/compiler.h>

#include "result/area.h"

/*
 * One is made at a time: begin, add its variables, send. There is always memory for the text: what
 * user space is not told of it does not keep. All may sleep, so none is made under a lock that who
 * tests may wait for.
 */
void memdiag_event_begin(const char *kind);
__printf(1, 2) void memdiag_event_add(const char *format, ...);
/* START, END, STRIDE, BITS and LANE. */
void memdiag_event_add_area(const struct memdiag_area *area);
void memdiag_event_send(void);

#endif
