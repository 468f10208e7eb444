/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_ASM_CPUFEATURE_H
#define HOST_ASM_CPUFEATURE_H

#include <cpuid.h>
#include <stdbool.h>

enum { X86_FEATURE_AVX2, X86_FEATURE_AVX512F, X86_FEATURE_CLFLUSHOPT };

static inline bool boot_cpu_has(int feature)
{
	unsigned int a, b, c, d;

	if (feature == X86_FEATURE_AVX2)
		return __builtin_cpu_supports("avx2");
	if (feature == X86_FEATURE_AVX512F)
		return __builtin_cpu_supports("avx512f");
	/* GCC does not know this one. */
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 23 & 1;
}

#endif
