/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints that are listened to. None of those needed is exported. */
#ifndef MEMSUITE_TRACEPOINTS_H
#define MEMSUITE_TRACEPOINTS_H

#include <linux/build_bug.h>
#include <linux/compiler.h>

struct tracepoint;

/**
 * struct memsuite_tracepoint - a tracepoint and who listens to it
 * @name: of the tracepoint
 * @function: what to call: void (*)(void *data, the tracepoint's arguments);
 *	@data is NULL. May not sleep.
 *	From 7.2 on preemption may be on, and no RCU but the tracepoints' own
 *	is held: what RCU frees is read under rcu_read_lock().
 * @tracepoint: filled in by memsuite_tracepoints_register()
 *
 * Made by MEMSUITE_TRACEPOINT().
 */
struct memsuite_tracepoint {
	const char *name;
	void *function;
	struct tracepoint *tracepoint;
};

/**
 * MEMSUITE_TRACEPOINT() - a struct memsuite_tracepoint
 * @event: name of the tracepoint; the header of the kernel that declares it is included
 * @probe: what to call
 *
 * @probe has all arguments that this kernel's tracepoint has, or it does not build: a kernel with
 * kCFI panics when it calls a function of another type.
 */
#define MEMSUITE_TRACEPOINT(event, probe)						\
	{										\
		.name = #event,								\
		.function = (void *)(probe) +						\
			BUILD_BUG_ON_ZERO(!__same_type(check_trace_callback_type_##event,	\
						       void (typeof(probe) *))),	\
	}

/**
 * memsuite_tracepoints_register() - listen to some tracepoints, to all or none
 * @probes: table
 * @nr: its length
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP (no such tracepoint), or -errno.
 */
int memsuite_tracepoints_register(struct memsuite_tracepoint *probes, unsigned int nr);

/**
 * memsuite_tracepoints_unregister() - undo memsuite_tracepoints_register()
 * @probes: table
 * @nr: its length
 *
 * Waits for functions that run. Context: may sleep.
 */
void memsuite_tracepoints_unregister(struct memsuite_tracepoint *probes, unsigned int nr);

#endif
