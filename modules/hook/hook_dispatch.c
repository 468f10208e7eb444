// SPDX-License-Identifier: GPL-2.0-only
/*
 * What runs at a hooked function: it reads the function's arguments from the saved registers,
 * asks the handlers, and puts their answer in place. Ftrace calls it, or the function itself,
 * by hook_direct.c.
 */

#include <linux/cpuset.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include <compat/compat.h>
#include <compat/misplaced.h>
#include <compat/remap.h>

#include "frame/handed.h"
#include "hook/hook_private.h"
#include "hook/hook_proof.h"

/*
 * What a hooked function that is answered for returns through. A BPF program on
 * that function keeps the arguments, and no other register.
 */
static noinline unsigned long bare_return(unsigned long value)
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

static __always_inline bool fault_answer(struct memsuite_hook_state *point,
					 struct memsuite_hook_call *call,
					 const struct memsuite_fault *fault)
{
	const struct memsuite_hook *by = NULL;
	struct page *page;

	if (unlikely(!in_task())) {
		this_cpu_inc(point->stats->missed);
		return false;
	}
	this_cpu_inc(point->stats->hits);
	page = hook_ask(point, fault, &by);
	if (page == MEMSUITE_FAULT_PASS || page == MEMSUITE_FAULT_KERNEL)
		return false;
	call->answer = page == MEMSUITE_FAULT_DENY ? 0 : (unsigned long)page;
	if (call->answer && fault->order)
		call->finish = by->finish;
	else if (call->answer)
		memsuite_frame_handed(page, fault->gfp);
	return true;
}

static __always_inline bool fault_alloc(struct memsuite_hook_state *point,
					struct memsuite_hook_call *call)
{
	struct memsuite_fault fault = {
		.gfp = (__force gfp_t)*memsuite_hook_arg(point, call, 0),
		.order = memsuite_hook_value(point, call, 1),
		.vma = (void *)memsuite_hook_value(point, call, 2),
		.address = memsuite_hook_value(point, call, 3),
	};

	return fault_answer(point, call, &fault);
}

static __always_inline bool alloc_entry(struct memsuite_hook_state *point,
					struct memsuite_hook_call *call)
{
	unsigned long *nid = memsuite_hook_arg(point, call, 2);
	const struct memsuite_hook *hook;
	int rank;

	this_cpu_inc(point->stats->hits);
	for (rank = 0; rank < MEMSUITE_NR_HOOK_RANKS; rank++) {
		hook = READ_ONCE(point->hooks[rank]);
		if (hook)
			*nid = hook->entry((__force gfp_t)*memsuite_hook_arg(point, call, 0),
					   *memsuite_hook_arg(point, call, 1), *nid,
					   (void *)*memsuite_hook_arg(point, call, 3));
	}
	return false;
}

static __always_inline bool mremap_move(struct memsuite_hook_state *point,
					struct memsuite_hook_call *call)
{
	unsigned long args[MEMSUITE_HOOK_POINT_ARGS];
	const struct memsuite_hook *hook;
	struct memsuite_mremap remap;
	int i;

	this_cpu_inc(point->stats->hits);
	for (i = 0; i < MEMSUITE_HOOK_POINT_ARGS; i++)
		args[i] = memsuite_hook_value(point, call, i);
	memsuite_mremap_of(args, &remap);
	for (i = 0; i < MEMSUITE_NR_HOOK_RANKS; i++) {
		hook = READ_ONCE(point->hooks[i]);
		if (hook)
			hook->remap(remap.mm, remap.from, remap.to,
				    remap.length);
	}
	return false;
}

static __always_inline bool numa_misplaced(struct memsuite_hook_state *point,
					   struct memsuite_hook_call *call)
{
	struct vm_area_struct *vma = memsuite_misplaced_area(*memsuite_hook_arg(point, call, 1));
	const struct memsuite_hook *hook;
	int rank;

