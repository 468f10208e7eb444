// SPDX-License-Identifier: GPL-2.0-only
/*
 * Steering: the handlers of the hooks.
 *
 * A fault of a steered process gets a page from the pool of the first of its
 * regions that has one. Where no pool can serve it, because it is empty or a
 * huge page is wanted, and the region is a whole node, the allocation goes on
 * in the kernel with that node as the preferred one.
 */

#include <linux/cpuset.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include <memsuite/hook.h>

#include "vipzone.h"

/*
 * A node chosen at the fault, for the allocation that the same task makes
 * next. A task that is moved to another CPU in between loses it.
 */
struct wish {
	struct task_struct *task;
	unsigned int order;
	int nid;
};

static DEFINE_PER_CPU(struct wish, wishes);

static void count_fallback(struct process *process, enum fallback why)
{
	this_cpu_inc(process->stats->fallbacks[why]);
}

static void wish(struct process *process, const struct target *target,
		 unsigned int order)
{
	struct wish *wish = this_cpu_ptr(&wishes);

	wish->nid = target->nid;
	wish->order = order;
	wish->task = current;
	this_cpu_add(process->stats->steered_by_node, 1UL << order);
}

static bool allowed(const struct target *target)
{
	return target->nid >= 0 && node_isset(target->nid,
					      cpuset_current_mems_allowed);
}

static struct page *steer_huge(struct process *process, unsigned int order)
{
	struct placement *placement = process->placement;
	unsigned int i;

	for (i = 0; i < placement->nr_targets; i++) {
		if (!placement->targets[i].is_node ||
		    !allowed(&placement->targets[i]))
			continue;
		wish(process, &placement->targets[i], order);
		return MS_FAULT_KERNEL;
	}
	/* The caller falls back to small pages, which come from a pool. */
	count_fallback(process, FALLBACK_HUGE);
	return MS_FAULT_DENY;
}

static struct page *steer_page(struct process *process, gfp_t gfp)
{
	struct placement *placement = process->placement;
	enum fallback why = FALLBACK_CPUSET;
	struct page *page;
	unsigned int i;

	for (i = 0; i < placement->nr_targets; i++) {
		struct target *target = &placement->targets[i];

		if (unlikely(!allowed(target)))
			continue;
		page = ms_pool_pop(target->pool, gfp);
		if (likely(page)) {
			this_cpu_inc(process->stats->steered);
			return page;
		}
		if (target->is_node) {
			wish(process, target, 0);
			return MS_FAULT_KERNEL;
		}
		why = FALLBACK_EMPTY;
	}
	count_fallback(process, why);
	return MS_FAULT_KERNEL;
}

static struct page *steer_fault(const struct ms_fault *fault)
{
	struct vm_area_struct *vma = fault->vma;
	struct process *process;
	enum ms_refusal refusal;

	/* Migration and shmem come without a vma, or with one of their own. */
	if (!vma || !vma->vm_mm)
		return MS_FAULT_PASS;
	process = process_of(vma->vm_mm);
	if (likely(!process))
		return MS_FAULT_PASS;
	refusal = ms_fault_refusal(fault);
	if (unlikely(refusal)) {
		count_fallback(process, refusal == MS_REFUSED_POLICY ?
			       FALLBACK_POLICY : FALLBACK_CONTEXT);
		return MS_FAULT_KERNEL;
	}
	if (unlikely(fault->order))
		return steer_huge(process, fault->order);
	return steer_page(process, fault->gfp);
}

static int steer_entry(gfp_t gfp, unsigned int order, int nid,
		       const nodemask_t *nodemask)
{
	struct wish *wish = this_cpu_ptr(&wishes);

	if (likely(wish->task != current) || wish->order != order ||
	    !(gfp & __GFP_MOVABLE) || !in_task())
		return nid;
	if (nodemask && !node_isset(wish->nid, *nodemask))
		return nid;
	/* A huge page is tried twice; its wish holds for both. */
	if (!order)
		wish->task = NULL;
	return wish->nid;
}

static const struct ms_hook steering_hook = {
	.fault = steer_fault,
	.entry = steer_entry,
};

/*
 * The hook at the allocator's entry costs every allocation of the system some
 * instructions, so it is armed only while a placement has a node for target.
 */
static DEFINE_MUTEX(arm_lock);
static bool running;
static unsigned int node_users;

static int arm(enum ms_point_id id)
{
	return ms_hook_arm(id, MS_HOOK_PLACEMENT, &steering_hook);
}

static void disarm(enum ms_point_id id)
{
	ms_hook_disarm(id, MS_HOOK_PLACEMENT);
}

int steering_use_nodes(void)
{
	int err = 0;

	mutex_lock(&arm_lock);
	if (running && !node_users)
		err = arm(MS_POINT_ALLOC_ENTRY);
	if (!err)
		node_users++;
	mutex_unlock(&arm_lock);
	return err;
}

void steering_unuse_nodes(void)
{
	mutex_lock(&arm_lock);
	if (!--node_users && running)
		disarm(MS_POINT_ALLOC_ENTRY);
	mutex_unlock(&arm_lock);
}

int steering_start(void)
{
	int err = 0;

	mutex_lock(&arm_lock);
	if (running)
		goto out;
	if (node_users)
		err = arm(MS_POINT_ALLOC_ENTRY);
	if (err)
		goto out;
	err = arm(MS_POINT_FAULT_ALLOC);
	if (err)
		disarm(MS_POINT_ALLOC_ENTRY);
	running = !err;
out:
	mutex_unlock(&arm_lock);
	return err;
}

void steering_stop(void)
{
	mutex_lock(&arm_lock);
	if (running) {
		disarm(MS_POINT_FAULT_ALLOC);
		disarm(MS_POINT_ALLOC_ENTRY);
	}
	running = false;
	mutex_unlock(&arm_lock);
}

bool steering_running(void)
{
	return READ_ONCE(running);
}
