/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who enters a cgroup whose policy has the option "move": pages that such a process has before
 * are moved in the background.
 */
#ifndef VIPZONE_AUDIT_ENTRANTS_H
#define VIPZONE_AUDIT_ENTRANTS_H

#include <linux/types.h>

struct vipzone_policy;

/**
 * vipzone_entrants_start() - listen to who enters a cgroup, unless that is done already
 *
 * To be called before a policy with "move" is there. Context: may sleep.
 * Return: 0, -EOPNOTSUPP (no such tracepoint), -ENOMEM or another error.
 */
int vipzone_entrants_start(void);

/* The policy of a cgroup was set or removed: nobody is known any more to have been moved. */
void vipzone_entrants_forget(void);

/**
 * vipzone_entrants_gather() - the members that a cgroup has are moved as if they entered now
 * @policy: that of the cgroup; may be gone
 *
 * Context: may sleep.
 */
void vipzone_entrants_gather(const struct vipzone_policy *policy);

/* Listens no more, and waits for who listens and moves. May sleep. */
void vipzone_entrants_stop(void);

/* Processes whose pages are yet to be moved, or are being moved. */
u64 vipzone_entrants_waiting(void);

/* Processes whose pages were moved. */
u64 vipzone_entrants_moved(void);

/* Times that a process was to be looked at again, since pages of it were busy. */
u64 vipzone_entrants_retried(void);

/* Processes that are not moved: too many wait, or there was no memory to note them. */
u64 vipzone_entrants_lost(void);

#endif
