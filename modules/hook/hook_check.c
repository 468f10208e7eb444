// SPDX-License-Identifier: GPL-2.0-only
/*
 * The proof that a hook works: an allocation by the arming task, with arguments
 * that nobody else uses, must arrive at the handler as they were given. No
 * compiler and no symbol table can tell that an argument has moved.
 */

#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <compat/compat.h>

#include "hook/hook_check.h"
#include "hook/hook_check_mremap.h"
#include "kernel/unexported_calls.h"

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

const struct memsuite_hook memsuite_hook_check_handlers = {
	.fault = proof_fault,
	.entry = proof_entry,
	.remap = memsuite_hook_check_mremap_seen,
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

int memsuite_hook_check(enum memsuite_hook_point_id id)
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
