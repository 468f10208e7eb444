/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ftrace has a hooked function call directly, where nobody else has it call something: a few
 * instructions that look whether the caller is watched, and return into the function if not. No
 * registers are saved for it. Who is watched goes on to C, and if that has an answer, the
 * function's caller gets it.
 *
 * What is called so is on the stack of a task while it runs, which may be preempted there, but
 * never sleeps there: who takes it away waits for tasks.
 */
#ifndef MEMSUITE_HOOK_HOOK_DIRECT_H
#define MEMSUITE_HOOK_HOOK_DIRECT_H

#include "hook/hook_private.h"

/* Written in assembly, in hook_direct.c: nobody in C calls them. */
void direct_fault_alloc(void);
void direct_cache_alloc(void);
void direct_shmem_alloc(void);
void direct_alloc_entry(void);
void direct_fault_clear(void);

/* Where a point's function is to call to; 0: it has no such way. */
unsigned long memsuite_hook_direct_to(enum memsuite_hook_point_id id);

#endif