	this_cpu_inc(point->stats->hits);
	for (rank = 0; rank < MEMSUITE_NR_HOOK_RANKS; rank++) {
		hook = READ_ONCE(point->hooks[rank]);
		if (!hook || !hook->stays((void *)*memsuite_hook_arg(point, call, 0), vma,
					  *memsuite_hook_arg(point, call, 2)))
			continue;
		call->answer = NUMA_NO_NODE;
		return true;
	}
	return false;
}

/* What asks the handlers of a point: whether the call has an answer. */
typedef bool (*ask_fn)(struct memsuite_hook_state *point, struct memsuite_hook_call *call);

static __always_inline bool hook_meet(struct memsuite_hook_state *point,
				      struct memsuite_hook_call *call, ask_fn ask)
{
	if (unlikely(READ_ONCE(point->is_proving)))
		return memsuite_hook_proof_meet(point, call);
	return ask(point, call);
}

/* Its arguments are the first four, in order: that is what it is called directly for. */
static __always_inline bool fault_alloc_first_four(struct memsuite_hook_state *point,
						   struct memsuite_hook_call *call)
{
	struct memsuite_fault fault = {
		.gfp = (__force gfp_t)call->args[0],
		.order = call->args[1],
		.vma = (void *)call->args[2],
		.address = call->args[3],
	};

	return fault_answer(point, call, &fault);
}

static __always_inline bool direct_fault(enum memsuite_hook_point_id id,
					 struct memsuite_hook_call *call, ask_fn ask)
{
	bool answered;

	rcu_read_lock();
	answered = hook_meet(&memsuite_hook_states[id], call, ask);
	rcu_read_unlock();
	if (unlikely(call->finish))
		call->answer = (unsigned long)call->finish((struct page *)call->answer);
	return answered;
}

bool memsuite_hook_ask_fault_alloc(struct memsuite_hook_call *call)
{
	return direct_fault(MEMSUITE_HOOK_POINT_FAULT_ALLOC, call, fault_alloc_first_four);
}

bool memsuite_hook_ask_cache_alloc(struct memsuite_hook_call *call)
{
	return direct_fault(MEMSUITE_HOOK_POINT_CACHE_ALLOC, call, fault_alloc);
}

bool memsuite_hook_ask_alloc_entry(struct memsuite_hook_call *call)
{
	bool answered;

	preempt_disable_notrace();
	answered = hook_meet(&memsuite_hook_states[MEMSUITE_HOOK_POINT_ALLOC_ENTRY], call,
			     alloc_entry);
	preempt_enable_notrace();
	return answered;
}

/* No indirect branch leads to where the instruction pointer goes. */
static __always_inline void hook_callback(struct ftrace_ops *ops, struct ftrace_regs *fregs,
					  ask_fn ask)
{
	struct memsuite_hook_state *point = container_of(ops, struct memsuite_hook_state, ops);
	struct pt_regs *regs = memsuite_ftrace_regs(fregs);
	struct memsuite_hook_call call = {
		.args = { regs->di, regs->si, regs->dx, regs->cx, regs->r8, regs->r9 },
	};

	if (hook_meet(point, &call, ask)) {
		regs->di = call.answer;
		regs->ip = call.finish ? (unsigned long)call.finish : (unsigned long)bare_return;
	} else {
		regs->di = call.args[0];
		regs->si = call.args[1];
		regs->dx = call.args[2];
		regs->cx = call.args[3];
		regs->r8 = call.args[4];
		regs->r9 = call.args[5];
	}
}

static void hook_fault_alloc(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	hook_callback(ops, fregs, fault_alloc);
}

static void hook_alloc_entry(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	hook_callback(ops, fregs, alloc_entry);
}

static void hook_mremap_move(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	hook_callback(ops, fregs, mremap_move);
}

static void hook_numa_misplaced(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	hook_callback(ops, fregs, numa_misplaced);
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
