/* SPDX-License-Identifier: GPL-2.0-only */
/* ftrace callbacks: what they are handed, and how to edit it. */
#ifndef MEMSUITE_COMPAT_FTRACE_H
#define MEMSUITE_COMPAT_FTRACE_H

#include <linux/ftrace.h>

#if MEMSUITE_HAVE_FTRACE_REGS

/* Arguments, return value and instruction pointer come without SAVE_REGS. */
#define MEMSUITE_FTRACE_OPS_FLAGS	FTRACE_OPS_FL_RECURSION

static __always_inline struct pt_regs *memsuite_ftrace_regs(struct ftrace_regs *fregs)
{
#if MEMSUITE_HAVE_ARCH_FTRACE_REGS
	return &arch_ftrace_regs(fregs)->regs;
#else
	return &fregs->regs;
#endif
}

#else

/*
 * 5.10 hands out pt_regs, and only with SAVE_REGS. Its flag in the place of
 * FTRACE_OPS_FL_RECURSION means the opposite; without it, ftrace guards.
 */
#define ftrace_regs		pt_regs
#define MEMSUITE_FTRACE_OPS_FLAGS	FTRACE_OPS_FL_SAVE_REGS

static __always_inline struct pt_regs *memsuite_ftrace_regs(struct pt_regs *regs)
{
	return regs;
}

#endif
#endif
