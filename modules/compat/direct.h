/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Direct calls of ftrace: by address up to 6.2, by an ftrace_ops from 6.3 on. Once one is
 * unregistered, nobody is in it, nor was preempted in it: memsuite_direct_unregister() waits.
 */
#ifndef MEMSUITE_COMPAT_DIRECT_H
#define MEMSUITE_COMPAT_DIRECT_H

#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <asm/current.h>

#if MEMSUITE_HAVE_PCPU_HOT
#define memsuite_current_task	pcpu_hot.current_task
#else
#define memsuite_current_task	current_task
#endif

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

#if MEMSUITE_HAVE_FTRACE_DIRECT_OPS
static inline int memsuite_direct_register(struct ftrace_ops *ops, unsigned long ip,
					   unsigned long to)
{
	int err = ftrace_set_filter_ip(ops, ip, 0, 0);

	if (err)
		return err;
	err = register_ftrace_direct(ops, to);
	if (err)
		ftrace_set_filter_ip(ops, ip, 1, 0);
	/* kernel.ftrace_enabled=0 would switch it off; 6.12 forgets flags that are set before. */
	else
		ops->flags |= FTRACE_OPS_FL_PERMANENT;
	return err;
}

static inline int memsuite_direct_unregister(struct ftrace_ops *ops, unsigned long ip,
					     unsigned long to)
{
	/* Ftrace waits, as the ops are a module's. */
	int err = unregister_ftrace_direct(ops, to, false);

	if (!err)
		ftrace_free_filter(ops);
	return err;
}
#else
static inline int memsuite_direct_register(struct ftrace_ops *ops, unsigned long ip,
					   unsigned long to)
{
	return register_ftrace_direct(ip, to);
}

static inline int memsuite_direct_unregister(struct ftrace_ops *ops, unsigned long ip,
					     unsigned long to)
{
	int err;

	/* These kernels warn if ftrace has switched itself off: ask first. */
	while ((err = ftrace_set_filter_ip(ops, ip, 0, 0)) == -ENOMEM)
		cond_resched();
	if (err)
		return err;
	ftrace_set_filter_ip(ops, ip, 1, 0);
	err = unregister_ftrace_direct(ip, to);
	if (err)
		return err;
	/* Who is in it in an interrupt of an idle CPU is no task. */
	synchronize_rcu();
	synchronize_rcu_tasks();
	return 0;
}
#endif

#else

static inline int memsuite_direct_register(struct ftrace_ops *ops, unsigned long ip,
					   unsigned long to)
{
	return -EOPNOTSUPP;
}

static inline int memsuite_direct_unregister(struct ftrace_ops *ops, unsigned long ip,
					     unsigned long to)
{
	return -EOPNOTSUPP;
}

#endif
#endif
