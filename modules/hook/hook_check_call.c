// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proofs by calls of our own: each argument differs from the others, from one call to the next, and
 * from what a register may have by chance.
 */

#include <linux/err.h>
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <compat/compat.h>
#include <compat/hooked.h>
#include <compat/misplaced.h>
#include <compat/shmem.h>

#include "hook/hook_check_private.h"
#include "hook/hook_clear.h"
#include "hook/hook_proof.h"
#include "kernel/symbols.h"
#include "kernel/unexported_calls.h"

#define PROOF_GFP	(GFP_HIGHUSER_MOVABLE | __GFP_NOWARN | __GFP_NORETRY)

static const struct call {
	gfp_t gfp;
	unsigned int order;
	unsigned long address;
} calls[] = {
	{ PROOF_GFP, 2, 0x6d656d73UL },
	{ PROOF_GFP | __GFP_ZERO, 3, 0x75697465UL },
	{ PROOF_GFP & ~__GFP_FS, 0, 0x70726f66UL },
	{ GFP_USER | __GFP_NOWARN | __GFP_NORETRY, 1, 0x21212121UL },
};

/* Whether a call was seen, and returned @page, which it was told to. Frees another one. */
static bool call_is_proven(struct memsuite_hook_proof *proof, struct page *page, unsigned int order)
{
	bool answered = page == (struct page *)proof->answer;

	if (page && !answered)
		__free_pages(page, order);
	return proof->seen && answered;
}

static bool fault_is_proven(const struct call *call, struct page *answer)
{
	struct vm_area_struct *vma = kzalloc(sizeof(*vma), GFP_KERNEL);
	struct memsuite_hook_proof proof = {
		.expected = { (__force unsigned long)call->gfp, call->order, (unsigned long)vma,
			      call->address },
		.halves = BIT(0) | BIT(1),
		.answer = (unsigned long)answer,
	};
	struct page *page;

	if (!vma)
		return false;
	vma->vm_mm = current->mm;
	memsuite_hook_proof_begin(&proof);
	page = memsuite_vma_alloc_pages(call->gfp, call->order, vma, call->address);
	memsuite_hook_proof_end();
	kfree(vma);
	return call_is_proven(&proof, page, call->order);
}

static bool cache_is_proven(const struct call *call, struct page *answer)
{
	unsigned int order = MEMSUITE_CACHE_ALLOC_HAS_ORDER ? call->order : 0;
	struct memsuite_hook_proof proof = {
		.expected = { (__force unsigned long)call->gfp, order },
		.halves = BIT(0) | BIT(1),
		.answer = (unsigned long)answer,
	};
	struct page *page;

	memsuite_hook_proof_begin(&proof);
	page = memsuite_cache_alloc_pages(call->gfp, order);
	memsuite_hook_proof_end();
	return call_is_proven(&proof, page, order);
}

static bool shmem_is_proven(const struct call *call, struct page *answer)
{
	unsigned int order = MEMSUITE_SHMEM_ALLOC_HAS_ORDER ? call->order : 0;
	struct file *file = memsuite_shmem_file("memsuite-proof", 0);
	struct memsuite_hook_proof proof = {
		.expected = { (__force unsigned long)call->gfp, order, 0, call->address },
		.halves = BIT(0) | BIT(1),
		.answer = (unsigned long)answer,
	};
	struct page *page;

	if (IS_ERR(file))
		return false;
	proof.expected[2] = (unsigned long)SHMEM_I(file_inode(file));
	memsuite_hook_proof_begin(&proof);
	page = memsuite_kcall_shmem_alloc(call->gfp, order, SHMEM_I(file_inode(file)),
					  call->address);
	memsuite_hook_proof_end();
	fput(file);
	return call_is_proven(&proof, page, order);
}

static int calls_check(bool (*is_proven)(const struct call *call, struct page *answer))
{
	struct page *answer = alloc_page(GFP_KERNEL);
	int i, err = answer ? 0 : -ENOMEM;

	for (i = 0; !err && i < ARRAY_SIZE(calls); i++)
		if (!is_proven(&calls[i], answer))
			err = -ENXIO;
	if (answer)
		__free_page(answer);
	return err;
}

int memsuite_hook_check_fault(void)
{
	return calls_check(fault_is_proven);
}

int memsuite_hook_check_cache(unsigned long ip)
{
	/* It hands its arguments on: a hook there would see them, and those of others. */
	if (ip - (unsigned long)MEMSUITE_CACHE_ALLOC_FN > MEMSUITE_ENDBR_BYTES)
		return -ENXIO;
	return calls_check(cache_is_proven);
}

int memsuite_hook_check_shmem_calls(void)
{
	return calls_check(shmem_is_proven);
}

