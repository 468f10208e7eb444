/* SPDX-License-Identifier: GPL-2.0-only */
/* The text form of a performance event. Pure logic. */
#ifndef MRC_EVENT_H
#define MRC_EVENT_H

#include <linux/types.h>

/**
 * struct mrc_event - a performance event
 * @type: of its PMU, as in /sys/bus/event_source/devices/PMU/type
 * @config: what it counts, in that PMU's own terms
 * @config1: and what else
 */
struct mrc_event {
	u32 type;
	u64 config;
	u64 config1;
};

int mrc_event_parse(const char *text, struct mrc_event *event);

#endif
