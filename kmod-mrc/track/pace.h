/* SPDX-License-Identifier: GPL-2.0-only */
/* How trackers sleep, and what they may cost. */
#ifndef MRC_TRACK_PACE_H
#define MRC_TRACK_PACE_H

#include <linux/types.h>

struct mrc_target;

bool mrc_pace_stopping(void);
bool mrc_pace_sleep_until(u64 us);
void mrc_pace_pause(u64 us);

u64 mrc_pace_cpu_ns(void);
u64 mrc_pace_earned_us(u64 ns);
u64 mrc_pace_total_earned_us(u64 ns);
u64 mrc_pace_after_ladder(struct mrc_target *t, u64 took_us);

#endif
