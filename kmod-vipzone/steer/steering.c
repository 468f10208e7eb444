// SPDX-License-Identifier: GPL-2.0-only
/*
 * Steering: the handlers of the hooks.
 *
 * A page that is under a policy comes from the pool of the first region in its
 * order that has one, a huge page from a free block of that region. Where the
 * region is a whole node and its pool is empty, or a huge page is wanted, the
 * allocation goes on in the kernel with that node as the preferred one, if it
 * has reserve. If no region has, the kernel reclaims on the first node.
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

#include <compat/hugetlb_area.h>
#include <memsuite/fault_refusal.h>
#include <memsuite/hook.h>
#include <memsuite/hook_watch.h>
#include <memsuite/node_reclaim.h>
#include <memsuite/pagewalk.h>

#include "parse/turns.h"
#include "policy/arming.h"
#include "policy/bank_assign.h"
#include "policy/lookup.h"
#include "policy/spread.h"
#include "steer/collapse_count.h"
#include "steer/steering.h"
#include "steer/syscall_file.h"
#include "tags/tags.h"

/*
 * A node chosen at the fault, for the allocation that the same task makes
 * next. A task that is moved to another CPU in between loses it; it is kept there for
 * a number of allocations of others, for they are all seen meanwhile.
 */
#define PREFERRED_FOR	256

/* No region has it: who hands out what was tested may, or the kernel. */
#define VIPZONE_FAULT_ANYWHERE	MEMSUITE_FAULT_PASS

struct preferred_node {
	struct task_struct *task;
	unsigned int order;
	int nid;
	int left;
};

static DEFINE_PER_CPU(struct preferred_node, preferred_nodes);

static void count_fallback(struct vipzone_policy *policy, enum vipzone_fallback why)
{
	this_cpu_inc(policy->stats->fallbacks[why]);
}

/*
 * Swap-in is counted apart from other faults: it is no first touch, and on the newer
 * kernels much of it does not come here. Faults ask for new pages zeroed, which
 * saves a look.
 */
static void count_placed(struct vipzone_policy *policy, u64 __percpu *placed,
			 const struct memsuite_fault *fault)
{
	this_cpu_add(*placed, 1UL << fault->order);
	if (unlikely(!(fault->gfp & __GFP_ZERO)) && fault->vma &&
	    memsuite_walk_is_swapped(fault->vma->vm_mm, fault->address))
		this_cpu_add(policy->stats->swapped_in, 1UL << fault->order);
}

/* @nth: how many regions come before it */
static void count_given(struct vipzone_policy *policy, u64 __percpu *placed,
			struct vipzone_target *target, unsigned int nth,
			const struct memsuite_fault *fault)
{
	count_placed(policy, placed, fault);
	if (unlikely(nth))
		this_cpu_add(policy->stats->next, 1UL << fault->order);
	if (target->reserve.credit)
		vipzone_reserve_spend(&target->reserve, 1UL << fault->order);
}

static void prefer_node(const struct vipzone_target *target, const struct memsuite_fault *fault)
{
	struct preferred_node *prefer_node = get_cpu_ptr(&preferred_nodes);

	prefer_node->nid = target->nid;
	prefer_node->order = fault->order;
	prefer_node->left = PREFERRED_FOR;
	prefer_node->task = current;
	memsuite_hook_watch_next(true);
	put_cpu_ptr(&preferred_nodes);
}

/* A huge page may be tried twice, but its node is for no other page. */
static void forget_preferred_node(void)
{
	if (unlikely(this_cpu_read(preferred_nodes.task) == current))
		this_cpu_cmpxchg(preferred_nodes.task, current, NULL);
}

static bool target_is_allowed(const struct vipzone_target *target)
{
	return vipzone_target_is_on(target, &cpuset_current_mems_allowed);
}

/* The policy heeds wear, and the region is over its budget. */
static bool is_spared(const struct vipzone_policy *policy, const struct vipzone_target *target)
{
	return policy->command.wear && vipzone_region_energy_is_over(target->energy);
}

/*
 * Callers that are refused a large folio try smaller ones: page faults and shared memory always,
 * the page cache unless it insists.
 */
