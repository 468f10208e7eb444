// SPDX-License-Identifier: GPL-2.0-only
/*
 * The proof of the point that sees page tables move: a mapping of the arming
 * task is moved by mremap(), and the hook must see it as it was asked for.
 */

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>

#include "hook/hook_check_mremap.h"
#include "kernel/unexported_calls.h"

static struct {
	struct mm_struct *mm;
	unsigned long from;
	bool seen;
} proof;

void memsuite_hook_check_mremap_seen(struct mm_struct *mm, unsigned long from,
				     unsigned long to, unsigned long length)
{
	if (mm == proof.mm && from == proof.from && to == from + PAGE_SIZE &&
	    length == PAGE_SIZE)
		proof.seen = true;
}

int memsuite_hook_check_mremap(void)
{
	unsigned long from;
	long moved;

	if (!current->mm)
		return -EINVAL;
	from = vm_mmap(NULL, 0, 2 * PAGE_SIZE, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(from))
		return from;
	proof.from = from;
	proof.seen = false;
	proof.mm = current->mm;
	moved = memsuite_kcall_mremap(from, PAGE_SIZE, from + PAGE_SIZE);
	proof.mm = NULL;
	/* What a move has left free may be another thread's by now. */
	vm_munmap(moved < 0 ? from : from + PAGE_SIZE, PAGE_SIZE);
	if (moved < 0)
		return moved;
	return proof.seen ? 0 : -ENXIO;
}
