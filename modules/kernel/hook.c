// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hook points: arming with proof, dispatch, teardown.
 *
 * A hook is an ftrace callback. It reads the arguments of the function from
 * the saved registers, and either looks on (mremap.move), or edits one
 * (alloc.entry), or stores a return value and moves the instruction pointer to a
 * bare return (the others). It never sleeps and leaves no module text on a
 * sleeping stack, so that unregistering, which waits for callbacks, is all that
 * unloading needs.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuset.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <compat/ftrace.h>
#include <compat/misplaced.h>
#include <compat/remap.h>
#include <memsuite/control.h>

#include "core.h"
#include "kernel/alloc_stats.h"
#include "kernel/hook.h"
#include "kernel/kcalls.h"

struct point_stats {
	u64 hits;
	u64 missed;
};

struct point_state {
	struct ftrace_ops ops;
	const struct memsuite_hook *hooks[MEMSUITE_NR_HOOK_RANKS];
	const char *symbol;
	const char *state;
	unsigned long ip;
	unsigned int arg_offset[MEMSUITE_HOOK_POINT_ARGS];	/* in struct pt_regs */
	bool has_arg[MEMSUITE_HOOK_POINT_ARGS];
	struct point_stats __percpu *stats;
	struct kobject *dir;
};

static struct point_state states[MEMSUITE_NR_HOOK_POINTS];
static struct kobject *hooks_dir;
static DEFINE_MUTEX(arm_lock);		/* arming, disarming, the proof */

static const unsigned int arg_register[] = {
	offsetof(struct pt_regs, di), offsetof(struct pt_regs, si),
	offsetof(struct pt_regs, dx), offsetof(struct pt_regs, cx),
	offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
};

/*
 * What a hooked function that is answered for returns through. A BPF program on
 * that function keeps the arguments, and no other register.
 */
noinline unsigned long memsuite_bare_return(unsigned long value)
{
	return value;
}

static __always_inline void answer(struct pt_regs *regs, unsigned long value)
{
	regs->di = value;
	regs->ip = (unsigned long)memsuite_bare_return;
}

static __always_inline unsigned long *arg(const struct point_state *point,
					  struct pt_regs *regs, int nr)
{
	return (void *)regs + point->arg_offset[nr];
}

static __always_inline unsigned long value_of(const struct point_state *point,
					      struct pt_regs *regs, int nr)
{
	return point->has_arg[nr] ? *arg(point, regs, nr) : 0;
}

static struct page *ask(struct point_state *point, const struct memsuite_fault *fault)
{
	struct page *page = MEMSUITE_FAULT_PASS;
	const struct memsuite_hook *hook;
	int rank;

	for (rank = 0; page == MEMSUITE_FAULT_PASS && rank < MEMSUITE_NR_HOOK_RANKS; rank++) {
		hook = READ_ONCE(point->hooks[rank]);
		if (hook)
			page = hook->fault(fault);
	}
	return page;
}

static void fault_alloc(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct point_state *point = container_of(ops, struct point_state, ops);
	struct pt_regs *regs = memsuite_ftrace_regs(fregs);
	struct memsuite_fault fault = {
		.gfp = (__force gfp_t)*arg(point, regs, 0),
		.order = value_of(point, regs, 1),
		.vma = (void *)value_of(point, regs, 2),
		.address = value_of(point, regs, 3),
	};
	struct page *page;

	if (unlikely(!in_task())) {
		this_cpu_inc(point->stats->missed);
		return;
	}
	this_cpu_inc(point->stats->hits);
	page = ask(point, &fault);
	if (page == MEMSUITE_FAULT_PASS || page == MEMSUITE_FAULT_KERNEL)
		return;
	if (page == MEMSUITE_FAULT_DENY)
		page = NULL;
	else
		memsuite_alloc_stats_handed(page);
	answer(regs, (unsigned long)page);
}

static void alloc_entry(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct point_state *point = container_of(ops, struct point_state, ops);
	struct pt_regs *regs = memsuite_ftrace_regs(fregs);
	unsigned long *nid = arg(point, regs, 2);
	const struct memsuite_hook *hook;
	int rank;

	this_cpu_inc(point->stats->hits);
	for (rank = 0; rank < MEMSUITE_NR_HOOK_RANKS; rank++) {
		hook = READ_ONCE(point->hooks[rank]);
		if (hook)
			*nid = hook->entry((__force gfp_t)*arg(point, regs, 0),
					   *arg(point, regs, 1), *nid,
					   (void *)*arg(point, regs, 3));
	}
}