static bool may_refuse(const struct memsuite_fault *fault, enum vipzone_segment segment)
{
	return fault->vma || segment == VIPZONE_SEGMENT_SHARED || (fault->gfp & __GFP_NORETRY);
}

/* In a region that is a node, the kernel finds huge pages, where none is ready. */
static struct page *target_pop(const struct vipzone_target *target,
			       const struct memsuite_fault *fault, unsigned long *looks)
{
	struct page *page;

	if (likely(!fault->order))
		return memsuite_pool_pop(target->pool, fault->gfp, looks);
	/* What is read into the page cache need not be clear. */
	page = fault->vma ? memsuite_pool_take_ready_large(target->pool, fault->order) : NULL;
	if (page || target->is_node)
		return page;
	return memsuite_pool_take_large(target->pool, fault->order, fault->gfp, looks);
}

/*
 * Whether a node has that much free above the low watermark, down to which the kernel gives it.
 * Where that is all, page cache makes room. Pages in the lists of CPUs are not seen.
 */
static bool node_has_free(const struct vipzone_target *target, const struct memsuite_fault *fault)
{
	int highest = gfp_zone(current_gfp_context(fault->gfp)), i;
	struct zone *zone;

	memsuite_node_reclaim_cache(target->nid);
	for (i = highest; i >= 0; i--) {
		zone = &NODE_DATA(target->nid)->node_zones[i];
		if (zone_page_state(zone, NR_FREE_PAGES) >
		    low_wmark_pages(zone) + zone->lowmem_reserve[highest] +
		    (1UL << fault->order))
			return true;
	}
	return false;
}

/* No region has a page. @node: the first of them that the kernel may reclaim on */
static struct page *steer_nowhere(struct vipzone_policy *policy, enum vipzone_segment segment,
				  enum vipzone_fallback why, const struct vipzone_target *node,
				  const struct memsuite_fault *fault)
{
	if (node) {
		prefer_node(node, fault);
		count_fallback(policy, why);
		return MEMSUITE_FAULT_KERNEL;
	}
	count_fallback(policy, fault->order ? VIPZONE_FALLBACK_HUGE : why);
	if (fault->order && may_refuse(fault, segment))
		return MEMSUITE_FAULT_DENY;
	return VIPZONE_FAULT_ANYWHERE;
}

static struct page *steer_page(struct vipzone_policy *policy, enum vipzone_segment segment,
			       const struct vipzone_order *regions,
			       const struct memsuite_fault *fault)
{
	enum vipzone_fallback why = VIPZONE_FALLBACK_CPUSET;
	struct vipzone_target *target, *node = NULL;
	unsigned long looks = memsuite_pool_looks();
	struct page *page;
	unsigned int i;

	for (i = 0; i < regions->nr; i++) {
		target = &policy->targets[regions->region[i]];
		if (unlikely(!target_is_allowed(target)))
			continue;
		if (unlikely(is_spared(policy, target))) {
			why = VIPZONE_FALLBACK_WEAR;
			continue;
		}
		page = target_pop(target, fault, &looks);
		if (likely(page)) {
			count_given(policy, &policy->stats->placed[segment],
				    target, i, fault);
			return page;
		}
		if (target->is_node && node_has_free(target, fault)) {
			prefer_node(target, fault);
			count_given(policy, &policy->stats->by_node[segment],
				    target, i, fault);
			return MEMSUITE_FAULT_KERNEL;
		}
		if (target->is_node && !node)
			node = target;
		why = VIPZONE_FALLBACK_EMPTY;
	}
	return steer_nowhere(policy, segment, why, node, fault);
}

/* A mask of targets with more free than their reserve; memory that is used much needs none. */
static unsigned int spare_targets(struct vipzone_policy *policy, unsigned int hint)
{
	unsigned int i, mask = 0;

	if (!policy->has_reserves || hint & VIPZONE_HINT_HIGH)
		return 0;
	/* Seldom written: all CPUs read it. */
	if (!READ_ONCE(policy->reserves_asked))
		WRITE_ONCE(policy->reserves_asked, true);
	for (i = 0; i < policy->nr_targets; i++)
		if (vipzone_reserve_has_spare(&policy->targets[i].reserve))
			mask |= 1U << i;
	return mask;
}

