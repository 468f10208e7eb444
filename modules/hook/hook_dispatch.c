// SPDX-License-Identifier: GPL-2.0-only
/*
 * What runs inside ftrace at a hooked function: it reads the function's arguments
 * from the saved registers, asks the handlers, and puts their answer in place.
 */

#include <linux/cpuset.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include <compat/compat.h>
#include <compat/misplaced.h>
#include <compat/remap.h>

#include "frame/handed.h"
#include "hook/hook_private.h"

/*
 * What a hooked function that is answered for returns through. A BPF program on
 * that function keeps the arguments, and no other register.
 */
noinline unsigned long memsuite_bare_return(unsigned long value)
{
	return value;
}

/* @by: whose answer it is */
static struct page *hook_ask(struct memsuite_hook_state *point, const struct memsuite_fault *fault,
			     const struct memsuite_hook **by)
{
	struct page *page = MEMSUITE_FAULT_PASS;
	const struct memsuite_hook *hook;
	int rank;

	for (rank = 0; page == MEMSUITE_FAULT_PASS && rank < MEMSUITE_NR_HOOK_RANKS; rank++) {
		hook = READ_ONCE(point->hooks[rank]);
		if (!hook)
			continue;
		page = hook->fault(fault);
		*by = hook;
	}
	return page;
}

static void hook_fault_alloc(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct memsuite_hook_state *point = container_of(ops, struct memsuite_hook_state, ops);
	struct pt_regs *regs = memsuite_ftrace_regs(fregs);
	struct memsuite_fault fault = {
		.gfp = (__force gfp_t)*memsuite_hook_arg(point, regs, 0),
		.order = memsuite_hook_value(point, regs, 1),
		.vma = (void *)memsuite_hook_value(point, regs, 2),
		.address = memsuite_hook_value(point, regs, 3),
	};
	const struct memsuite_hook *by = NULL;
	struct page *page;

	if (unlikely(!in_task())) {
		this_cpu_inc(point->stats->missed);
		return;
	}
	this_cpu_inc(point->stats->hits);
	page = hook_ask(point, &fault, &by);
	if (page == MEMSUITE_FAULT_PASS || page == MEMSUITE_FAULT_KERNEL)
		return;
	if (page == MEMSUITE_FAULT_DENY) {
		memsuite_hook_answer(regs, 0);
	} else if (fault.order) {
		memsuite_hook_answer_by(regs, page, by->finish);
	} else {
		memsuite_frame_handed(page, fault.gfp);
		memsuite_hook_answer(regs, (unsigned long)page);
	}
}

static void hook_alloc_entry(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct memsuite_hook_state *point = container_of(ops, struct memsuite_hook_state, ops);
	struct pt_regs *regs = memsuite_ftrace_regs(fregs);
	unsigned long *nid = memsuite_hook_arg(point, regs, 2);
	const struct memsuite_hook *hook;
	int rank;

	this_cpu_inc(point->stats->hits);
	for (rank = 0; rank < MEMSUITE_NR_HOOK_RANKS; rank++) {
		hook = READ_ONCE(point->hooks[rank]);
		if (hook)
			*nid = hook->entry((__force gfp_t)*memsuite_hook_arg(point, regs, 0),
					   *memsuite_hook_arg(point, regs, 1), *nid,
					   (void *)*memsuite_hook_arg(point, regs, 3));
	}
}

static void hook_mremap_move(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct memsuite_hook_state *point = container_of(ops, struct memsuite_hook_state, ops);
	struct pt_regs *regs = memsuite_ftrace_regs(fregs);
	unsigned long args[MEMSUITE_HOOK_POINT_ARGS];
	const struct memsuite_hook *hook;
	struct memsuite_mremap remap;
	int i;

	this_cpu_inc(point->stats->hits);
	for (i = 0; i < MEMSUITE_HOOK_POINT_ARGS; i++)
		args[i] = memsuite_hook_value(point, regs, i);
	memsuite_mremap_of(args, &remap);
	for (i = 0; i < MEMSUITE_NR_HOOK_RANKS; i++) {
		hook = READ_ONCE(point->hooks[i]);
		if (hook)
			hook->remap(remap.mm, remap.from, remap.to,
				    remap.length);
	}
}

static void hook_numa_misplaced(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct memsuite_hook_state *point = container_of(ops, struct memsuite_hook_state, ops);
	struct pt_regs *regs = memsuite_ftrace_regs(fregs);
	struct vm_area_struct *vma = memsuite_misplaced_area(*memsuite_hook_arg(point, regs, 1));
	const struct memsuite_hook *hook;
	int rank;

	this_cpu_inc(point->stats->hits);
	for (rank = 0; rank < MEMSUITE_NR_HOOK_RANKS; rank++) {
		hook = READ_ONCE(point->hooks[rank]);
		if (!hook || !hook->stays((void *)*memsuite_hook_arg(point, regs, 0), vma,
					  *memsuite_hook_arg(point, regs, 2)))
			continue;
		memsuite_hook_answer(regs, NUMA_NO_NODE);
		break;
	}
}

enum memsuite_refusal memsuite_fault_refusal(const struct memsuite_fault *fault)
{
	if (unlikely(gfp_zone(current_gfp_context(fault->gfp)) != ZONE_MOVABLE))
		return MEMSUITE_REFUSED_CONTEXT;
#ifdef CONFIG_NUMA
	if (unlikely(current->mempolicy))
		return MEMSUITE_REFUSED_POLICY;
#endif
	if (unlikely(fault->vma ? memsuite_vma_has_policy(fault->vma) :
				  cpuset_do_page_mem_spread()))
		return MEMSUITE_REFUSED_POLICY;
	return MEMSUITE_REFUSED_NOT;
}
EXPORT_SYMBOL_GPL(memsuite_fault_refusal);

ftrace_func_t memsuite_hook_dispatch_callback(enum memsuite_hook_point_id id)
{
	switch (id) {
	case MEMSUITE_HOOK_POINT_ALLOC_ENTRY:
		return hook_alloc_entry;
	case MEMSUITE_HOOK_POINT_MREMAP_MOVE:
		return hook_mremap_move;
	case MEMSUITE_HOOK_POINT_NUMA_MISPLACED:
		return hook_numa_misplaced;
	default:
		return hook_fault_alloc;
	}
}