static void remap(unsigned long ip, unsigned long parent_ip,
		  struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct point_state *point = container_of(ops, struct point_state, ops);
	struct pt_regs *regs = memsuite_ftrace_regs(fregs);
	unsigned long args[MEMSUITE_HOOK_POINT_ARGS];
	const struct memsuite_hook *hook;
	struct memsuite_mremap remap;
	int i;

	this_cpu_inc(point->stats->hits);
	for (i = 0; i < MEMSUITE_HOOK_POINT_ARGS; i++)
		args[i] = value_of(point, regs, i);
	memsuite_mremap_of(args, &remap);
	for (i = 0; i < MEMSUITE_NR_HOOK_RANKS; i++) {
		hook = READ_ONCE(point->hooks[i]);
		if (hook)
			hook->remap(remap.mm, remap.from, remap.to,
				    remap.length);
	}
}

static void misplaced(unsigned long ip, unsigned long parent_ip,
		      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct point_state *point = container_of(ops, struct point_state, ops);
	struct pt_regs *regs = memsuite_ftrace_regs(fregs);
	struct vm_area_struct *vma = memsuite_misplaced_area(*arg(point, regs, 1));
	const struct memsuite_hook *hook;
	int rank;

	this_cpu_inc(point->stats->hits);
	for (rank = 0; rank < MEMSUITE_NR_HOOK_RANKS; rank++) {
		hook = READ_ONCE(point->hooks[rank]);
		if (!hook || !hook->stays((void *)*arg(point, regs, 0), vma,
					  *arg(point, regs, 2)))
			continue;
		answer(regs, NUMA_NO_NODE);
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

/*
 * The proof: an allocation by the arming task, with arguments that nobody
 * else uses, must arrive at the handler as they were given. No compiler and
 * no symbol table can tell that an argument has moved.
 */
#define PROOF_GFP	(GFP_HIGHUSER_MOVABLE | __GFP_NOWARN | __GFP_NORETRY)
#define PROOF_ADDRESS	0x6d656d73UL

static struct {
	struct task_struct *task;
	struct vm_area_struct *vma;
	unsigned long address;
	struct page *page;
	bool seen;
} proof;

static struct page *proof_fault(const struct memsuite_fault *fault)
{
	if (current != proof.task || fault->vma != proof.vma ||
	    fault->gfp != PROOF_GFP || fault->order ||
	    fault->address != proof.address)
		return MEMSUITE_FAULT_PASS;
	proof.seen = true;
	return proof.page;
}

static int proof_entry(gfp_t gfp, unsigned int order, int nid,
		       const nodemask_t *nodemask)
{
	if (current == proof.task && (gfp & PROOF_GFP) == PROOF_GFP &&
	    order == 1 && nid == page_to_nid(proof.page))
		proof.seen = true;
	return nid;
}

static bool proof_stays(struct page *page, struct vm_area_struct *vma,
			unsigned long address)
{
	if (current != proof.task || page != proof.page || vma != proof.vma ||
	    address != proof.address)
		return false;
	proof.seen = true;
	return true;
}

static const struct memsuite_hook proof_hook = {
	.fault = proof_fault,
	.entry = proof_entry,
	.remap = memsuite_mremap_seen,
	.stays = proof_stays,
};

static bool is_answer(struct page *page)
{
	bool answered = page == proof.page;

	if (page && !answered)
		__free_page(page);
	return answered;
}

static bool prove_fault(struct vm_area_struct *vma)
{
	return is_answer(memsuite_vma_alloc_page(PROOF_GFP, vma, PROOF_ADDRESS));
}

static bool prove_misplaced(struct vm_area_struct *vma)
{
	return memsuite_kcall_misplaced(proof.page, vma, PROOF_ADDRESS) == NUMA_NO_NODE;
}

static bool prove_in_area(bool (*prove)(struct vm_area_struct *vma))
{
	struct vm_area_struct *vma = kzalloc(sizeof(*vma), GFP_KERNEL);
	bool answered;

	if (!vma)
		return false;
	proof.vma = vma;
	proof.address = PROOF_ADDRESS;
	answered = prove(vma);
	kfree(vma);
	return answered;
}

static bool prove_cache(void)
{
	proof.vma = NULL;
	proof.address = 0;
	return is_answer(memsuite_cache_alloc_page(PROOF_GFP));
}

static bool prove_entry(void)
{
	struct page *page = alloc_pages_node(page_to_nid(proof.page),
					     PROOF_GFP | __GFP_THISNODE, 1);

	if (page)
		__free_pages(page, 1);
	return true;
}

static bool prove_point(enum memsuite_hook_point_id id)
{
	switch (id) {
	case MEMSUITE_HOOK_POINT_FAULT_ALLOC:
		return prove_in_area(prove_fault);
	case MEMSUITE_HOOK_POINT_NUMA_MISPLACED:
		return prove_in_area(prove_misplaced);
	case MEMSUITE_HOOK_POINT_CACHE_ALLOC:
		return prove_cache();
	default:
		return prove_entry();
	}
}

static int prove(enum memsuite_hook_point_id id)
{
	bool answered;

	if (id == MEMSUITE_HOOK_POINT_MREMAP_MOVE)
		return memsuite_hook_check_mremap();
	proof.page = alloc_page(GFP_KERNEL);
	if (!proof.page)
		return -ENOMEM;
	proof.seen = false;
	proof.task = current;
	answered = prove_point(id);
	proof.task = NULL;
	__free_page(proof.page);
	return answered && proof.seen ? 0 : -ENXIO;
}

static int find_symbol(enum memsuite_hook_point_id id)
{
	const struct memsuite_hook_candidate *candidate = memsuite_hook_points[id].candidates;
	const struct memsuite_hook_candidate *end = candidate + MEMSUITE_HOOK_POINT_CANDIDATES;
	struct point_state *point = &states[id];
	int i;

	for (; candidate < end && candidate->symbol; candidate++) {
		point->ip = memsuite_symbol_address(candidate->symbol);
		if (!point->ip)
			continue;
		point->symbol = candidate->symbol;
		for (i = 0; i < MEMSUITE_HOOK_POINT_ARGS; i++) {
			point->has_arg[i] = candidate->args[i] != MEMSUITE_NO_ARG;
			if (point->has_arg[i])
				point->arg_offset[i] =
					arg_register[candidate->args[i]];
		}
		return 0;
	}
	return -EOPNOTSUPP;
}

static ftrace_func_t callback_of(enum memsuite_hook_point_id id)
{
	switch (id) {
	case MEMSUITE_HOOK_POINT_ALLOC_ENTRY:
		return alloc_entry;
	case MEMSUITE_HOOK_POINT_MREMAP_MOVE:
		return remap;
	case MEMSUITE_HOOK_POINT_NUMA_MISPLACED:
		return misplaced;
	default:
		return fault_alloc;
	}
}

static int hook_function(enum memsuite_hook_point_id id)
{
	struct point_state *point = &states[id];
	int err;

	point->ops.func = callback_of(id);
	point->ops.flags = MEMSUITE_FTRACE_OPS_FLAGS | FTRACE_OPS_FL_PERMANENT |
		(memsuite_hook_points[id].answers ? FTRACE_OPS_FL_IPMODIFY : 0);
	err = ftrace_set_filter_ip(&point->ops, point->ip, 0, 0);
	if (err)
		return err;
	err = register_ftrace_function(&point->ops);
	if (err)
		ftrace_set_filter_ip(&point->ops, point->ip, 1, 0);
	return err;
}

static void unhook_function(struct point_state *point)
{
	unregister_ftrace_function(&point->ops);
	ftrace_set_filter_ip(&point->ops, point->ip, 1, 0);
	/* A registered ops keeps flags and hashes of its own: begin anew. */
	memset(&point->ops, 0, sizeof(point->ops));
}

static bool is_hooked(const struct point_state *point)
{
	int rank;

	for (rank = 0; rank < MEMSUITE_NR_HOOK_RANKS; rank++)
		if (point->hooks[rank])
			return true;
	return false;
}

int memsuite_hook_arm(enum memsuite_hook_point_id id, enum memsuite_hook_rank rank,
		      const struct memsuite_hook *hook)
{
	const struct memsuite_hook_point *table = &memsuite_hook_points[id];
	struct point_state *point = &states[id];
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
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && table->answers) {
		pr_err("%s: a real-time kernel's zone lock sleeps, handlers may not\n",
		       table->name);
		err = -EOPNOTSUPP;
		goto out;
	}
	WRITE_ONCE(point->hooks[rank], &proof_hook);
	err = hook_function(id);
	if (err) {
		pr_err("%s: cannot hook %s (%d): does a live patch own it, or is kernel.ftrace_enabled 0?\n",
		       table->name, point->symbol, err);
		goto err_hook;
	}
	err = prove(id);
	if (err == -ENXIO)
		pr_err("%s: %s did not take its arguments as expected\n",
		       table->name, point->symbol);
	if (err)
		goto err_prove;
	WRITE_ONCE(point->hooks[rank], hook);
	point->state = "armed";
	mutex_unlock(&arm_lock);
	return 0;

err_prove:
	unhook_function(point);
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
	struct point_state *point = &states[id];

	mutex_lock(&arm_lock);
	if (!point->hooks[rank])
		goto out;
	WRITE_ONCE(point->hooks[rank], NULL);
	if (is_hooked(point)) {
		/* Callbacks run with preemption off. */
		synchronize_rcu();
	} else {
		unhook_function(point);
		point->state = "off";
	}
out:
	mutex_unlock(&arm_lock);
}
EXPORT_SYMBOL_GPL(memsuite_hook_disarm);

static struct point_state *point_of(struct kobject *dir)
{
	int i;

	for (i = 0; i < MEMSUITE_NR_HOOK_POINTS - 1; i++)
		if (states[i].dir == dir)
			break;
	return &states[i];
}

static ssize_t state_show(struct kobject *dir, struct kobj_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%s\n", point_of(dir)->state);
}

static ssize_t symbol_show(struct kobject *dir, struct kobj_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n", point_of(dir)->symbol ?: "none");
}

static ssize_t hits_show(struct kobject *dir, struct kobj_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%llu\n",
			  memsuite_stat_sum(point_of(dir)->stats, hits));
}

