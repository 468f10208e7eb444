/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of the processors for accesses to memory: those of programs that
 * miss the last cache. There is one on each CPU, which counts whoever runs there.
 */
#ifndef VIPZONE_ENERGY_ACCESS_COUNTERS_H
#define VIPZONE_ENERGY_ACCESS_COUNTERS_H

#include <linux/types.h>

#include <memsuite/perf_counter.h>

#include "energy/energy_model.h"

/**
 * struct vipzone_counter_events - what is counted
 * @event: reads, and writes; or both, and nothing
 * @nr: how many of them there are
 */
struct vipzone_counter_events {
	struct memsuite_perf_event event[VIPZONE_NR_ACCESS_KINDS];
	unsigned int nr;
};

/*
 * What is counted; changes only while the counters are closed. All that is not
 * told otherwise below is for one caller at a time.
 */
extern struct vipzone_counter_events vipzone_counter_events;

/* Finds events that this machine has; whether there are any. May sleep. */
bool vipzone_counters_find(void);

/* Whether this machine counts them. May sleep. */
bool vipzone_counters_are_usable(const struct vipzone_counter_events *events);

/**
 * vipzone_counters_open() - begin to count, from zero
 *
 * Context: may sleep.
 * Return: 0, else as memsuite_perf_counter_open().
 */
int vipzone_counters_open(void);

/* Nobody calls vipzone_counters_take() any more. May sleep. */
void vipzone_counters_close(void);

/* What this CPU has counted since the last time, by event. Interrupts are off. */
void vipzone_counters_take(u64 *counted);

/* Covers CPUs that have come, before a round. May sleep. */
void vipzone_counters_cover(void);

/* A round is over: finds out how much of the time was counted. May sleep. */
void vipzone_counters_end_round(void);

/* How much of the time was counted, in percent, since they were opened. */
u64 vipzone_counters_running_pct(void);

/* Whether reads and writes are counted apart, or by one event. By anybody. */
bool vipzone_counters_are_apart(void);

/*
 * What @counted stands for, as the PMU had other events to count, too. Pure. By
 * anybody.
 */
u64 vipzone_counters_scaled(u64 counted);

#endif
