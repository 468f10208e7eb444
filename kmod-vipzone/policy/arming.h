/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which hooks are armed. A hook costs all tasks some instructions, at the
 * allocator's entry with every allocation, so each is armed only while a policy
 * needs it.
 */
#ifndef VIPZONE_POLICY_ARMING_H
#define VIPZONE_POLICY_ARMING_H

#include <linux/atomic.h>
#include <linux/types.h>

#include <memsuite/hook.h>
#include <memsuite/hook_watch.h>

/* How many policies are for the kernel's own memory, too. */
extern atomic_t vipzone_kernel_policies;

/**
 * vipzone_arming_start() - arm the hooks that policies need, and follow them
 * @hooks: what to do at each point; must stay valid until vipzone_arming_stop()
 *
 * Context: may sleep.
 * Return: 0; else as memsuite_hook_arm(), and nothing is armed.
 */
int vipzone_arming_start(const struct memsuite_hook *hooks);

/* Disarms all of them. May sleep. */
void vipzone_arming_stop(void);

/* Whether policies are followed. */
bool vipzone_arming_is_on(void);

/**
 * vipzone_arming_use() - a policy needs a hook from now on
 * @id: the point
 *
 * Context: may sleep.
 * Return: 0; else as memsuite_hook_arm().
 */
int vipzone_arming_use(enum memsuite_hook_point_id id);

/* It needs the hook no more. May sleep. */
void vipzone_arming_unuse(enum memsuite_hook_point_id id);

/* Policies for the kernel's own memory have all allocations seen. May sleep. */
static inline void vipzone_arming_serve_kernel(void)
{
	atomic_inc(&vipzone_kernel_policies);
	memsuite_hook_watch_entry();
}

static inline void vipzone_arming_leave_kernel(void)
{
	memsuite_hook_unwatch_entry();
	atomic_dec(&vipzone_kernel_policies);
}

#endif