static ssize_t missed_show(struct kobject *dir, struct kobj_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%llu\n",
			  memsuite_stat_sum(point_of(dir)->stats, missed));
}

static struct kobj_attribute state_attr = __ATTR_RO(state);
static struct kobj_attribute symbol_attr = __ATTR_RO(symbol);
static struct kobj_attribute hits_attr = __ATTR_RO(hits);
static struct kobj_attribute missed_attr = __ATTR_RO(missed);

static struct attribute *point_attrs[] = {
	&state_attr.attr, &symbol_attr.attr, &hits_attr.attr,
	&missed_attr.attr, NULL
};
ATTRIBUTE_GROUPS(point);

static int point_init(enum memsuite_hook_point_id id)
{
	struct point_state *point = &states[id];
	int err;

	point->stats = alloc_percpu(struct point_stats);
	if (!point->stats)
		return -ENOMEM;
	point->state = find_symbol(id) ? "unsupported" : "off";
	point->dir = kobject_create_and_add(memsuite_hook_points[id].name, hooks_dir);
	if (!point->dir)
		return -ENOMEM;
	err = sysfs_create_groups(point->dir, point_groups);
	return err;
}

void memsuite_hooks_exit(void)
{
	int i;

	for (i = 0; i < MEMSUITE_NR_HOOK_POINTS; i++) {
		memsuite_control_del(states[i].dir);
		free_percpu(states[i].stats);
	}
	memsuite_control_del(hooks_dir);
}

int memsuite_hooks_init(void)
{
	int i, err;

	hooks_dir = memsuite_control_add("hooks", NULL);
	if (IS_ERR(hooks_dir))
		return PTR_ERR(hooks_dir);
	for (i = 0; i < MEMSUITE_NR_HOOK_POINTS; i++) {
		err = point_init(i);
		if (err) {
			memsuite_hooks_exit();
			return err;
		}
	}
	return 0;
}
