/* SPDX-License-Identifier: GPL-2.0-only */
/* A hook point at work, for the files of this folder; the core's side of memsuite/hook.h. */
#ifndef MEMSUITE_HOOK_HOOK_PRIVATE_H
#define MEMSUITE_HOOK_HOOK_PRIVATE_H

#include <linux/percpu.h>

#include <compat/ftrace.h>
#include <memsuite/hook.h>
#include <memsuite/hook_watch.h>

#include "hook/hook_points.h"

#define MEMSUITE_HOOK_REGISTERS	6	/* that functions take arguments in */

struct kobject;

/**
 * struct memsuite_hook_call - a call of a hooked function
 * @args: the registers of its arguments, in their order; what is changed here, is changed there
 * @fault: the first four of these, in a function that takes just that
 * @answer: what the function returns, if it is answered for
 * @finish: NULL, or what makes that of @answer, a page; may not sleep, but is preempted
 */
struct memsuite_hook_call {
	union {
		unsigned long args[MEMSUITE_HOOK_REGISTERS];
		struct memsuite_fault fault;
	};
	unsigned long answer;
	struct page *(*finish)(struct page *page);
};

/**
 * struct memsuite_hook_stats - what came by a point, on one CPU
 * @hits: calls that the handlers were asked about; watched ones, where the call is direct
 * @missed: calls out of interrupts, which nobody is asked about
 */
struct memsuite_hook_stats {
	u64 hits;
	u64 missed;
};

/**
 * struct memsuite_hook_state - a hook point at work
 * @ops: the registration with ftrace
 * @hooks: who is armed there, by rank
 * @symbol: the function of this kernel, or NULL
 * @state: as its file in sysfs says it
 * @stuck: ftrace has failed to let go of it: calls still come, and find no hook
 * @is_direct: the function calls hook_direct.c, not by way of a callback of ftrace
 * @is_proving: it is being proven: handlers are not asked, nothing is trusted
 * @ip: address of the function
 * @arg: in which register its arguments are
 * @has_arg: whether the function has that argument
 * @stats: per-CPU
 * @dir: its directory in sysfs
 */
struct memsuite_hook_state {
	struct ftrace_ops ops;
	const struct memsuite_hook *hooks[MEMSUITE_NR_HOOK_RANKS];
	const char *symbol;
	const char *state;
	bool stuck;
	bool is_direct;
	bool is_proving;
	unsigned long ip;
	unsigned int arg[MEMSUITE_HOOK_POINT_ARGS];
	bool has_arg[MEMSUITE_HOOK_POINT_ARGS];
	struct memsuite_hook_stats __percpu *stats;
	struct kobject *dir;
};

extern struct memsuite_hook_state memsuite_hook_states[MEMSUITE_NR_HOOK_POINTS];

/* hook_state.c: finds the function of a point on this kernel: 0; -EOPNOTSUPP: there is none. */
int memsuite_hook_find(enum memsuite_hook_point_id id);

/* hook_watch.c: see memsuite_hook_watch(). */
extern u8 memsuite_hook_watched[MEMSUITE_HOOK_WATCH_SIZE];
extern u8 memsuite_hook_watched_files[MEMSUITE_NR_HOOK_POINTS];

/* hook_dispatch.c: what ftrace calls at all points. */
void memsuite_hook_callback(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs);

/* hook_dispatch.c: what hook_direct.c calls at a point. Whether @call has an answer. */
bool memsuite_hook_ask_fault_alloc(struct memsuite_hook_call *call);
bool memsuite_hook_ask_cache_alloc(struct memsuite_hook_call *call);
bool memsuite_hook_ask_shmem_alloc(struct memsuite_hook_call *call);
bool memsuite_hook_ask_alloc_entry(struct memsuite_hook_call *call);
bool memsuite_hook_ask_fault_clear(struct memsuite_hook_call *call);

static __always_inline unsigned long *memsuite_hook_arg(const struct memsuite_hook_state *point,
							struct memsuite_hook_call *call, int nr)
{
	return &call->args[point->arg[nr]];
}

static __always_inline unsigned long memsuite_hook_value(const struct memsuite_hook_state *point,
							 struct memsuite_hook_call *call, int nr)
{
	return point->has_arg[nr] ? *memsuite_hook_arg(point, call, nr) : 0;
}

#endif
