/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_HOOKS_H
#define MEMSUITE_HOOKS_H

#include <memsuite/hook.h>

#define MEMSUITE_HOOK_POINT_CANDIDATES	4
#define MEMSUITE_HOOK_POINT_ARGS		4

/* In place of a position: the function has no such argument, it is 0. */
#define MEMSUITE_NO_ARG		0xff

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
 * @answers: the handler may answer in place of the function
 * @candidates: functions, newest kernel first
 */
struct memsuite_hook_point {
	const char *name;
	bool answers;
	struct memsuite_hook_candidate candidates[MEMSUITE_HOOK_POINT_CANDIDATES];
};

extern const struct memsuite_hook_point memsuite_hook_points[MEMSUITE_NR_HOOK_POINTS];

unsigned long memsuite_bare_return(unsigned long value);

/*
 * hook_check_mremap.c: memsuite_hook_check_mremap() makes a hook at
 * MEMSUITE_HOOK_POINT_MREMAP_MOVE, whose handler is memsuite_mremap_seen(), fire.
 * 0; -ENXIO: it did not fire as expected; another error: that cannot be told.
 */
void memsuite_mremap_seen(struct mm_struct *mm, unsigned long from, unsigned long to,
			  unsigned long length);
int memsuite_hook_check_mremap(void);

#endif
