// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hook points: arming with proof, and disarming.
 *
 * A hook is what a function calls directly at its entry (hook_direct.c), or else an ftrace
 * callback. It reads the arguments of the function from the saved registers, and either looks
 * on (mremap.move), or edits one (alloc.entry), or answers in place of the function (the
 * others): a callback stores a return value and moves the instruction pointer to a bare
 * return, or for a large page to what clears it. Nothing of that sleeps or leaves module text
 * on a sleeping stack. But where the kernel can preempt itself, a task may be preempted in
 * it: who disarms waits for tasks, as well as for callbacks.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <compat/direct.h>

#include "hook/hook_check.h"
#include "hook/hook_direct.h"
#include "hook/hook_points.h"
#include "hook/hook_private.h"

static DEFINE_MUTEX(arm_lock);		/* arming, disarming, the proof */

static int callback_register(enum memsuite_hook_point_id id)
{
	struct memsuite_hook_state *point = &memsuite_hook_states[id];
	int err;

	point->ops.func = memsuite_hook_callback;
	point->ops.flags = MEMSUITE_FTRACE_OPS_FLAGS | FTRACE_OPS_FL_PERMANENT |
		(memsuite_hook_points[id].answers ? FTRACE_OPS_FL_IPMODIFY : 0);
	err = ftrace_set_filter_ip(&point->ops, point->ip, 0, 0);
	if (err)
		return err;
	err = register_ftrace_function(&point->ops);
	if (err)
		ftrace_set_filter_ip(&point->ops, point->ip, 1, 0);
	if (err)
		pr_err("%s: cannot hook %s (%d): does a live patch own it, or is kernel.ftrace_enabled 0?\n",
		       memsuite_hook_points[id].name, point->symbol, err);
	return err;
}

/* A function has one direct call: where somebody else has it, a callback serves. */
static int direct_register(enum memsuite_hook_point_id id)
{
	struct memsuite_hook_state *point = &memsuite_hook_states[id];
	unsigned long to = memsuite_hook_direct_to(id);
	int err = to ? memsuite_direct_register(&point->ops, point->ip, to) : -EOPNOTSUPP;

	if (err)
		memset(&point->ops, 0, sizeof(point->ops));
	return err;
}

static int hook_register(enum memsuite_hook_point_id id, bool is_direct)
{
	memsuite_hook_states[id].is_direct = is_direct;
	return is_direct ? direct_register(id) : callback_register(id);
}

/*
 * Callbacks run with preemption off; what a function calls directly, and what finishes large
 * pages, do not.
 */
static void hook_wait(void)
{
	synchronize_rcu();
	synchronize_rcu_tasks();
}

/* Both wait for who is in the hook. */
static int ftrace_release(enum memsuite_hook_point_id id)
{
	struct memsuite_hook_state *point = &memsuite_hook_states[id];

	if (!point->is_direct)
		return unregister_ftrace_function(&point->ops);
	return memsuite_direct_unregister(&point->ops, point->ip, memsuite_hook_direct_to(id));
}

/* Ftrace that has switched itself off, after a fault of its own, lets go of nothing. */
static void hook_unregister(enum memsuite_hook_point_id id)
{
	struct memsuite_hook_state *point = &memsuite_hook_states[id];
	int err = ftrace_release(id);

	if (err) {
		pr_crit("%s cannot be unhooked (%d): memsuite cannot be unloaded before the next boot\n",
			point->symbol, err);
		__module_get(THIS_MODULE);
		point->stuck = true;
		/* It stays, and asks no handler any more. */
		hook_wait();
		return;
	}
	if (!point->is_direct)
		ftrace_set_filter_ip(&point->ops, point->ip, 1, 0);
	/* A registered ops keeps flags and hashes of its own: begin anew. */
	memset(&point->ops, 0, sizeof(point->ops));
}

static bool is_hooked(const struct memsuite_hook_state *point)
{
	int rank;

	for (rank = 0; rank < MEMSUITE_NR_HOOK_RANKS; rank++)
		if (point->hooks[rank])
			return true;
	return false;
}

/* Leaves it registered, if it is proven; handlers are not asked yet. */
static int hook_prove(enum memsuite_hook_point_id id, bool is_direct)
{
	struct memsuite_hook_state *point = &memsuite_hook_states[id];
	int err;

	WRITE_ONCE(point->is_proving, true);
	err = hook_register(id, is_direct);
	if (err)
		return err;
	err = memsuite_hook_check(id, point->ip);
	if (err)
		hook_unregister(id);
	return err;
}

/*
 * What a function calls directly reads its arguments at once, to see who is concerned: it is
 * only tried with those that were proven.
 */
static int hook_attach(enum memsuite_hook_point_id id)
{
	struct memsuite_hook_state *point = &memsuite_hook_states[id];
	int err = hook_prove(id, false);

	if (err == -ENXIO)
		pr_err("%s: %s did not take its arguments as expected\n",
		       memsuite_hook_points[id].name, point->symbol);
	if (err || !memsuite_hook_direct_to(id))
		return err;
	hook_unregister(id);
	if (point->stuck)
		return -EBUSY;
	err = hook_prove(id, true);
	if (err && !point->stuck)
		err = hook_prove(id, false);
	return err;
}

int memsuite_hook_arm(enum memsuite_hook_point_id id, enum memsuite_hook_rank rank,
		      const struct memsuite_hook *hook)
{
	const struct memsuite_hook_point *table = &memsuite_hook_points[id];
	struct memsuite_hook_state *point = &memsuite_hook_states[id];
	int err;

	mutex_lock(&arm_lock);
	if (is_hooked(point)) {
		/* It was proven for the other rank. */
		err = point->hooks[rank] ? -EBUSY : 0;
		if (!err)
			WRITE_ONCE(point->hooks[rank], hook);
		goto out;
	}
	err = point->symbol ? 0 : -EOPNOTSUPP;
	if (err) {
		pr_err("%s: this kernel has none of its functions\n",
		       table->name);
		goto out;
	}
	if (point->stuck) {
		pr_err("%s: it could not be unhooked before; reboot\n", table->name);
		err = -EBUSY;
		goto out;
	}
	err = hook_attach(id);
	if (err)
		goto err_hook;
	WRITE_ONCE(point->hooks[rank], hook);
	/* Who is not proving asks that hook. */
	smp_store_release(&point->is_proving, false);
	point->state = point->is_direct ? "direct" : "callback";
	mutex_unlock(&arm_lock);
	return 0;

err_hook:
	point->hooks[rank] = NULL;
	point->state = "failed";
out:
	mutex_unlock(&arm_lock);
	return err;
}
EXPORT_SYMBOL_GPL(memsuite_hook_arm);

void memsuite_hook_disarm(enum memsuite_hook_point_id id, enum memsuite_hook_rank rank)
{
	struct memsuite_hook_state *point = &memsuite_hook_states[id];

	mutex_lock(&arm_lock);
	if (!point->hooks[rank])
		goto out;
	WRITE_ONCE(point->hooks[rank], NULL);
	if (is_hooked(point)) {
		hook_wait();
	} else {
		hook_unregister(id);
		point->state = point->stuck ? "failed" : "off";
	}
out:
	mutex_unlock(&arm_lock);
}
EXPORT_SYMBOL_GPL(memsuite_hook_disarm);