/* How the memory is used, as the program says, or else the administrator. */
static unsigned int hint_of(const struct vipzone_policy *policy,
			    const struct memsuite_fault *fault)
{
	u32 flags;

	if (fault->vma && vipzone_tag_find(fault->vma->vm_mm, fault->address, &flags))
		return flags;
	return policy->command.low_power.hint;
}

/* Low power first, for memory with that hint. */
static void order_by_power(struct vipzone_policy *policy, unsigned int hint,
			   unsigned int order, struct vipzone_order *regions)
{
	const struct vipzone_low_power *low_power = &policy->command.low_power;

	vipzone_low_power_order(&policy->command, hint, spare_targets(policy, hint),
				READ_ONCE(policy->most_free), regions);
	if (regions->region[0] != (hint & VIPZONE_HINT_WRITE ? low_power->write :
				   low_power->read).region[0])
		this_cpu_add(policy->stats->yielded, 1UL << order);
}

static noinline struct page *steer_by_power(struct vipzone_policy *policy,
					    enum vipzone_segment segment,
					    const struct memsuite_fault *fault)
{
	struct vipzone_order regions;

	order_by_power(policy, hint_of(policy, fault), fault->order, &regions);
	return steer_page(policy, segment, &regions, fault);
}

static bool has_policy(const struct task_struct *task)
{
#ifdef CONFIG_NUMA
	return task->mempolicy;
#else
	return false;
#endif
}

/*
 * What is pinned for long, as devices and io_uring do, may not be movable, as pages of pools are:
 * a node has other zones.
 */
static bool is_pinned(const struct memsuite_fault *fault)
{
	return (fault->gfp & GFP_ZONEMASK) == (__GFP_HIGHMEM | __GFP_MOVABLE) &&
	       !has_policy(current) && !(fault->vma && memsuite_vma_has_policy(fault->vma));
}

static struct page *steer_pinned(struct vipzone_policy *policy, enum vipzone_segment segment,
				 const struct vipzone_order *regions,
				 const struct memsuite_fault *fault)
{
	struct vipzone_target *target;
	unsigned int i;

	for (i = 0; i < regions->nr; i++) {
		target = &policy->targets[regions->region[i]];
		if (!target->is_node || !target_is_allowed(target) ||
		    is_spared(policy, target) || !node_has_free(target, fault))
			continue;
		prefer_node(target, fault);
		count_given(policy, &policy->stats->by_node[segment], target, i, fault);
		return MEMSUITE_FAULT_KERNEL;
	}
	count_fallback(policy, VIPZONE_FALLBACK_CONTEXT);
	return MEMSUITE_FAULT_KERNEL;
}

/* What is read into the page cache comes without a place: each CPU takes turns by itself. */
static unsigned long place_of(struct vipzone_policy *policy, enum vipzone_segment segment,
			      const struct memsuite_fault *fault)
{
	if (fault->vma)
		return vipzone_spread_place(fault->vma, fault->address, fault->order);
	if (segment == VIPZONE_SEGMENT_SHARED)
		return fault->address >> (PAGE_SHIFT + fault->order);
	return this_cpu_inc_return(policy->stats->turns);
}

static const struct vipzone_order *regions_for(struct vipzone_policy *policy,
					       enum vipzone_segment segment,
					       const struct memsuite_fault *fault)
{
	const struct vipzone_turns *turns = policy->turns[segment];

	if (turns)
		return &vipzone_turns_at(turns, place_of(policy, segment, fault))->all;
	return vipzone_order_at_fault(policy, segment,
				      fault->vma ? fault->vma->vm_mm : current->mm);
}

/* There is none at hand, or there is more to look at. */
static noinline struct page *steer_with_care(struct vipzone_policy *policy,
					     enum vipzone_segment segment,
					     enum memsuite_refusal refusal,
					     const struct memsuite_fault *fault)
{
	const struct vipzone_order *regions = regions_for(policy, segment, fault);

	if (!regions->nr)
		return MEMSUITE_FAULT_PASS;
	if (unlikely(refusal == MEMSUITE_REFUSED_CONTEXT && is_pinned(fault)))
		return steer_pinned(policy, segment, regions, fault);
	if (unlikely(refusal)) {
		count_fallback(policy, refusal == MEMSUITE_REFUSED_POLICY ?
			       VIPZONE_FALLBACK_POLICY : VIPZONE_FALLBACK_CONTEXT);
		return MEMSUITE_FAULT_KERNEL;
	}
	if (policy->command.low_power.set)
		return steer_by_power(policy, segment, fault);
	return steer_page(policy, segment, regions, fault);
}

