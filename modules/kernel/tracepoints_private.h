/* SPDX-License-Identifier: GPL-2.0-only */
/* What only the core asks of tracepoints; all else is in memsuite/tracepoints.h. */
#ifndef MEMSUITE_KERNEL_TRACEPOINTS_PRIVATE_H
#define MEMSUITE_KERNEL_TRACEPOINTS_PRIVATE_H

struct tracepoint;

/* The kernel's tracepoint of a name, or NULL. Context: may sleep. */
struct tracepoint *memsuite_tracepoint_find(const char *name);

#endif
