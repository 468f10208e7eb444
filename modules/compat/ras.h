/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoint ras:mc_event, which rasdaemon listens to; without CONFIG_RAS nobody does. */
#ifndef MEMSUITE_COMPAT_RAS_H
#define MEMSUITE_COMPAT_RAS_H

#include <linux/types.h>

#ifdef CONFIG_RAS
#include <linux/edac.h>
#include <ras/ras_event.h>
#else
#define HW_EVENT_ERR_INFO 4

static inline void trace_mc_event(unsigned int type, const char *message, const char *label,
				  int count, u8 controller, s8 top, s8 middle, s8 low,
				  unsigned long address, u8 grain_bits, unsigned long syndrome,
				  const char *detail)
{
}
#endif

#endif
