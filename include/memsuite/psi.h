/* SPDX-License-Identifier: GPL-2.0-only */
/* How long tasks have waited for what is short (pressure stall information). */
#ifndef MEMSUITE_PSI_H
#define MEMSUITE_PSI_H

#include <linux/types.h>

enum memsuite_psi {
	MEMSUITE_PSI_MEMORY,
	MEMSUITE_PSI_CPU,
	MEMSUITE_NR_PSI
};

/**
 * memsuite_psi_read() - time in which some task of the system waited
 * @what: for what
 * @us: result: microseconds since boot, up to this moment
 *
 * It is "some" of /proc/pressure: time in which at least one task waited.
 *
 * Context: may sleep.
 * Return: 0, or -EOPNOTSUPP: the kernel has no such figure, or was booted
 * with psi=0.
 */
int memsuite_psi_read(enum memsuite_psi what, u64 *us);

#endif
