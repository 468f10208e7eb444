/* SPDX-License-Identifier: GPL-2.0-only */
/* Time for crash.c: each look is long after the one before. */
#ifndef CRASH_LINUX_JIFFIES_H
#define CRASH_LINUX_JIFFIES_H

#include <linux/blkdev.h>

static unsigned long crash_jiffies;

#define jiffies			(crash_jiffies += 60 * HZ)
#define time_before(a, b)	((long)((a) - (b)) < 0)

#endif
