/* SPDX-License-Identifier: GPL-2.0-only */
/* How long tasks have waited for what is short (pressure stall information). */
#ifndef MEMSUITE_PRESSURE_H
#define MEMSUITE_PRESSURE_H

#include <linux/types.h>

enum ms_pressure {
	MS_PRESSURE_MEMORY,
	MS_PRESSURE_CPU,
	MS_NR_PRESSURES
};

/**
 * ms_pressure_read() - time in which some task of the system waited
 * @what: for what
 * @us: result: microseconds since boot, up to this moment
 *
 * It is "some" of /proc/pressure: time in which at least one task waited.
 *
 * Context: may sleep.
 * Return: 0, or -EOPNOTSUPP: the kernel has no such figure, or was booted
 * with psi=0.
 */
int ms_pressure_read(enum ms_pressure what, u64 *us);

#endif
