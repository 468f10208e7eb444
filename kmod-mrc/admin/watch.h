/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether targets are tracked, and the look at them each second. */
#ifndef MRC_ADMIN_WATCH_H
#define MRC_ADMIN_WATCH_H

#include <linux/types.h>

struct mrc_contention {
	bool only;		/* tracked only under contention */
	bool now;		/* memory is short */
	u32 pressure_pct;
	u32 available_pct;
};

extern struct mrc_contention mrc_contention;

int mrc_watch_enable(bool on);
bool mrc_watch_enabled(void);
int mrc_watch_contended_only(bool on);
const char *mrc_watch_source(void);
void mrc_watch_kick(void);
void mrc_watch_stop(void);

#endif
