/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints that are listened to. None of those needed is exported. */
#ifndef MEMSUITE_TRACEPOINTS_H
#define MEMSUITE_TRACEPOINTS_H

struct tracepoint;

/**
 * struct memsuite_tracepoint - a tracepoint and who listens to it
 * @name: of the tracepoint
 * @function: what to call: void (*)(void *data, the tracepoint's arguments),
 *	of which trailing ones may be left out; @data is NULL. May not sleep.
 *	From 7.2 on preemption may be on, and no RCU but the tracepoints' own
 *	is held: what RCU frees is read under rcu_read_lock().
 * @tracepoint: filled in by memsuite_tracepoints_register()
 */
struct memsuite_tracepoint {
	const char *name;
	void *function;
	struct tracepoint *tracepoint;
};

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
