// SPDX-License-Identifier: GPL-2.0-only
/* The counters of the processors for accesses to memory; access_counters.h. */

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include <compat/compat.h>

#include "energy/access_counters.h"

#define CACHE_MISS(op)							\
	(PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_##op << 8 |	\
	 PERF_COUNT_HW_CACHE_RESULT_MISS << 16)
#define SCALE_SHIFT	20

/*
 * The best first. Misses of "node" are accesses to another node's memory, and so
 * not all.
 */
static const struct vipzone_counter_events candidates[] = {
	{
		.nr = 2,
		.event[VIPZONE_ACCESS_READ] = {
			.type = PERF_TYPE_HW_CACHE, .config = CACHE_MISS(READ),
		},
		.event[VIPZONE_ACCESS_WRITE] = {
			.type = PERF_TYPE_HW_CACHE, .config = CACHE_MISS(WRITE),
		},
	},
	{
		.nr = 1,
		.event[VIPZONE_ACCESS_READ] = {
			.type = PERF_TYPE_HARDWARE,
			.config = PERF_COUNT_HW_CACHE_MISSES,
		},
	},
};

/**
 * struct last_counts - of a CPU
 * @count: what its counters said when they were last asked
 */
struct last_counts {
	u64 count[VIPZONE_NR_ACCESS_KINDS];
};

struct vipzone_counter_events vipzone_counter_events;

static DEFINE_PER_CPU(struct last_counts, last_counts);
static struct memsuite_perf_counter counters[VIPZONE_NR_ACCESS_KINDS];
static u64 enabled_ns, running_ns;	/* of all counters, at the last round */
static u64 all_enabled_ns, all_running_ns;	/* since they were opened */
static u64 scale = 1 << SCALE_SHIFT;	/* and is looked at by anybody */

bool vipzone_counters_are_usable(const struct vipzone_counter_events *events)
{
	unsigned int i;

	for (i = 0; i < events->nr; i++) {
		struct memsuite_perf_counter one = { .event = events->event[i] };

		if (memsuite_perf_counter_try(&one))
			return false;
	}
	return true;
}

bool vipzone_counters_find(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(candidates); i++)
		if (vipzone_counters_are_usable(&candidates[i])) {
			vipzone_counter_events = candidates[i];
			return true;
		}
	vipzone_counter_events = candidates[0];
	return false;
}

static void counters_reset(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&last_counts, cpu), 0, sizeof(struct last_counts));
	enabled_ns = 0;
	running_ns = 0;
	all_enabled_ns = 0;
	all_running_ns = 0;
	WRITE_ONCE(scale, 1 << SCALE_SHIFT);
}

/* The first @nr. */
static void counters_close(unsigned int nr)
{
	while (nr--)
		memsuite_perf_counter_close(&counters[nr]);
}

int vipzone_counters_open(void)
{
	unsigned int i;
	int err;

	counters_reset();
	for (i = 0; i < vipzone_counter_events.nr; i++) {
		counters[i].event = vipzone_counter_events.event[i];
		err = memsuite_perf_counter_open(&counters[i]);
		if (err) {
			counters_close(i);
			return err;
		}
	}
	return 0;
}

void vipzone_counters_close(void)
{
	counters_close(vipzone_counter_events.nr);
}

/* Since the last time. */
static u64 counter_take(unsigned int kind)
{
	u64 *last = this_cpu_ptr(&last_counts.count[kind]), was = *last;

	*last = memsuite_perf_counter_count(&counters[kind]);
	/* A CPU that has gone and come has a new one. */
	return *last < was ? *last : *last - was;
}

void vipzone_counters_take(u64 *counted)
{
	unsigned int i;

	for (i = 0; i < vipzone_counter_events.nr; i++)
		counted[i] = counter_take(i);
}

void vipzone_counters_cover(void)
{
	unsigned int i;

	for (i = 0; i < vipzone_counter_events.nr; i++)
		memsuite_perf_counter_cover(&counters[i]);
}

/* A sum is less than the last one if CPUs have gone: that round tells nothing. */
void vipzone_counters_end_round(void)
{
	u64 enabled = 0, running = 0, e, r;
	unsigned int i;
	int cpu;

	for_each_online_cpu(cpu)
		for (i = 0; i < vipzone_counter_events.nr; i++) {
			memsuite_perf_counter_time(&counters[i], cpu, &e, &r);
			enabled += e;
			running += r;
		}
	if (enabled > enabled_ns && running > running_ns) {
		WRITE_ONCE(scale,
			   mul_u64_u64_div_u64(enabled - enabled_ns,
					       1 << SCALE_SHIFT,
					       running - running_ns));
		all_running_ns += running - running_ns;
	}
	if (enabled > enabled_ns)
		all_enabled_ns += enabled - enabled_ns;
	enabled_ns = enabled;
	running_ns = running;
}

u64 vipzone_counters_running_pct(void)
{
	return all_enabled_ns ?
		mul_u64_u64_div_u64(all_running_ns, 100, all_enabled_ns) : 100;
}

bool vipzone_counters_are_apart(void)
{
	return READ_ONCE(vipzone_counter_events.nr) > 1;
}

u64 vipzone_counters_scaled(u64 counted)
{
	return mul_u64_u64_shr(counted, READ_ONCE(scale), SCALE_SHIFT);
}
