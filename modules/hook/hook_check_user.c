// SPDX-License-Identifier: GPL-2.0-only
/*
 * The proof that the kernel's own page faults come by a hook: a page of the arming task is written
 * to for the first time, and what the hook supplies is what is mapped.
 */

#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "hook/hook_check_private.h"
#include "hook/hook_proof.h"

/* Other threads may change the mapping meanwhile. */
#define TRIES		3
#define OFFSET		0x123	/* in the page, of what is written */

static bool gfp_is_users(unsigned long arg)
{
	gfp_t gfp = (__force gfp_t)arg;

	return (gfp & GFP_HIGHUSER_MOVABLE) == GFP_HIGHUSER_MOVABLE;
}

/* Of a larger order, where huge pages are on, it need not answer: the next is of order 0. */
static bool user_fault_agrees(struct memsuite_hook_proof *proof, unsigned long *args)
{
	return gfp_is_users(args[0]) && !(u32)args[1] && args[2] == proof->expected[2] &&
	       args[3] - proof->expected[3] < PAGE_SIZE;
}

static struct page *mapped_page(unsigned long at)
{
	struct page *page = NULL;

	if (get_user_pages_fast(at, 1, 0, &page) != 1)
		return NULL;
	/* It is only compared. */
	put_page(page);
	return page;
}

static bool user_write(unsigned long at)
{
	return !put_user(1, (u8 __user *)(at + OFFSET));
}

static int mapping_check(unsigned long at)
{
	/* As the kernel would take it: the task gets it. */
	struct page *page = alloc_page(GFP_HIGHUSER_MOVABLE | __GFP_ZERO);
	struct memsuite_hook_proof proof = {
		.agrees = user_fault_agrees,
		.expected = { 0, 0, 0, at },
		.answer = (unsigned long)page,
	};
	bool written, obeyed;

	if (!page)
		return -ENOMEM;
	mmap_read_lock(current->mm);
	proof.expected[2] = (unsigned long)find_vma(current->mm, at);
	mmap_read_unlock(current->mm);
	memsuite_hook_proof_begin(&proof);
	written = user_write(at);
	memsuite_hook_proof_end();
	obeyed = proof.seen && mapped_page(at) == page;
	if (!proof.seen)
		__free_page(page);
	if (!written)
		return -ENOMEM;
	return obeyed ? 0 : -ENXIO;
}

int memsuite_hook_check_user(void)
{
	unsigned long at;
	int i, err = -ENXIO;

	/* A kernel thread has none; mlockall() has faulted all of it before it can be looked at. */
	if (!current->mm || current->mm->def_flags & VM_LOCKED)
		return 0;
	for (i = 0; i < TRIES && err == -ENXIO; i++) {
		/* By its flags it is not joined to a neighbour that may have huge pages. */
		at = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, 0);
		if (IS_ERR_VALUE(at))
			return at;
		err = mapping_check(at);
		vm_munmap(at, PAGE_SIZE);
	}
	return err;
}
