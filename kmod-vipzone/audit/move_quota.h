/* SPDX-License-Identifier: GPL-2.0-only */
/* How much may be moved in the background, by all who do: audit/quota_kib_s. */
#ifndef VIPZONE_AUDIT_MOVE_QUOTA_H
#define VIPZONE_AUDIT_MOVE_QUOTA_H

#include <linux/types.h>

/**
 * vipzone_move_quota_take() - take all that may be moved now
 *
 * Context: may sleep.
 * Return: pages; what is not used of them goes back by vipzone_move_quota_return().
 */
long vipzone_move_quota_take(void);

/**
 * vipzone_move_quota_return() - say what was made of it
 * @pages: what is left; below 0, if it was more
 * @moved: pages that were moved
 * @moving_ns: how long that took, from which the rate follows if the kernel chooses it
 *
 * Context: may sleep.
 */
void vipzone_move_quota_return(long pages, u64 moved, u64 moving_ns);

/* In KiB a second. */
unsigned int vipzone_move_quota_rate(void);

/* From then on the kernel does not choose it. Returns 0. */
int vipzone_move_quota_set_rate(u64 kib_s);

/* Whether the kernel chooses it. */
bool vipzone_move_quota_is_auto(void);

/* Returns 0. */
int vipzone_move_quota_set_auto(bool on);

#define VIPZONE_MOVE_QUOTA_MAX	(64ULL << 20)	/* KiB a second */

#endif