/* The only region of a policy, when it has nothing, is not asked again in the same tick. */
static __always_inline bool was_dry_just_now(struct vipzone_policy *policy,
					     const struct memsuite_fault *fault)
{
	if (likely(time_after(jiffies, READ_ONCE(policy->dry_tick))) || fault->order)
		return false;
	count_fallback(policy, VIPZONE_FALLBACK_EMPTY);
	return true;
}

static void note_dry(struct vipzone_policy *policy)
{
	count_fallback(policy, VIPZONE_FALLBACK_EMPTY);
	if (policy->has_one_region)
		WRITE_ONCE(policy->dry_tick, jiffies);
}

/*
 * What most faults end with: a page that the usual region has at hand, or MEMSUITE_POOL_DRY:
 * it is full, and there is no other. NULL: there is more to look at.
 */
static __always_inline struct page *steer_usual(struct vipzone_policy *policy,
						enum vipzone_segment segment,
						const struct memsuite_fault *fault)
{
	const struct vipzone_target *target = policy->usual[segment];
	struct page *page;

	if (!target || fault->order || !(fault->gfp & __GFP_ZERO) ||
	    !node_isset(target->nid, cpuset_current_mems_allowed))
		return NULL;
	page = memsuite_pool_pop_at_hand(target->pool, policy->usual_is_only[segment]);
	if (unlikely(page == MEMSUITE_POOL_DRY))
		note_dry(policy);
	else if (likely(page))
		this_cpu_inc(policy->stats->placed[segment]);
	return page;
}

static __always_inline struct page *steer_alloc(struct vipzone_policy *policy,
						enum vipzone_segment segment,
						enum memsuite_refusal refusal,
						const struct memsuite_fault *fault)
{
	struct page *page = NULL;

	forget_preferred_node();
	if (likely(!refusal))
		page = steer_usual(policy, segment, fault);
	if (unlikely(!page))
		return steer_with_care(policy, segment, refusal, fault);
	return page == MEMSUITE_POOL_DRY ? VIPZONE_FAULT_ANYWHERE : page;
}

/*
 * exec writes the arguments to the stack of an address space that no process has
 * yet, before it is known as an exec: the page is for the task that executes.
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
	struct vipzone_policy *policy;

	/* Migration and shmem come without a vma, or with one of their own. */
	if (!vma || !vma->vm_mm)
		return MEMSUITE_FAULT_PASS;
	policy = vipzone_policy_of(mm_of(vma));
	if (!policy)
		return MEMSUITE_FAULT_PASS;
	if (was_dry_just_now(policy, fault))
		return VIPZONE_FAULT_ANYWHERE;
	return steer_alloc(policy, vipzone_segment_of(vma, fault->address),
			   memsuite_fault_refusal(fault), fault);
}

/* Memory that devices reach with 32 bits lies below 4 GiB. */
static bool target_reaches(const struct vipzone_target *target, enum zone_type zone)
{
	return zone != ZONE_DMA32 ||
	       memsuite_region_spec(target->region)->start < SZ_4G;
}

static int node_for_kernel(struct vipzone_policy *policy, gfp_t gfp, unsigned int order,
			   int nid)
{
	const struct vipzone_order *regions = &policy->command.low_power.read;
	enum zone_type zone = gfp_zone(gfp);
	struct vipzone_target *target;
	unsigned int i;

	for (i = 0; !(gfp & __GFP_DMA) && i < regions->nr; i++) {
		target = &policy->targets[regions->region[i]];
		if (!target->is_node || !target_is_allowed(target) ||
		    !target_reaches(target, zone))
			continue;
		this_cpu_add(policy->stats->kernel, 1UL << order);
		return target->nid;
	}
	return nid;
}

/*
 * The kernel's own memory counts as used much and mostly read. Of the NUMA policies, only one that
 * binds comes with a node mask.
 */
