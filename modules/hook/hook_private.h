/* SPDX-License-Identifier: GPL-2.0-only */
/* A hook point at work, for the files of this folder; the core's side of memsuite/hook.h. */
#ifndef MEMSUITE_HOOK_HOOK_PRIVATE_H
#define MEMSUITE_HOOK_HOOK_PRIVATE_H

#include <linux/percpu.h>

#include <compat/ftrace.h>
#include <memsuite/hook.h>

#include "hook/hook_points.h"

struct kobject;

/**
 * struct memsuite_hook_stats - what came by a point, on one CPU
 * @hits: calls that the handlers were asked about
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
 * @ip: address of the function
 * @arg_offset: where its arguments are in struct pt_regs
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
	unsigned long ip;
	unsigned int arg_offset[MEMSUITE_HOOK_POINT_ARGS];
	bool has_arg[MEMSUITE_HOOK_POINT_ARGS];
	struct memsuite_hook_stats __percpu *stats;
	struct kobject *dir;
};

extern struct memsuite_hook_state memsuite_hook_states[MEMSUITE_NR_HOOK_POINTS];

/* Finds the function of a point on this kernel: 0, or -EOPNOTSUPP if there is none. */
int memsuite_hook_find(enum memsuite_hook_point_id id);

/* hook_dispatch.c: what ftrace calls at a point. */
ftrace_func_t memsuite_hook_dispatch_callback(enum memsuite_hook_point_id id);

/* hook_dispatch.c: where a function that is answered for goes on: it returns @value. */
unsigned long memsuite_bare_return(unsigned long value);

static __always_inline void memsuite_hook_answer(struct pt_regs *regs, unsigned long value)
{
	regs->di = value;
	regs->ip = (unsigned long)memsuite_bare_return;
}

/* Likewise, but with what @finish() returns. No indirect branch leads there. */
static __always_inline void memsuite_hook_answer_by(struct pt_regs *regs, struct page *page,
						    struct page *(*finish)(struct page *page))
{
	regs->di = (unsigned long)page;
	regs->ip = (unsigned long)finish;
}

static __always_inline unsigned long *memsuite_hook_arg(const struct memsuite_hook_state *point,
							struct pt_regs *regs, int nr)
{
	return (void *)regs + point->arg_offset[nr];
}

static __always_inline unsigned long memsuite_hook_value(const struct memsuite_hook_state *point,
							 struct pt_regs *regs, int nr)
{
	return point->has_arg[nr] ? *memsuite_hook_arg(point, regs, nr) : 0;
}

#endif