/* Has the page come from @proof->answer, a node, which nobody asked for. */
static bool entry_agrees(struct memsuite_hook_proof *proof, unsigned long *args)
{
	if (!memsuite_hook_proof_agrees(proof, args))
		return false;
	args[2] = proof->answer;
	return true;
}

static bool entry_is_proven(const struct call *call, int from, int to)
{
	const gfp_t gfp = call->gfp | __GFP_THISNODE;
	nodemask_t nodes = node_states[N_MEMORY];
	struct memsuite_hook_proof proof = {
		.agrees = entry_agrees,
		.expected = { (__force unsigned long)gfp, call->order, from,
			      (unsigned long)&nodes },
		.halves = BIT(0) | BIT(1) | BIT(2),
		.answer = to,
	};
	struct page *page;
	bool obeyed;

	memsuite_hook_proof_begin(&proof);
	page = memsuite_alloc_pages_of(gfp, call->order, from, &nodes);
	memsuite_hook_proof_end();
	/* That node may be full. */
	obeyed = !page || page_to_nid(page) == to;
	if (page)
		__free_pages(page, call->order);
	return proof.seen && obeyed;
}

/* By the task's own policy: the node is any that is there. */
static bool policy_agrees(struct memsuite_hook_proof *proof, unsigned long *args)
{
	int nid = args[2];

	return (args[0] & proof->expected[0]) == proof->expected[0] &&
	       (u32)args[1] == proof->expected[1] &&
	       nid >= 0 && nid < nr_node_ids && node_online(nid);
}

/*
 * As the kernel allocates for page faults; no page fault, though, for which a hook that is armed
 * already may supply the page.
 */
static bool policy_is_proven(const struct call *call)
{
	struct memsuite_hook_proof proof = {
		.agrees = policy_agrees,
		.expected = { (__force unsigned long)call->gfp, call->order },
	};
	struct page *page;

	memsuite_hook_proof_begin(&proof);
	page = alloc_pages(call->gfp, call->order);
	memsuite_hook_proof_end();
	if (page)
		__free_pages(page, call->order);
	return proof.seen;
}

int memsuite_hook_check_entry(void)
{
	int i, from = first_memory_node, to = next_node_in(from, node_states[N_MEMORY]);

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (!entry_is_proven(&calls[i], from, to) ||
		    !entry_is_proven(&calls[i], to, from) || !policy_is_proven(&calls[i]))
			return -ENXIO;
	return 0;
}

static bool misplaced_agrees(struct memsuite_hook_proof *proof, unsigned long *args)
{
	struct vm_area_struct *vma;

	return memsuite_misplaced_read(args[1], &vma) && args[0] == proof->expected[0] &&
	       (unsigned long)vma == proof->expected[1] && args[2] == proof->expected[2];
}

static bool misplaced_is_proven(const struct call *call, struct page *page)
{
	struct vm_area_struct *vma = kzalloc(sizeof(*vma), GFP_KERNEL);
	struct memsuite_hook_proof proof = {
		.agrees = misplaced_agrees,
		.expected = { (unsigned long)page, (unsigned long)vma, call->address },
		.answer = (unsigned int)NUMA_NO_NODE,
	};
	bool stays;

	if (!vma)
		return false;
	memsuite_hook_proof_begin(&proof);
	stays = memsuite_kcall_misplaced(page, vma, call->address) == NUMA_NO_NODE;
	memsuite_hook_proof_end();
	kfree(vma);
	return proof.seen && stays;
}

int memsuite_hook_check_misplaced(void)
{
	return calls_check(misplaced_is_proven);
}

#define CLEAR_ORDER	1
#define CLEAR_BYTES	(PAGE_SIZE << CLEAR_ORDER)
#define CLEAR_FILL	0x5a

/* A folio with the mark is left as it is, if the hook says so. */
static bool clear_is_proven(const struct call *call, struct page *unused)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, CLEAR_ORDER);
	struct memsuite_hook_proof proof = {
		.expected = { (unsigned long)page, call->address },
	};
	bool left;

	if (!page)
		return false;
	memset(page_address(page), CLEAR_FILL, CLEAR_BYTES);
	memsuite_hook_clear_set(page);
	memsuite_hook_proof_begin(&proof);
	memsuite_kcall_clear_large(page, CLEAR_ORDER, call->address);
	memsuite_hook_proof_end();
	left = !memchr_inv(page_address(page), CLEAR_FILL, CLEAR_BYTES);
	set_page_private(page, 0);
	__free_pages(page, CLEAR_ORDER);
	return proof.seen && left;
}

int memsuite_hook_check_clear(void)
{
	return calls_check(clear_is_proven);
}