static int steer_kernel(gfp_t gfp, unsigned int order, int nid,
			const nodemask_t *nodemask)
{
	struct mm_struct *mm = current->mm;
	struct vipzone_policy *policy;

	if (nodemask || (gfp & (__GFP_MOVABLE | __GFP_THISNODE)) ||
	    has_policy(current))
		return nid;
	policy = mm ? vipzone_policy_of(mm) : vipzone_policy_of_machine();
	if (!policy || !policy->has_kernel)
		return nid;
	return node_for_kernel(policy, gfp, order, nid);
}

static void preferred_node_end(struct preferred_node *prefer_node)
{
	prefer_node->task = NULL;
	memsuite_hook_watch_next(false);
}

static int steer_entry(gfp_t gfp, unsigned int order, int nid,
		       const nodemask_t *nodemask)
{
	struct preferred_node *prefer_node = this_cpu_ptr(&preferred_nodes);

	if (unlikely(atomic_read(&vipzone_kernel_policies)) && in_task())
		nid = steer_kernel(gfp, order, nid, nodemask);
	if (!in_task())
		return nid;
	if (prefer_node->task != current) {
		if (!prefer_node->task || !--prefer_node->left)
			preferred_node_end(prefer_node);
		return nid;
	}
	if (prefer_node->order != order || !(gfp & __GFP_MOVABLE))
		return nid;
	if (nodemask && !node_isset(prefer_node->nid, *nodemask))
		return nid;
	/* A huge page is tried twice; its node holds for both. */
	if (!order)
		preferred_node_end(prefer_node);
	return prefer_node->nid;
}

/*
 * A page for the page cache. In a page fault, and not in a system call, it is
 * for the file that is mapped at the address; where another task has faulted
 * on this CPU since, it counts as another file's.
 */
static enum vipzone_segment segment_of_cache(const struct mm_struct *mm)
{
	if (syscall_get_nr(current, task_pt_regs(current)) >= 0)
		return VIPZONE_SEGMENT_CACHE;
	return vipzone_segment_of_file(mm, read_cr2());
}

/* That of the file that the task reads or writes, if it has one. */
static struct vipzone_policy *policy_of_file_in_use(void)
{
	const struct inode *inode;

	if (likely(!READ_ONCE(vipzone_nr_file_policies)))
		return NULL;
	inode = vipzone_syscall_inode();
	return inode ? vipzone_policy_of_inode(inode) : NULL;
}

static struct page *steer_cache(const struct memsuite_fault *fault)
{
	struct vipzone_policy *policy = policy_of_file_in_use();
	enum vipzone_segment segment = VIPZONE_SEGMENT_CACHE;
	struct mm_struct *mm = current->mm;

	if (likely(!policy) && mm) {
		policy = vipzone_policy_of(mm);
		if (policy)
			segment = segment_of_cache(mm);
	}
	if (likely(!policy))
		return MEMSUITE_FAULT_PASS;
	if (was_dry_just_now(policy, fault))
		return VIPZONE_FAULT_ANYWHERE;
	return steer_alloc(policy, segment, memsuite_fault_refusal(fault), fault);
}

/* A page of shared memory is placed by its file's policy, or that of who is the first to use it. */
static struct page *steer_shared(const struct memsuite_fault *fault,
				 const struct shmem_inode_info *file)
{
	struct vipzone_policy *policy = vipzone_policy_of_inode(&file->vfs_inode);
	struct mm_struct *mm = current->mm;
	enum memsuite_refusal refusal;

	if (likely(!policy) && mm)
		policy = vipzone_policy_of(mm);
	if (likely(!policy))
		return MEMSUITE_FAULT_PASS;
	if (was_dry_just_now(policy, fault))
		return VIPZONE_FAULT_ANYWHERE;
	refusal = memsuite_shmem_has_policy(file) ? MEMSUITE_REFUSED_POLICY :
						    memsuite_task_refusal(fault->gfp);
	return steer_alloc(policy, VIPZONE_SEGMENT_SHARED, refusal, fault);
}

/* A huge page of hugetlbfs, likewise. */
static struct vipzone_policy *policy_of_huge(const struct vm_area_struct *vma)
{
	struct vipzone_policy *policy = vma->vm_flags & VM_MAYSHARE ?
		vipzone_policy_of_shared(vma) : NULL;

