// SPDX-License-Identifier: GPL-2.0-only
/* Hook points at work, and which functions of this kernel they are at. */

#include <linux/errno.h>

#include "hook/hook_points.h"
#include "hook/hook_private.h"
#include "kernel/symbols.h"

struct memsuite_hook_state memsuite_hook_states[MEMSUITE_NR_HOOK_POINTS];

int memsuite_hook_find(enum memsuite_hook_point_id id)
{
	const struct memsuite_hook_candidate *candidate = memsuite_hook_points[id].candidates;
	const struct memsuite_hook_candidate *end = candidate + MEMSUITE_HOOK_POINT_CANDIDATES;
	struct memsuite_hook_state *point = &memsuite_hook_states[id];
	int i;

	for (; candidate < end && candidate->symbol; candidate++) {
		point->ip = memsuite_symbol_traced(candidate->symbol);
		if (!point->ip)
			continue;
		point->symbol = candidate->symbol;
		for (i = 0; i < MEMSUITE_HOOK_POINT_ARGS; i++) {
			point->has_arg[i] = i < memsuite_hook_points[id].nr_args &&
					    candidate->args[i] != MEMSUITE_HOOK_NO_ARG;
			if (point->has_arg[i])
				point->arg[i] = candidate->args[i];
		}
		return 0;
	}
	return -EOPNOTSUPP;
}
