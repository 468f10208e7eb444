// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tests of the virtual machine need from inside its kernel, in /sys/kernel/debug/vmtest/:
 *
 *   phys   the machine's memory, at file offset = physical address
 *   warn   writing 1 fires WARN()
 *   leak   writing N leaks N objects
 *   fail   writing an address makes its page fail as the hardware would say it did
 *   poison what the kernel copies with care, from where such an aligned word begins, is memory that cannot be read;
 *          0: none
 *   ftrace writing 1 switches ftrace off for good, as it does itself after a fault
 *   hold   reading gives the physical address of 4 MiB that this module holds, for faults to be put there:
 *          those with the address of the parameter at=, if it is given and they are free
 *
 * Not installed anywhere.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#define HELD_ORDER 10

static unsigned long at;
module_param(at, ulong, 0400);

static struct dentry *directory;
static struct page *held;
static u64 poison;
static void *hole;	/* the page after it has no memory */

/* Address of the byte at *pos if it is memory, and how far its page goes. */
static void *byte_at(loff_t pos, size_t *count)
{
	unsigned long pfn = pos >> PAGE_SHIFT;

	if (pos < 0 || !pfn_valid(pfn))
		return NULL;
	*count = min_t(size_t, *count, PAGE_SIZE - offset_in_page(pos));
	return page_address(pfn_to_page(pfn)) + offset_in_page(pos);
}

static ssize_t phys_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	void *from = byte_at(*pos, &count);

	if (!from)
		return -ENXIO;
	if (copy_to_user(to, from, count))
		return -EFAULT;
	*pos += count;
	return count;
}

static ssize_t phys_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	void *to = byte_at(*pos, &count);

	if (!to)
		return -ENXIO;
	if (copy_from_user(to, from, count))
		return -EFAULT;
	*pos += count;
	return count;
}

static const struct file_operations phys = {
	.owner = THIS_MODULE,
	.llseek = default_llseek,
	.read = phys_read,
	.write = phys_write,
};

static int warn_set(void *data, u64 value)
{
	WARN(value, "vmtest: asked to warn\n");
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(warn, NULL, warn_set, "%llu\n");

static int leak_set(void *data, u64 value)
{
	while (value--) {
		char *object = kmalloc(100, GFP_KERNEL);

		if (object)
			strscpy(object, "leaked by vmtest", 100);
	}
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(leak, NULL, leak_set, "%llu\n");

static int fail_set(void *data, u64 value)
{
	return IS_ENABLED(CONFIG_MEMORY_FAILURE) ? memory_failure(PHYS_PFN(value), 0) : -EOPNOTSUPP;
}
DEFINE_DEBUGFS_ATTRIBUTE(fail, NULL, fail_set, "%llu\n");

/*
 * A machine check cannot be had here. A page fault is handled as one is: by the exception table, so that the copy
 * ends with what it has not copied. It is the inner function: what checks addresses was before.
 */
static int __kprobes before_copy(struct kprobe *probe, struct pt_regs *regs)
{
	if (regs->dx >= sizeof(poison) && *(u64 *)regs->si == poison)
		regs->si = (unsigned long)hole + PAGE_SIZE;
	return 0;
}

static struct kprobe copy_probe = {
	.symbol_name = "copy_mc_enhanced_fast_string",
	.pre_handler = before_copy,
};

static int poison_set(void *data, u64 value)
{
	if (!value == !poison) {
		poison = value;
		return 0;
	}
	if (!value) {
		unregister_kprobe(&copy_probe);
		poison = 0;
		return 0;
	}
	poison = value;
	copy_probe.addr = NULL;
	copy_probe.flags = 0;
	return register_kprobe(&copy_probe);
}
DEFINE_DEBUGFS_ATTRIBUTE(poison_fops, NULL, poison_set, "%llu\n");

/* It is not exported. */
static int ftrace_set(void *data, u64 value)
{
	struct kprobe probe = { .symbol_name = "ftrace_kill" };
	void (*kill)(void);
	int err = value == 1 ? register_kprobe(&probe) : -EINVAL;

	if (err)
		return err;
	kill = (void (*)(void))probe.addr;
	unregister_kprobe(&probe);
	kill();
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(ftrace_fops, NULL, ftrace_set, "%llu\n");

static int hold_get(void *data, u64 *value)
{
	*value = PFN_PHYS(page_to_pfn(held));
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(hold, hold_get, NULL, "0x%llx\n");

static bool wanted(struct page *block)
{
	unsigned long pfn = page_to_pfn(block);

	return !at || (at >> PAGE_SHIFT >= pfn && at >> PAGE_SHIFT < pfn + (1UL << HELD_ORDER));
}

/* Takes blocks until the wanted one is among them, and gives back the others. */
static struct page *take(void)
{
	struct page *block, *next, *found = NULL;
	LIST_HEAD(others);

	while (!found) {
		block = alloc_pages(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN, HELD_ORDER);
		if (!block)
			break;
		if (wanted(block))
			found = block;
		else
			list_add(&block->lru, &others);
	}
	list_for_each_entry_safe(block, next, &others, lru)
		__free_pages(block, HELD_ORDER);
	return found;
}

static int __init vmtest_init(void)
{
	held = take();
	if (!held)
		return -ENOMEM;
	hole = vmalloc(PAGE_SIZE);
	if (!hole) {
		__free_pages(held, HELD_ORDER);
		return -ENOMEM;
	}
	directory = debugfs_create_dir("vmtest", NULL);
	debugfs_create_file("phys", 0600, directory, NULL, &phys);
	debugfs_create_file_unsafe("warn", 0200, directory, NULL, &warn);
	debugfs_create_file_unsafe("leak", 0200, directory, NULL, &leak);
	debugfs_create_file_unsafe("fail", 0200, directory, NULL, &fail);
	debugfs_create_file_unsafe("poison", 0200, directory, NULL, &poison_fops);
	debugfs_create_file_unsafe("ftrace", 0200, directory, NULL, &ftrace_fops);
	debugfs_create_file_unsafe("hold", 0400, directory, NULL, &hold);
	return 0;
}

static void __exit vmtest_exit(void)
{
	debugfs_remove_recursive(directory);
	poison_set(NULL, 0);
	vfree(hole);
	__free_pages(held, HELD_ORDER);
}

module_init(vmtest_init);
module_exit(vmtest_exit);
MODULE_DESCRIPTION("Inside view for the tests of the virtual machine");
MODULE_LICENSE("GPL");
