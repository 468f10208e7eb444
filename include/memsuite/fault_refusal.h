/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether an allocation that a hook sees may have a page of a pool. */
#ifndef MEMSUITE_FAULT_REFUSAL_H
#define MEMSUITE_FAULT_REFUSAL_H

#include <linux/cpuset.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include <compat/shmem.h>
#include <memsuite/hook.h>

/* An explicit NUMA policy of a program is law: mbind(), or one of the file. */
static inline bool memsuite_vma_has_policy(const struct vm_area_struct *vma)
{
#ifdef CONFIG_NUMA
	const struct shmem_inode_info *file;

	if (vma->vm_policy)
		return true;
	if (!vma->vm_ops || !vma->vm_ops->get_policy)
		return false;
	/* It can have one; of files that nobody knows it has. */
	file = memsuite_shmem_of(vma);
	return !file || memsuite_shmem_has_policy(file);
#else
	return false;
#endif
}

/**
 * enum memsuite_refusal - why a page of ours may not be given to a fault
 * @MEMSUITE_REFUSED_NOT: it may
 * @MEMSUITE_REFUSED_CONTEXT: not movable, or not all zones are allowed
 * @MEMSUITE_REFUSED_POLICY: mbind(), set_mempolicy()
 */
enum memsuite_refusal {
	MEMSUITE_REFUSED_NOT,
	MEMSUITE_REFUSED_CONTEXT,
	MEMSUITE_REFUSED_POLICY,
};

/* Why a page of ours may not be given to this task, whatever it is for. */
static inline enum memsuite_refusal memsuite_task_refusal(gfp_t gfp)
{
	gfp_t zones = current_gfp_context(gfp) & GFP_ZONEMASK;

	if (unlikely(zones != (__GFP_HIGHMEM | __GFP_MOVABLE)))
		return MEMSUITE_REFUSED_CONTEXT;
#ifdef CONFIG_NUMA
	if (unlikely(current->mempolicy))
		return MEMSUITE_REFUSED_POLICY;
#endif
	return MEMSUITE_REFUSED_NOT;
}

/**
 * memsuite_fault_refusal() - why a page of ours may not be given to a fault
 * @fault: an allocation whose vma and mm are set, or for a file
 *
 * The caller looks at cpuset_current_mems_allowed itself.
 *
 * Context: a fault handler.
 * Return: the reason, or MEMSUITE_REFUSED_NOT.
 */
static inline enum memsuite_refusal memsuite_fault_refusal(const struct memsuite_fault *fault)
{
	enum memsuite_refusal refusal = memsuite_task_refusal(fault->gfp);

	if (unlikely(refusal))
		return refusal;
	if (unlikely(fault->vma ? memsuite_vma_has_policy(fault->vma) :
				  cpuset_do_page_mem_spread()))
		return MEMSUITE_REFUSED_POLICY;
	return MEMSUITE_REFUSED_NOT;
}

#endif
