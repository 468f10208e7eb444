// SPDX-License-Identifier: GPL-2.0-only
/*
 * The proof of the point that chooses nodes of hugetlbfs: calls of our own. The kernel's header
 * declares the function, and nothing else calls it but from another file: there is no clone. What
 * it looks at in an area, where the hook does not answer, is here as it is in hugetlbfs's.
 */

#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/hugetlb.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "hook/hook_check_private.h"
#include "hook/hook_proof.h"
#include "kernel/unexported_calls.h"

#ifdef CONFIG_HUGETLB_PAGE

/* An area of hugetlbfs, as far as its huge pages' size is asked for. */
struct area {
	struct vm_area_struct vma;
	struct file file;
	struct inode inode;
	struct super_block sb;
	struct hugetlbfs_sb_info info;
	struct hstate size;
};

static struct area *area_new(void)
{
	struct area *area = kvzalloc(sizeof(*area), GFP_KERNEL);

	if (!area)
		return NULL;
	area->size.order = HUGETLB_PAGE_ORDER;
	area->info.hstate = &area->size;
	area->sb.s_fs_info = &area->info;
	area->inode.i_sb = &area->sb;
	area->file.f_inode = &area->inode;
	area->vma.vm_file = &area->file;
	area->vma.vm_mm = current->mm;
	return area;
}

/*
 * @nid: one that the kernel does not choose. The policy that it names instead is nobody's to put:
 * the area has none.
 */
static bool call_is_proven(struct area *area, unsigned long address, int nid)
{
	struct mempolicy *policy = NULL;
	nodemask_t *nodes = NULL;
	struct memsuite_hook_proof proof = {
		.expected = { (unsigned long)&area->vma, address, (unsigned long)&policy,
			      (unsigned long)&nodes },
		.answer = nid,
	};
	int answer;

	memsuite_hook_proof_begin(&proof);
	answer = memsuite_kcall_huge_node(&area->vma, address, GFP_HIGHUSER_MOVABLE, &policy,
					  &nodes);
	memsuite_hook_proof_end();
	return proof.seen && answer == nid;
}

int memsuite_hook_check_hugetlb(void)
{
	struct area *area;
	bool proven;

	if (!memsuite_kcall_huge_node_there())
		return -EOPNOTSUPP;
	area = area_new();
	if (!area)
		return -ENOMEM;
	proven = call_is_proven(area, 0x6d656d73UL, MAX_NUMNODES + 1) &&
		 call_is_proven(area, 0x75697465UL, MAX_NUMNODES + 2);
	kvfree(area);
	return proven ? 0 : -ENXIO;
}

#else

int memsuite_hook_check_hugetlb(void)
{
	return -EOPNOTSUPP;
}

#endif
