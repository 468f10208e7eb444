/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters on all CPUs whose samples tell addresses: PEBS, IBS. */
#ifndef MRC_TRACK_PMU_H
#define MRC_TRACK_PMU_H

#include <linux/types.h>

#include <memsuite/perf_counter.h>

struct mm_struct;
struct mrc_trail;

#define MRC_SAMPLE_PERIOD_MAX	100000000

extern u32 mrc_sample_period;

int mrc_monitor_usable(void);
int mrc_monitor_set(const struct memsuite_perf_event *event);
void mrc_monitor_get(struct memsuite_perf_event *event);
int mrc_monitor_watch(struct mrc_trail *trail, struct mm_struct *mm);
void mrc_monitor_unwatch(struct mrc_trail *trail);
u32 mrc_monitor_cover(void);

#endif