	if (likely(!policy) && vma->vm_mm)
		policy = vipzone_policy_of(vma->vm_mm);
	return policy;
}

/*
 * Huge pages of hugetlbfs were set aside on nodes, and no other region has them. One of a node
 * that has none free is the kernel's to find.
 */
static int steer_hugetlb(struct vm_area_struct *vma, unsigned long address)
{
	struct vipzone_policy *policy = policy_of_huge(vma);
	const struct memsuite_fault fault = {
		.order = memsuite_hugetlb_order(vma), .vma = vma, .address = address,
	};
	const struct vipzone_order *regions;
	struct vipzone_target *target;
	enum vipzone_segment segment;
	int nid = NUMA_NO_NODE;
	unsigned int i;

	if (!policy)
		return NUMA_NO_NODE;
	if (has_policy(current) || memsuite_vma_has_policy(vma)) {
		count_fallback(policy, VIPZONE_FALLBACK_POLICY);
		return NUMA_NO_NODE;
	}
	segment = vipzone_segment_of(vma, vma->vm_start);
	regions = regions_for(policy, segment, &fault);
	for (i = 0; i < regions->nr; i++) {
		target = &policy->targets[regions->region[i]];
		if (!target->is_node || !target_is_allowed(target) || is_spared(policy, target))
			continue;
		if (memsuite_hugetlb_free_on(vma, target->nid)) {
			this_cpu_add(policy->stats->by_node[segment], 1UL << fault.order);
			return target->nid;
		}
		if (nid == NUMA_NO_NODE)
			nid = target->nid;
	}
	if (regions->nr)
		count_fallback(policy, VIPZONE_FALLBACK_HUGE);
	return nid;
}

/* NUMA balancing would move the page to where its program runs. */
static bool steer_stays(struct page *page, struct vm_area_struct *vma,
			unsigned long address)
{
	enum vipzone_segment segment = vipzone_segment_of_page(vma, page, address);
	struct vipzone_policy *policy = memsuite_page_anon(page) ? NULL :
		vipzone_policy_of_shared(vma);
	const struct vipzone_order *order;

	if (likely(!policy))
		policy = vipzone_policy_of(vma->vm_mm);
	else if (policy->file.kind == VIPZONE_FILE_CACHE)
		segment = VIPZONE_SEGMENT_CACHE;
	if (likely(!policy) || has_policy(current) || memsuite_vma_has_policy(vma) ||
	    !node_isset(page_to_nid(page), cpuset_current_mems_allowed))
		return false;
	order = vipzone_order_at_home(policy, segment, vma->vm_mm);
	return vipzone_page_is_placed(policy, order, page);
}

static const struct memsuite_hook steering_hooks[MEMSUITE_NR_HOOK_POINTS] = {
	[MEMSUITE_HOOK_POINT_FAULT_ALLOC] = {
		.fault = steer_fault,
		.finish = memsuite_pool_finish_large,
	},
	[MEMSUITE_HOOK_POINT_CACHE_ALLOC] = {
		.fault = steer_cache,
		.finish = memsuite_pool_finish_large,
	},
	[MEMSUITE_HOOK_POINT_SHMEM_ALLOC] = {
		.shmem = steer_shared,
		.finish = memsuite_pool_finish_large,
	},
	[MEMSUITE_HOOK_POINT_HUGETLB_POLICY] = { .hugetlb = steer_hugetlb },
	[MEMSUITE_HOOK_POINT_ALLOC_ENTRY] = { .entry = steer_entry },
	[MEMSUITE_HOOK_POINT_NUMA_MISPLACED] = { .stays = steer_stays },
	[MEMSUITE_HOOK_POINT_FAULT_CLEAR] = {},
};

static DEFINE_MUTEX(steering_lock);	/* of starting and stopping */

int vipzone_steering_start(void)
{
	int err;

	mutex_lock(&steering_lock);
	err = vipzone_arming_start(steering_hooks);
	if (!err)
		vipzone_collapse_count_watch();
	mutex_unlock(&steering_lock);
	return err;
}

void vipzone_steering_stop(void)
{
	mutex_lock(&steering_lock);
	vipzone_collapse_count_ignore();
	vipzone_arming_stop();
	mutex_unlock(&steering_lock);
}
