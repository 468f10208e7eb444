// SPDX-License-Identifier: GPL-2.0-only
/*
 * What runs at a hooked function: it reads the function's arguments from the saved registers,
 * asks the handlers, and puts their answer in place. Ftrace calls it, or the function itself,
 * by hook_direct.c.
 */

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <compat/compat.h>
#include <compat/misplaced.h>
#include <compat/remap.h>

#include "frame/handed.h"
#include "hook/hook_clear.h"
#include "hook/hook_private.h"
#include "hook/hook_proof.h"
#include "kernel/unexported_calls.h"

/*
 * What a hooked function that is answered for returns through. A BPF program on
 * that function keeps the arguments, and no other register.
 */
static noinline unsigned long bare_return(unsigned long value)
{
	return value;
}

static_assert(offsetof(struct memsuite_fault, order) == 1 * sizeof(unsigned long));
static_assert(offsetof(struct memsuite_fault, vma) == 2 * sizeof(unsigned long));
static_assert(offsetof(struct memsuite_fault, address) == 3 * sizeof(unsigned long));

static __always_inline struct page *hook_ask(const struct memsuite_hook *hook,
					     const struct memsuite_fault *fault,
					     const struct shmem_inode_info *file)
{
	if (!hook)
		return MEMSUITE_FAULT_PASS;
	return file ? hook->shmem(fault, file) : hook->fault(fault);
}

/* Whether the call has an answer, as of all that follow. */
static __always_inline bool fault_answer(struct memsuite_hook_state *point,
					 struct memsuite_hook_call *call,
					 const struct memsuite_fault *fault,
					 const struct shmem_inode_info *file)
{
	const struct memsuite_hook *hook;
	struct page *page;

	if (unlikely(!in_task())) {
		this_cpu_inc(point->stats->missed);
		return false;
	}
	this_cpu_inc(point->stats->hits);
	hook = READ_ONCE(point->hooks[MEMSUITE_HOOK_RANK_PLACEMENT]);
	page = hook_ask(hook, fault, file);
	if (page == MEMSUITE_FAULT_PASS) {
		hook = READ_ONCE(point->hooks[MEMSUITE_HOOK_RANK_DEFAULT]);
		page = hook_ask(hook, fault, file);
	}
	if (IS_ERR_OR_NULL(page)) {
		call->answer = 0;
		return page == MEMSUITE_FAULT_DENY;
	}
	call->answer = (unsigned long)page;
	if (unlikely(fault->order))
		call->finish = hook->finish;
	else
		memsuite_frame_handed(page, 0, fault->gfp);
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

	return fault_answer(point, call, &fault, NULL);
}

static __always_inline bool shmem_alloc(struct memsuite_hook_state *point,
					struct memsuite_hook_call *call)
{
	struct memsuite_fault fault = {
		.gfp = (__force gfp_t)*memsuite_hook_arg(point, call, 0),
		.order = memsuite_hook_value(point, call, 1),
		.address = memsuite_hook_value(point, call, 3) << PAGE_SHIFT,
	};

	return fault_answer(point, call, &fault, (void *)*memsuite_hook_arg(point, call, 2));
}

/* As if by the kernel's default policy, on another node. */
static __always_inline bool hugetlb_policy(struct memsuite_hook_state *point,
					   struct memsuite_hook_call *call)
{
	const struct memsuite_hook *hook;
	int rank, nid;

