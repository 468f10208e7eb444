/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of performance events, from 5.10 to 7.2. */
#ifndef MEMSUITE_COMPAT_PERF_H
#define MEMSUITE_COMPAT_PERF_H

#include <linux/perf_event.h>

/* Where a flag says it (6.1 on), an address that the event does not tell is garbage. */
#if MEMSUITE_HAVE_SAMPLE_FLAGS
#define memsuite_sample_has_addr(data)	((data)->sample_flags & PERF_SAMPLE_ADDR)
#else
#define memsuite_sample_has_addr(data)	((data)->addr != 0)
#endif

#endif
