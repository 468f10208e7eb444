// SPDX-License-Identifier: GPL-2.0-only
/*
 * The proof of the point that sees page tables move: a mapping of the arming
 * task is moved by mremap(), and the hook must see it as it was asked for.
 */

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>

#include <compat/remap.h>

#include "hook/hook_check_private.h"
#include "hook/hook_proof.h"
#include "kernel/unexported_calls.h"

static bool mremap_agrees(struct memsuite_hook_proof *proof, unsigned long *args)
{
	unsigned long from = proof->expected[1], area;
	struct memsuite_mremap remap;

	return memsuite_mremap_read(args, &remap, &area) && area == proof->expected[0] &&
	       remap.mm == current->mm && remap.from == from && remap.to == from + PAGE_SIZE &&
	       remap.length == PAGE_SIZE;
}

/*
 * Two pages; the first one is an area of its own, by its protection, so that it is moved as it is.
 * Where it goes is mapped as well: nobody else's mapping is replaced. It has a page, or it would
 * be one with the area that it becomes, for they touch.
 */
static unsigned long pages_map(void)
{
	const unsigned long flags = MAP_PRIVATE | MAP_ANONYMOUS;
	unsigned long from = vm_mmap(NULL, 0, 2 * PAGE_SIZE, PROT_NONE, flags, 0), first;

	if (IS_ERR_VALUE(from))
		return from;
	first = vm_mmap(NULL, from, PAGE_SIZE, PROT_WRITE,
			flags | MAP_FIXED | MAP_NORESERVE | MAP_POPULATE, 0);
	if (IS_ERR_VALUE(first))
		vm_munmap(from, 2 * PAGE_SIZE);
	return first;
}

int memsuite_hook_check_mremap(void)
{
	struct memsuite_hook_proof proof = { .agrees = mremap_agrees };
	unsigned long from;
	long moved;

	if (!current->mm)
		return -EINVAL;
	from = pages_map();
	if (IS_ERR_VALUE(from))
		return from;
	proof.expected[1] = from;
	mmap_read_lock(current->mm);
	proof.expected[0] = (unsigned long)find_vma(current->mm, from);
	mmap_read_unlock(current->mm);
	memsuite_hook_proof_begin(&proof);
	moved = memsuite_kcall_mremap(from, PAGE_SIZE, from + PAGE_SIZE);
	memsuite_hook_proof_end();
	/* What a move has left free may be another thread's by now. */
	vm_munmap(moved < 0 ? from : from + PAGE_SIZE, PAGE_SIZE);
	if (moved < 0)
		return moved;
	return proof.seen ? 0 : -ENXIO;
}