	this_cpu_inc(point->stats->hits);
	for (rank = 0; rank < MEMSUITE_NR_HOOK_RANKS; rank++) {
		hook = READ_ONCE(point->hooks[rank]);
		nid = hook ? hook->hugetlb((void *)*memsuite_hook_arg(point, call, 0),
					   *memsuite_hook_arg(point, call, 1)) :
			     NUMA_NO_NODE;
		if (nid == NUMA_NO_NODE)
			continue;
		*(struct mempolicy **)*memsuite_hook_arg(point, call, 2) =
			memsuite_kcall_task_policy(current);
		*(nodemask_t **)*memsuite_hook_arg(point, call, 3) = NULL;
		call->answer = nid;
		return true;
	}
	return false;
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

/* Its value says nothing, but its address. */
const char memsuite_hook_clear_mark;

static __always_inline bool fault_clear(struct memsuite_hook_state *point,
					struct memsuite_hook_call *call)
{
	this_cpu_inc(point->stats->hits);
	return memsuite_hook_clear_test_and_reset((void *)*memsuite_hook_arg(point, call, 0));
}

static __always_inline bool direct_fault(enum memsuite_hook_point_id id,
					 struct memsuite_hook_call *call)
{
	struct memsuite_hook_state *point = &memsuite_hook_states[id];
	bool answered;

	rcu_read_lock();
	if (unlikely(READ_ONCE(point->is_proving)))
		answered = memsuite_hook_proof_meet(point, call);
	else if (id == MEMSUITE_HOOK_POINT_FAULT_ALLOC)
		answered = fault_answer(point, call, &call->fault, NULL);
	else if (id == MEMSUITE_HOOK_POINT_SHMEM_ALLOC)
		answered = shmem_alloc(point, call);
	else
		answered = fault_alloc(point, call);
	rcu_read_unlock();
	if (unlikely(call->finish))
		call->answer = (unsigned long)call->finish((struct page *)call->answer);
	return answered;
}

bool memsuite_hook_ask_fault_alloc(struct memsuite_hook_call *call)
{
	return direct_fault(MEMSUITE_HOOK_POINT_FAULT_ALLOC, call);
}

bool memsuite_hook_ask_cache_alloc(struct memsuite_hook_call *call)
{
	return direct_fault(MEMSUITE_HOOK_POINT_CACHE_ALLOC, call);
}

bool memsuite_hook_ask_shmem_alloc(struct memsuite_hook_call *call)
{
	return direct_fault(MEMSUITE_HOOK_POINT_SHMEM_ALLOC, call);
}

static __always_inline bool hook_meet(enum memsuite_hook_point_id id,
				      struct memsuite_hook_call *call)
{
	struct memsuite_hook_state *point = &memsuite_hook_states[id];

	if (unlikely(READ_ONCE(point->is_proving)))
		return memsuite_hook_proof_meet(point, call);
	switch (id) {
	case MEMSUITE_HOOK_POINT_SHMEM_ALLOC:
		return shmem_alloc(point, call);
	case MEMSUITE_HOOK_POINT_HUGETLB_POLICY:
		return hugetlb_policy(point, call);
	case MEMSUITE_HOOK_POINT_ALLOC_ENTRY:
		return alloc_entry(point, call);
	case MEMSUITE_HOOK_POINT_MREMAP_MOVE:
		return mremap_move(point, call);
	case MEMSUITE_HOOK_POINT_NUMA_MISPLACED:
		return numa_misplaced(point, call);
	case MEMSUITE_HOOK_POINT_FAULT_CLEAR:
		return fault_clear(point, call);
	default:
		return fault_alloc(point, call);
	}
}

bool memsuite_hook_ask_fault_clear(struct memsuite_hook_call *call)
{
	return hook_meet(MEMSUITE_HOOK_POINT_FAULT_CLEAR, call);
}

bool memsuite_hook_ask_alloc_entry(struct memsuite_hook_call *call)
{
	bool answered;

	preempt_disable_notrace();
	answered = hook_meet(MEMSUITE_HOOK_POINT_ALLOC_ENTRY, call);
	preempt_enable_notrace();
	return answered;
}

/* No indirect branch leads to where the instruction pointer goes. */
void memsuite_hook_callback(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	struct memsuite_hook_state *point = container_of(ops, struct memsuite_hook_state, ops);
	struct pt_regs *regs = memsuite_ftrace_regs(fregs);
	struct memsuite_hook_call call = {
		.args = { regs->di, regs->si, regs->dx, regs->cx, regs->r8, regs->r9 },
	};

	if (hook_meet(point - memsuite_hook_states, &call)) {
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
