// SPDX-License-Identifier: GPL-2.0-only
/*
 * Steering: the handlers of the hooks.
 *
 * A page that is under a policy comes from the pool of the first region in its
 * order that has one, a huge page from a free block of that region. Where the
 * region is a whole node and its pool is empty, or a huge page is wanted, the
 * allocation goes on in the kernel with that node as the preferred one, if it
 * has room. If no region has, the kernel reclaims on the first node.
 */

#include <linux/cpuset.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sizes.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/special_insns.h>
#include <asm/syscall.h>

#include <memsuite/hook.h>
#include <memsuite/pagewalk.h>

#include "audit/page_migrate.h"
#include "policy/bank_assign.h"
#include "tags/tags.h"
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

static void count_fallback(struct policy *policy, enum fallback why)
{
	this_cpu_inc(policy->stats->fallbacks[why]);
}

/*
 * Of what @nr pages were placed for, swap-in is counted apart: it is no first
 * touch, and on the newer kernels much of it does not come here. New pages are
 * asked for zeroed, and need no look.
 */
static void count_placed(struct policy *policy, u64 __percpu *placed,
			 const struct memsuite_fault *fault)
{
	this_cpu_add(*placed, 1UL << fault->order);
	if (unlikely(!(fault->gfp & __GFP_ZERO)) && fault->vma &&
	    memsuite_walk_is_swapped(fault->vma->vm_mm, fault->address))
		this_cpu_add(policy->stats->swapped_in, 1UL << fault->order);
}

/* @nth: how many regions come before it */
static void account_for(struct policy *policy, u64 __percpu *placed,
			struct target *target, unsigned int nth,
			const struct memsuite_fault *fault)
{
	count_placed(policy, placed, fault);
	if (unlikely(nth))
		this_cpu_add(policy->stats->next, 1UL << fault->order);
	if (target->room.credit)
		room_spend(&target->room, 1UL << fault->order);
}

static void wish(const struct target *target, const struct memsuite_fault *fault)
{
	struct wish *wish = this_cpu_ptr(&wishes);

	wish->nid = target->nid;
	wish->order = fault->order;
	wish->task = current;
}

/* What a huge page wished for, which may be tried twice, no other page has. */
static void forget_wish(void)
{
	if (this_cpu_read(wishes.task) == current)
		this_cpu_write(wishes.task, NULL);
}

static bool allowed(const struct target *target)
{
	return target_is_on(target, &cpuset_current_mems_allowed);
}

/* What is written wears it, and it has had its share. */
static bool is_spared(const struct policy *policy, const struct target *target)
{
	return policy->command.wear && account_is_over(target->account);
}

/*
 * Who is refused a large folio tries smaller ones: a page fault always, for a
 * file who does not insist.
 */
static bool may_refuse(const struct memsuite_fault *fault)
{
	return fault->vma || (fault->gfp & __GFP_NORETRY);
}

/* Of a node, a huge page is the kernel's to find. */
static struct page *pop(const struct target *target,
			const struct memsuite_fault *fault)
{
	if (likely(!fault->order))
		return memsuite_pool_pop(target->pool, fault->gfp);
	if (target->is_node)
		return NULL;
	return memsuite_pool_pop_large(target->pool, fault->order, fault->gfp);
}

/*
 * Whether the kernel has so much on a node above the high watermark, up to which
 * it reclaims. What lies in the lists of CPUs is not seen.
 */
static bool has_room(const struct target *target, const struct memsuite_fault *fault)
{
	int highest = gfp_zone(fault->gfp), i;
	struct zone *zone;

	for (i = highest; i >= 0; i--) {
		zone = &NODE_DATA(target->nid)->node_zones[i];
		if (zone_page_state(zone, NR_FREE_PAGES) >
		    high_wmark_pages(zone) + zone->lowmem_reserve[highest] +
		    (1UL << fault->order))
			return true;
	}
	return false;
}

