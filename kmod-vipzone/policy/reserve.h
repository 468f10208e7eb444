/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of the regions of a policy is not reserved (ViPZonE, THRESHOLD). The
 * free memory of each is looked at ten times a second while faults ask for it,
 * else once; what the policy hands out in between is subtracted, in batches, so
 * that faults share no counter.
 */
#ifndef VIPZONE_ROOM_H
#define VIPZONE_ROOM_H

#include <linux/atomic.h>
#include <linux/percpu.h>

struct policy;

/**
 * struct room - what is not reserved of one region
 * @pages: how many, less what the CPUs took
 * @credit: of that, what a CPU may hand out still
 */
struct room {
	atomic_long_t pages;
	long __percpu *credit;
};

/* Whether the region has more than its reserve. Preemption off. */
static inline bool room_left(const struct room *room)
{
	return this_cpu_read(*room->credit) > 0 ||
	       atomic_long_read(&room->pages) > 0;
}

/* Pages were handed out. Preemption off. */
void room_spend(struct room *room, unsigned long pages);

/*
 * Opens the rooms of all targets of @policy, if its kind asks for that, and
 * looks at them from now on. 0 or -ENOMEM. May sleep.
 */
int rooms_open(struct policy *policy);

/* Undoes it, whole or half done. May sleep. */
void rooms_close(struct policy *policy);

#endif
