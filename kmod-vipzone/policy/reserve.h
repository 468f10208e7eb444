/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A policy may reserve a part of its regions for memory that is used much (ViPZonE,
 * THRESHOLD). This tells how much of each region is free beyond that. Free memory
 * is looked at ten times a second while faults ask for it, else once a second. What
 * the policy hands out in between is subtracted, in batches, so that faults share
 * no counter.
 */
#ifndef VIPZONE_POLICY_RESERVE_H
#define VIPZONE_POLICY_RESERVE_H

#include <linux/atomic.h>
#include <linux/percpu.h>

struct vipzone_policy;

/**
 * struct vipzone_reserve - what is free of one region beyond its reserve
 * @pages: how many pages, less those that CPUs took
 * @credit: those of them that a CPU took, and may still hand out
 */
struct vipzone_reserve {
	atomic_long_t pages;
	long __percpu *credit;
};

/* Whether the region has more free than its reserve. Preemption off. */
static inline bool vipzone_reserve_has_spare(const struct vipzone_reserve *reserve)
{
	return this_cpu_read(*reserve->credit) > 0 ||
	       atomic_long_read(&reserve->pages) > 0;
}

/* Pages were handed out. Preemption off. */
void vipzone_reserve_spend(struct vipzone_reserve *reserve, unsigned long pages);

/*
 * Looks at the free memory of all targets of @policy from now on, if its kind has
 * reserves. 0 or -ENOMEM. May sleep.
 */
int vipzone_reserves_init(struct vipzone_policy *policy);

/* Undoes that, also after an error. May sleep. */
void vipzone_reserves_exit(struct vipzone_policy *policy);

#endif