/* No region has room. @node: the first of them that the kernel may reclaim on */
static struct page *give_up(struct policy *policy, enum fallback why,
			    const struct target *node,
			    const struct memsuite_fault *fault)
{
	if (node) {
		wish(node, fault);
	} else if (fault->order) {
		count_fallback(policy, FALLBACK_HUGE);
		return may_refuse(fault) ? MEMSUITE_FAULT_DENY : MEMSUITE_FAULT_KERNEL;
	}
	count_fallback(policy, why);
	return MEMSUITE_FAULT_KERNEL;
}

static struct page *steer_page(struct policy *policy, enum segment segment,
			       const struct vipzone_order *regions,
			       const struct memsuite_fault *fault)
{
	enum fallback why = FALLBACK_CPUSET;
	struct target *target, *node = NULL;
	struct page *page;
	unsigned int i;

	for (i = 0; i < regions->nr; i++) {
		target = &policy->targets[regions->region[i]];
		if (unlikely(!allowed(target)))
			continue;
		if (unlikely(is_spared(policy, target))) {
			why = FALLBACK_WEAR;
			continue;
		}
		page = pop(target, fault);
		if (likely(page)) {
			account_for(policy, &policy->stats->placed[segment],
				    target, i, fault);
			return page;
		}
		if (target->is_node && has_room(target, fault)) {
			wish(target, fault);
			account_for(policy, &policy->stats->by_node[segment],
				    target, i, fault);
			return MEMSUITE_FAULT_KERNEL;
		}
		if (target->is_node && !node)
			node = target;
		why = FALLBACK_EMPTY;
	}
	return give_up(policy, why, node, fault);
}

/* The narrower wins; but a program's choice only under who allowed it. */
struct policy *policy_of(const struct mm_struct *mm)
{
	struct process *process = process_of(mm);
	struct policy *base, *scope;

	if (likely(!process))
		return scope_policy(mm);
	base = process->policy->base;
	if (likely(!base) || base->command.scope == VIPZONE_PROCESS)
		return process->policy;
	scope = scope_policy(mm);
	return scope == base ? process->policy : scope;
}

struct policy *policy_hold(const struct mm_struct *mm)
{
	struct policy *policy;

	rcu_read_lock();
	preempt_disable();
	policy = policy_of(mm);
	if (policy)
		policy_get(policy);
	preempt_enable();
	rcu_read_unlock();
	return policy;
}

/* Which have more than their reserve; what is used much may have that, too. */
static unsigned int roomy(struct policy *policy, unsigned int hint)
{
	unsigned int i, mask = 0;

	if (!policy->has_rooms || hint & HINT_HIGH)
		return 0;
	/* Seldom written: all CPUs read it. */
	if (!READ_ONCE(policy->rooms_asked))
		WRITE_ONCE(policy->rooms_asked, true);
	for (i = 0; i < policy->nr_targets; i++)
		if (room_left(&policy->targets[i].room))
			mask |= 1U << i;
	return mask;
}

/* How the program says that its memory is used, or else the administrator. */
static unsigned int hint_of(const struct policy *policy,
			    const struct memsuite_fault *fault)
{
	u32 flags;

	if (fault->vma && tag_find(fault->vma->vm_mm, fault->address, &flags))
		return flags;
	return policy->command.low_power.hint;
}

/* Low power first, for memory with that hint. */
static void order_by_power(struct policy *policy, unsigned int hint,
			   unsigned int order, struct vipzone_order *regions)
{
	const struct low_power *low_power = &policy->command.low_power;

	low_power_order(&policy->command, hint, roomy(policy, hint),
			READ_ONCE(policy->most_free), regions);
	if (regions->region[0] != (hint & HINT_WRITE ? low_power->write :
				   low_power->read).region[0])
		this_cpu_add(policy->stats->yielded, 1UL << order);
}

