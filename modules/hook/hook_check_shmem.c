// SPDX-License-Identifier: GPL-2.0-only
/*
 * The proof that the kernel's own allocations for shared memory come by a hook: a page of a file
 * that nobody else has is read for the first time, and what the hook supplies is what the file has.
 */

#include <linux/err.h>
#include <linux/file.h>
#include <linux/gfp.h>
#include <linux/mm.h>

#include <compat/page.h>
#include <compat/shmem.h>

#include "hook/hook_check_private.h"
#include "hook/hook_proof.h"

#define INDEX	0x123	/* of the page, in the file */

/* That of a page which is large already, where such files have those, is another kind of call. */
static int page_check(struct page *page, const struct memsuite_hook_proof *proof)
{
	if (!proof->seen && memsuite_page_order(compound_head(page)))
		return 0;
	return proof->seen && (unsigned long)page == proof->answer ? 0 : -ENXIO;
}

static int file_check(struct file *file)
{
	const gfp_t gfp = GFP_HIGHUSER_MOVABLE | __GFP_NOWARN | __GFP_NORETRY;
	/* As the kernel would take it: the file gets it. */
	struct page *answer = alloc_page(GFP_HIGHUSER_MOVABLE | __GFP_ZERO), *page;
	struct memsuite_hook_proof proof = {
		.expected = { (__force unsigned long)gfp, 0,
			      (unsigned long)SHMEM_I(file_inode(file)), INDEX },
		.halves = BIT(0) | BIT(1),
		.answer = (unsigned long)answer,
	};
	int err;

	if (!answer)
		return -ENOMEM;
	memsuite_hook_proof_begin(&proof);
	page = shmem_read_mapping_page_gfp(file->f_mapping, INDEX, gfp);
	memsuite_hook_proof_end();
	if (!proof.seen)
		__free_page(answer);
	if (IS_ERR(page))
		return PTR_ERR(page);
	err = page_check(page, &proof);
	put_page(page);
	return err;
}

int memsuite_hook_check_shmem(void)
{
	struct file *file = memsuite_shmem_file("memsuite-proof", (loff_t)(INDEX + 1) * PAGE_SIZE);
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	err = file_check(file);
	fput(file);
	return err;
}
