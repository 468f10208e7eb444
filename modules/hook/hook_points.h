/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_HOOK_HOOK_POINTS_H
#define MEMSUITE_HOOK_HOOK_POINTS_H

#include <memsuite/hook.h>

#define MEMSUITE_HOOK_POINT_CANDIDATES	4
#define MEMSUITE_HOOK_POINT_ARGS		4

/* In place of a position: the function has no such argument, it is 0. */
#define MEMSUITE_HOOK_NO_ARG		0xff

/**
 * struct memsuite_hook_candidate - one function that a point may be found at
 * @symbol: its name
 * @args: argument positions, in the order that the point's handler takes them
 */
struct memsuite_hook_candidate {
	const char *symbol;
	u8 args[MEMSUITE_HOOK_POINT_ARGS];
};

/**
 * struct memsuite_hook_point - a hook point
 * @name: logical name, a directory in /sys/kernel/memsuite/hooks
 * @nr_args: how many arguments the handler takes
 * @answers: the handler may answer in place of the function
 * @candidates: functions, newest kernel first
 */
struct memsuite_hook_point {
	const char *name;
	u8 nr_args;
	bool answers;
	struct memsuite_hook_candidate candidates[MEMSUITE_HOOK_POINT_CANDIDATES];
};

extern const struct memsuite_hook_point memsuite_hook_points[MEMSUITE_NR_HOOK_POINTS];

#endif