static struct page *steer(struct policy *policy, enum segment segment,
			  const struct memsuite_fault *fault)
{
	const struct vipzone_order *regions =
		order_at_fault(policy, segment,
			       fault->vma ? fault->vma->vm_mm : current->mm);
	struct vipzone_order by_power;
	enum memsuite_refusal refusal;

	forget_wish();
	if (!regions->nr)
		return MEMSUITE_FAULT_PASS;
	refusal = memsuite_fault_refusal(fault);
	if (unlikely(refusal)) {
		count_fallback(policy, refusal == MEMSUITE_REFUSED_POLICY ?
			       FALLBACK_POLICY : FALLBACK_CONTEXT);
		return MEMSUITE_FAULT_KERNEL;
	}
	if (policy->command.low_power.set) {
		order_by_power(policy, hint_of(policy, fault), fault->order,
			       &by_power);
		regions = &by_power;
	}
	return steer_page(policy, segment, regions, fault);
}

/*
 * Where exec writes arguments is the stack of an address space that no process
 * has yet, nor is this known as exec at first: it is for who executes.
 */
static const struct mm_struct *mm_of(const struct vm_area_struct *vma)
{
	if ((vma->vm_flags & VM_STACK_INCOMPLETE_SETUP) ==
	    VM_STACK_INCOMPLETE_SETUP && current->mm)
		return current->mm;
	return vma->vm_mm;
}

static struct page *steer_fault(const struct memsuite_fault *fault)
{
	struct vm_area_struct *vma = fault->vma;
	struct policy *policy;

	/* Migration and shmem come without a vma, or with one of their own. */
	if (!vma || !vma->vm_mm)
		return MEMSUITE_FAULT_PASS;
	policy = policy_of(mm_of(vma));
	if (likely(!policy))
		return MEMSUITE_FAULT_PASS;
	return steer(policy, segment_of(vma, fault->address), fault);
}

static atomic_t kernel_policies = ATOMIC_INIT(0);

void steering_serve_kernel(void)
{
	atomic_inc(&kernel_policies);
}

void steering_leave_kernel(void)
{
	atomic_dec(&kernel_policies);
}

/* Memory that devices reach with 32 bits lies below 4 GiB. */
static bool reaches(const struct target *target, enum zone_type zone)
{
	return zone != ZONE_DMA32 ||
	       memsuite_region_spec(target->region)->start < SZ_4G;
}

static int node_for_kernel(struct policy *policy, gfp_t gfp, unsigned int order,
			   int nid)
{
	const struct vipzone_order *regions = &policy->command.low_power.read;
	enum zone_type zone = gfp_zone(gfp);
	struct target *target;
	unsigned int i;

	for (i = 0; zone != ZONE_DMA && i < regions->nr; i++) {
		target = &policy->targets[regions->region[i]];
		if (!target->is_node || !allowed(target) ||
		    !reaches(target, zone))
			continue;
		this_cpu_add(policy->stats->kernel, 1UL << order);
		return target->nid;
	}
	return nid;
}

/* Only one that binds comes with a node mask. */
static bool has_policy(const struct task_struct *task)
{
#ifdef CONFIG_NUMA
	return task->mempolicy;
#else
	return false;
#endif
}

/* The kernel's own memory counts as used much and mostly read. */
static int steer_kernel(gfp_t gfp, unsigned int order, int nid,
			const nodemask_t *nodemask)
{
	struct mm_struct *mm = current->mm;
	struct policy *policy;

	if (nodemask || (gfp & (__GFP_MOVABLE | __GFP_THISNODE)) ||
	    has_policy(current))
		return nid;
	policy = mm ? policy_of(mm) : scope_policy(NULL);
	if (!policy || !policy->has_kernel)
		return nid;
	return node_for_kernel(policy, gfp, order, nid);
}

