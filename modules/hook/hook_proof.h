/* SPDX-License-Identifier: GPL-2.0-only */
/* A call by the arming task that a hook must see as it was made. */
#ifndef MEMSUITE_HOOK_HOOK_PROOF_H
#define MEMSUITE_HOOK_HOOK_PROOF_H

#include "hook/hook_private.h"

/**
 * struct memsuite_hook_proof - what a call must look like where it is hooked
 * @agrees: whether these are its arguments, by the point's table; may edit that of
 *	alloc.entry. Called where the function is hooked, for the arming task alone. What
 *	arguments lead to is not proven: it is read by copy_from_kernel_nofault().
 *	NULL: memsuite_hook_proof_agrees()
 * @expected: the arguments
 * @halves: bits of those that are ints: the other half of a register has anything
 * @answer: what the function is to return then, where a hook answers
 * @seen: it agreed
 */
struct memsuite_hook_proof {
	bool (*agrees)(struct memsuite_hook_proof *proof, unsigned long *args);
	unsigned long expected[MEMSUITE_HOOK_POINT_ARGS];
	unsigned long halves;
	unsigned long answer;
	bool seen;
};

/* Whether these are the arguments that are expected. */
bool memsuite_hook_proof_agrees(const struct memsuite_hook_proof *proof, const unsigned long *args);

/* From here on to the end, calls of this task are compared. One at a time. */
void memsuite_hook_proof_begin(struct memsuite_hook_proof *proof);
void memsuite_hook_proof_end(void);

/* While a point is being proven, in place of its handlers; of other tasks it looks at nothing. */
bool memsuite_hook_proof_meet(struct memsuite_hook_state *point, struct memsuite_hook_call *call);

#endif
