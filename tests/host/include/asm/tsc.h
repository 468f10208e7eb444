/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_ASM_TSC_H
#define HOST_ASM_TSC_H

#include <x86intrin.h>

static inline unsigned long long rdtsc_ordered(void)
{
	_mm_lfence();
	return __rdtsc();
}

#endif