static int steer_entry(gfp_t gfp, unsigned int order, int nid,
		       const nodemask_t *nodemask)
{
	struct wish *wish = this_cpu_ptr(&wishes);

	if (unlikely(atomic_read(&kernel_policies)) && in_task())
		nid = steer_kernel(gfp, order, nid, nodemask);
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

/*
 * A page for the page cache. In a page fault, and not in a system call, it is
 * for the file that is mapped at the address; where another task has faulted
 * on this CPU since, it counts as another file's.
 */
static enum segment segment_of_cache(const struct mm_struct *mm)
{
	if (syscall_get_nr(current, task_pt_regs(current)) >= 0)
		return SEGMENT_CACHE;
	return segment_of_file(mm, read_cr2());
}

static struct page *steer_cache(const struct memsuite_fault *fault)
{
	struct mm_struct *mm = current->mm;
	struct policy *policy = mm ? policy_of(mm) : NULL;

	if (likely(!policy))
		return MEMSUITE_FAULT_PASS;
	return steer(policy, segment_of_cache(mm), fault);
}

/* NUMA balancing would have it where its program runs. */
static bool steer_stays(struct page *page, struct vm_area_struct *vma,
			unsigned long address)
{
	struct policy *policy = policy_of(vma->vm_mm);
	const struct vipzone_order *order;

	if (likely(!policy) || has_policy(current) || memsuite_vma_has_policy(vma) ||
	    !node_isset(page_to_nid(page), cpuset_current_mems_allowed))
		return false;
	order = order_at_home(policy, segment_of(vma, address), vma->vm_mm);
	return is_placed(policy, order, page);
}

static const struct memsuite_hook steering_hooks[MEMSUITE_NR_HOOK_POINTS] = {
	[MEMSUITE_HOOK_POINT_FAULT_ALLOC] = { .fault = steer_fault },
	[MEMSUITE_HOOK_POINT_CACHE_ALLOC] = { .fault = steer_cache },
	[MEMSUITE_HOOK_POINT_ALLOC_ENTRY] = { .entry = steer_entry },
	[MEMSUITE_HOOK_POINT_NUMA_MISPLACED] = { .stays = steer_stays },
};

/*
 * A hook costs all tasks some instructions, at the allocator's entry with every
 * allocation, so each is armed only while a policy needs it.
 */
static DEFINE_MUTEX(arm_lock);
static bool running;
static unsigned int users[MEMSUITE_NR_HOOK_POINTS] = {
	[MEMSUITE_HOOK_POINT_FAULT_ALLOC] = 1,	/* all policies do */
};

static int arm(enum memsuite_hook_point_id id)
{
	return memsuite_hook_arm(id, MEMSUITE_HOOK_RANK_PLACEMENT, &steering_hooks[id]);
}

static void disarm(enum memsuite_hook_point_id id)
{
	memsuite_hook_disarm(id, MEMSUITE_HOOK_RANK_PLACEMENT);
}

int steering_use(enum memsuite_hook_point_id id)
{
	int err = 0;

	mutex_lock(&arm_lock);
	if (running && !users[id])
		err = arm(id);
	if (!err)
		users[id]++;
	mutex_unlock(&arm_lock);
	return err;
}

void steering_unuse(enum memsuite_hook_point_id id)
{
	mutex_lock(&arm_lock);
	if (!--users[id] && running)
		disarm(id);
	mutex_unlock(&arm_lock);
}

static void disarm_all(void)
{
	int id;

	for (id = 0; id < MEMSUITE_NR_HOOK_POINTS; id++)
		disarm(id);
}

/* What a fault leaves to the kernel has to be seen there: that comes first. */
int steering_start(void)
{
	int err = 0, id;

	mutex_lock(&arm_lock);
	for (id = MEMSUITE_NR_HOOK_POINTS - 1; !running && !err && id >= 0; id--)
		if (users[id])
			err = arm(id);
	if (err)
		disarm_all();
	else
		collapses_watch();
	/* Where that cannot be, the audit brings pages back. */
	if (!err && nr_node_ids > 1)
		arm(MEMSUITE_HOOK_POINT_NUMA_MISPLACED);
	running = !err;
	mutex_unlock(&arm_lock);
	return err;
}

void steering_stop(void)
{
	mutex_lock(&arm_lock);
	collapses_ignore();
	disarm_all();
	running = false;
	mutex_unlock(&arm_lock);
}

bool steering_running(void)
{
	return READ_ONCE(running);
}
