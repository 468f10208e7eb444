/* SPDX-License-Identifier: GPL-2.0-only */
/* How the kernel counts allocations by node, and guards who is told of them. */
#ifndef MEMSUITE_COMPAT_VMSTAT_H
#define MEMSUITE_COMPAT_VMSTAT_H

#include <linux/mm.h>
#include <linux/tracepoint.h>
#include <linux/vmstat.h>

#ifdef CONFIG_NUMA
#if MEMSUITE_HAVE_NUMA_EVENTS
static inline void memsuite_vmstat_count(struct zone *zone, enum numa_stat_item item)
{
	this_cpu_inc(zone->per_cpu_zonestats->vm_numa_event[item]);
}
#else
/* Up to 5.13: 16 bits of a CPU, which the kernel adds up each second; they may not overflow. */
static inline void memsuite_vmstat_count(struct zone *zone, enum numa_stat_item item)
{
	if (likely(this_cpu_inc_return(zone->pageset->vm_numa_stat_diff[item]) <= U16_MAX / 2))
		return;
	this_cpu_sub(zone->pageset->vm_numa_stat_diff[item], U16_MAX / 2);
	zone_numa_state_add(U16_MAX / 2, zone, item);
}
#endif
#endif

/* A page of the zone was allocated where that was wanted. */
static inline void memsuite_vmstat_count_node(struct zone *zone)
{
#ifdef CONFIG_NUMA
	memsuite_vmstat_count(zone, NUMA_HIT);
	memsuite_vmstat_count(zone, zone_to_nid(zone) == numa_node_id() ? NUMA_LOCAL :
								       NUMA_OTHER);
#endif
}

/*
 * Pages of programs' own that reclaim has taken since the machine was booted. From 7.2 on it is
 * in the statistics of nodes, and the event of that number is another one; before, the counts of
 * all CPUs are added up.
 */
static inline unsigned long memsuite_vmstat_stolen_anon(void)
{
#if MEMSUITE_HAVE_NODE_STEAL
	return global_node_page_state(PGSTEAL_ANON);
#else
	unsigned long event[NR_VM_EVENT_ITEMS];

	all_vm_events(event);
	return event[PGSTEAL_ANON];
#endif
}

/* Who listens at a tracepoint may be called, and does not go meanwhile. */
#if MEMSUITE_HAVE_TRACEPOINT_SRCU_FAST
typedef struct srcu_ctr __percpu *memsuite_trace_guard;

static inline memsuite_trace_guard memsuite_trace_enter(void)
{
	preempt_disable_notrace();
	return srcu_read_lock_fast_notrace(&tracepoint_srcu);
}

static inline void memsuite_trace_exit(memsuite_trace_guard guard)
{
	srcu_read_unlock_fast_notrace(&tracepoint_srcu, guard);
	preempt_enable_notrace();
}
#else
typedef bool memsuite_trace_guard;

static inline memsuite_trace_guard memsuite_trace_enter(void)
{
	preempt_disable_notrace();
	return true;
}

static inline void memsuite_trace_exit(memsuite_trace_guard guard)
{
	preempt_enable_notrace();
}
#endif

#endif
