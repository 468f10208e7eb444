/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BANKMAP_NATIVE_H
#define BANKMAP_NATIVE_H

#include "memory.h"

/* Whether this is a virtual machine. */
bool native_is_virtual(void);

/**
 * native_open() - take memory of this machine to measure
 * @memory: result: what of it lies in that range, which may be nothing
 * @mib: how much to take
 * @from: first physical address
 * @to: the address behind the last
 *
 * Needs CAP_SYS_ADMIN, which reading frame numbers in /proc/self/pagemap does.
 *
 * Return: NULL, or what went wrong.
 */
const char *native_open(struct memory *memory, size_t mib, uint64_t from,
			uint64_t to);

/* How many cycles of the time-stamp counter go by in a nanosecond. */
double native_cycles_per_ns(void);

#endif
