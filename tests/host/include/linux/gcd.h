/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once
#include <linux/kernel.h>

static inline unsigned long gcd(unsigned long a, unsigned long b)
{
	unsigned long rest;

	for (; b; a = b, b = rest)
		rest = a % b;
	return a;
}
