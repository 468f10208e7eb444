// SPDX-License-Identifier: GPL-2.0-only
/*
 * What runs at a hooked function while it is being proven: the registers that the table names are
 * compared with what the arming task has called the function with. Until that is done, nobody
 * knows what is in them, so nothing else is done with them, and other tasks go by.
 */

#include <linux/bits.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "hook/hook_points.h"
#include "hook/hook_proof.h"

static struct task_struct *prover;
static struct memsuite_hook_proof *proven;

void memsuite_hook_proof_begin(struct memsuite_hook_proof *proof)
{
	proof->seen = false;
	proven = proof;
	WRITE_ONCE(prover, current);
}

void memsuite_hook_proof_end(void)
{
	WRITE_ONCE(prover, NULL);
}

bool memsuite_hook_proof_agrees(const struct memsuite_hook_proof *proof, const unsigned long *args)
{
	unsigned long arg;
	int i;

	for (i = 0; i < MEMSUITE_HOOK_POINT_ARGS; i++) {
		arg = proof->halves & BIT(i) ? (u32)args[i] : args[i];
		if (arg != proof->expected[i])
			return false;
	}
	return true;
}

static bool call_agrees(unsigned long *args)
{
	return proven->agrees ? proven->agrees(proven, args) :
				memsuite_hook_proof_agrees(proven, args);
}

bool memsuite_hook_proof_meet(struct memsuite_hook_state *point, struct memsuite_hook_call *call)
{
	unsigned long args[MEMSUITE_HOOK_POINT_ARGS], was[MEMSUITE_HOOK_POINT_ARGS];
	int i;

	if (READ_ONCE(prover) != current || !in_task())
		return false;
	for (i = 0; i < MEMSUITE_HOOK_POINT_ARGS; i++)
		args[i] = memsuite_hook_value(point, call, i);
	memcpy(was, args, sizeof(was));
	if (!call_agrees(args))
		return false;
	proven->seen = true;
	call->answer = proven->answer;
	if (memsuite_hook_points[point - memsuite_hook_states].answers)
		return true;
	for (i = 0; i < MEMSUITE_HOOK_POINT_ARGS; i++)
		if (args[i] != was[i])
			*memsuite_hook_arg(point, call, i) = args[i];
	return false;
}
