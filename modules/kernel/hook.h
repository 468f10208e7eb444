/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_HOOKS_H
#define MEMSUITE_HOOKS_H

#include <memsuite/hook.h>

#define MS_POINT_CANDIDATES	4
#define MS_POINT_ARGS		4

/* In place of a position: the function has no such argument, it is 0. */
#define MS_NO_ARG		0xff

/**
 * struct ms_candidate - one function that a point may be found at
 * @symbol: its name
 * @args: argument positions, in the order that the point's handler takes them
 */
struct ms_candidate {
	const char *symbol;
	u8 args[MS_POINT_ARGS];
};

/**
 * struct ms_point - a hook point
 * @name: logical name, a directory in /sys/kernel/memsuite/hooks
 * @answers: the handler may answer in place of the function
 * @candidates: functions, newest kernel first
 */
struct ms_point {
	const char *name;
	bool answers;
	struct ms_candidate candidates[MS_POINT_CANDIDATES];
};

extern const struct ms_point ms_points[MS_NR_POINTS];

unsigned long ms_bare_return(unsigned long value);

/*
 * hook_check_mremap.c: ms_remap_prove() makes a hook at MS_POINT_REMAP, whose handler is
 * ms_remap_seen(), fire. 0, -ENXIO: it did not as expected, or another error:
 * that cannot be told.
 */
void ms_remap_seen(struct mm_struct *mm, unsigned long from, unsigned long to,
		   unsigned long length);
int ms_remap_prove(void);

#endif
