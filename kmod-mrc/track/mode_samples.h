/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mode in which the processor tells which addresses are accessed (paper
 * 001's hardware monitor, section 3.1, by what real processors have: PEBS, IBS).
 */
#ifndef MRC_SAMPLES_H
#define MRC_SAMPLES_H

#include <linux/types.h>

#include <memsuite/perf_counter.h>

#include "track/addr_ring.h"

struct mm_struct;
struct mrc_target;

/* pmu.c: counters on all CPUs. */
#define MRC_SAMPLE_PERIOD_MAX	100000000

extern u32 mrc_sample_period;
int mrc_monitor_usable(void);
int mrc_monitor_set(const struct memsuite_perf_event *event);
void mrc_monitor_get(struct memsuite_perf_event *event);
int mrc_monitor_watch(struct mrc_trail *trail, struct mm_struct *mm);
void mrc_monitor_unwatch(struct mrc_trail *trail);
u32 mrc_monitor_cover(void);

/* mode_samples.c */
int mrc_samples_window(struct mrc_target *t);
void mrc_samples_stop(struct mrc_target *t);

#endif
