/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs the administrator leaves to the kernel's own threads. */
#ifndef MEMSUITE_COMPAT_HOUSEKEEPING_H
#define MEMSUITE_COMPAT_HOUSEKEEPING_H

#include <linux/cpumask.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>

#if MEMSUITE_HAVE_HK_TYPE
#define MEMSUITE_HK_DOMAIN	HK_TYPE_DOMAIN
#define MEMSUITE_HK_TICK	HK_TYPE_TICK
#else
#define MEMSUITE_HK_DOMAIN	HK_FLAG_DOMAIN
#define MEMSUITE_HK_TICK	HK_FLAG_TICK
#endif

/*
 * Without those of isolcpus= and nohz_full=, and of isolated partitions where the kernel tells:
 * they come and go, so under RCU.
 */
static inline void memsuite_housekeeping_and(struct cpumask *mask)
{
	rcu_read_lock();
	cpumask_and(mask, mask, housekeeping_cpumask(MEMSUITE_HK_DOMAIN));
	cpumask_and(mask, mask, housekeeping_cpumask(MEMSUITE_HK_TICK));
	rcu_read_unlock();
}

static inline bool memsuite_housekeeping_has(int cpu)
{
	bool has;

	rcu_read_lock();
	has = housekeeping_test_cpu(cpu, MEMSUITE_HK_DOMAIN) &&
	      housekeeping_test_cpu(cpu, MEMSUITE_HK_TICK);
	rcu_read_unlock();
	return has;
}

#endif
