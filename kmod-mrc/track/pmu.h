/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters on all CPUs whose samples tell addresses: PEBS, IBS. */
#ifndef MRC_TRACK_PMU_H
#define MRC_TRACK_PMU_H

#include <linux/types.h>

#include <memsuite/perf_counter.h>

struct mm_struct;
struct mrc_addr_ring;

#define MRC_SAMPLE_PERIOD_MAX	100000000

extern u32 mrc_sample_period;

int mrc_pmu_usable(void);
int mrc_pmu_set(const struct memsuite_perf_event *event);
void mrc_pmu_get(struct memsuite_perf_event *event);
int mrc_pmu_watch(struct mrc_addr_ring *ring, struct mm_struct *mm);
void mrc_pmu_unwatch(struct mrc_addr_ring *ring);
u32 mrc_pmu_cover(void);

#endif
