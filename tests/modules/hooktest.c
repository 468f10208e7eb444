// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arms hook points with a handler that does nothing, for the test of their proof: writing a point's number to
 * /sys/kernel/debug/hooktest/arm arms it, and disarms it again. Not installed anywhere.
 */
#include <linux/debugfs.h>
#include <linux/module.h>

#include <memsuite/hook.h>

static struct dentry *directory;

static struct page *pass(const struct memsuite_fault *fault)
{
	return MEMSUITE_FAULT_PASS;
}

static struct page *pass_shared(const struct memsuite_fault *fault,
				const struct shmem_inode_info *file)
{
	return MEMSUITE_FAULT_PASS;
}

static int by_kernel(struct vm_area_struct *vma, unsigned long address)
{
	return NUMA_NO_NODE;
}

static int same_node(gfp_t gfp, unsigned int order, int nid, const nodemask_t *nodemask)
{
	return nid;
}

static void look_on(struct mm_struct *mm, unsigned long from, unsigned long to, unsigned long length)
{
}

static bool may_move(struct page *page, struct vm_area_struct *vma, unsigned long address)
{
	return false;
}

static const struct memsuite_hook neutral = {
	.fault = pass,
	.shmem = pass_shared,
	.hugetlb = by_kernel,
	.entry = same_node,
	.remap = look_on,
	.stays = may_move,
};

static int arm_set(void *data, u64 value)
{
	int err;

	if (value >= MEMSUITE_NR_HOOK_POINTS)
		return -EINVAL;
	err = memsuite_hook_arm(value, MEMSUITE_HOOK_RANK_DEFAULT, &neutral);
	if (!err)
		memsuite_hook_disarm(value, MEMSUITE_HOOK_RANK_DEFAULT);
	return err;
}
DEFINE_DEBUGFS_ATTRIBUTE(arm, NULL, arm_set, "%llu\n");

static int __init hooktest_init(void)
{
	directory = debugfs_create_dir("hooktest", NULL);
	debugfs_create_file_unsafe("arm", 0200, directory, NULL, &arm);
	return 0;
}

static void __exit hooktest_exit(void)
{
	debugfs_remove_recursive(directory);
}

module_init(hooktest_init);
module_exit(hooktest_exit);
MODULE_DESCRIPTION("Arms hook points for a test");
MODULE_LICENSE("GPL");
