// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: the memory blocks of a loan: added, brought online, and removed.
 */

#include <linux/bitmap.h>
#include <linux/fs.h>
#include <linux/ioport.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "store/dm_prefix.h"
#include "store/loan/loan_block.h"
#include "store/loan/loan_range.h"

/*
 * Only within what is not busy memory is added, and removed. That is no longer than
 * it takes: nd_pmem could have the range meanwhile.
 */
static void loan_set_busy(struct vstore_loan *loan, bool busy)
{
	if (busy)
		loan->resource->flags |= IORESOURCE_BUSY;
	else
		loan->resource->flags &= ~(unsigned long)IORESOURCE_BUSY;
}

/* By sysfs, for nothing is exported: the kernel may be set to leave new memory offline. */
static int block_set_online(unsigned long block)
{
	static const char online[] = "online_movable";
	unsigned int tries = 50;
	struct file *file;
	char path[64];
	ssize_t err;
	loff_t at;

	snprintf(path, sizeof(path), "/sys/devices/system/memory/memory%lu/state", block);
	file = filp_open(path, O_WRONLY, 0);
	if (IS_ERR(file))
		return PTR_ERR(file);
	do {
		at = 0;
		err = kernel_write(file, online, sizeof(online) - 1, &at);
		/* Hotplug is busy, which is told by a signal. */
		if (err == -ERESTARTNOINTR)
			flush_signals(current);
	} while (err == -ERESTARTNOINTR && --tries);
	filp_close(file, NULL);
	return err < 0 ? err : 0;
}

static int block_add(struct vstore_loan *loan, unsigned long block)
{
	u64 start = (loan->first + block) * (u64)memory_block_size_bytes();
	int nid = phys_to_target_node(start), err;

	if (nid == NUMA_NO_NODE)
		nid = memory_add_physaddr_to_nid(start);
	loan_set_busy(loan, false);
	/* What describes its pages is not in PRAM itself, where it would take from the store. */
	err = add_memory_driver_managed(nid, start, memory_block_size_bytes(),
					"System RAM (dm-vstore)", MHP_NONE);
	loan_set_busy(loan, true);
	if (!err)
		set_bit(block, loan->added);
	return err;
}

/**
 * vstore_loan_block_remove() - take a memory block back from the kernel
 * @loan: its loan, which is being removed
 * @block: it, counted from the loan's first
 *
 * Moves its pages elsewhere: sleeps, and goes on until there is room for them, or a signal
 * comes. A block that the kernel does not give back stays in @loan->added.
 */
void vstore_loan_block_remove(struct vstore_loan *loan, unsigned long block)
{
	u64 start = (loan->first + block) * (u64)memory_block_size_bytes();
	int err;

	loan_set_busy(loan, false);
	err = memsuite_offline_and_remove_memory(start, memory_block_size_bytes());
	loan_set_busy(loan, true);
	if (err)
		DMERR("memory block %lu stays lent: %d", loan->first + block, err);
	else
		clear_bit(block, loan->added);
}

/*
 * Returns whether the kernel has a block, and uses it. Why it does not is told once: it
 * is tried again.
 */
static bool block_bring_online(struct vstore_loan *loan, unsigned long block)
{
	int err = 0;

	if (!test_bit(block, loan->added))
		err = block_add(loan, block);
	if (!err && !test_bit(block, loan->online))
		err = block_set_online(loan->first + block);
	/* Somebody else, or a setting of the kernel, may have been faster. */
	if (!err || test_bit(block, loan->online))
		return true;
	if (!loan->told)
		DMWARN("memory block %lu cannot be lent yet: %d", loan->first + block, err);
	loan->told = true;
	return false;
}

/*
 * What the kernel did not take stays the store's; also if somebody brings the block
 * online later. Return: false while it is coming, and neither is known.
 */
static bool block_settle(struct vstore_loan *loan, unsigned long block)
{
	u64 start = (loan->first + block) * (u64)memory_block_size_bytes() - loan->start;
	u32 unit = start / VSTORE_UNIT_SIZE;
	u32 end = unit + memory_block_size_bytes() / VSTORE_UNIT_SIZE;
	bool coming;

	spin_lock(&loan->lock);
	coming = test_bit(block, loan->coming);
	if (!coming && !test_bit(block, loan->online))
		for (; unit < end; unit++)
			clear_bit(unit, loan->lent);
	spin_unlock(&loan->lock);
	return !coming;
}

/**
 * vstore_loan_blocks_begin() - give the kernel what was offered
 * @loan: it; a kernel thread calls, which sleeps
 */
void vstore_loan_blocks_begin(struct vstore_loan *loan)
{
	unsigned long block;

	for (block = 0; block < loan->nr_blocks; block++)
		block_bring_online(loan, block);
	for (block = 0; block < loan->nr_blocks; block++)
		while (!block_settle(loan, block))
			schedule_timeout_uninterruptible(1);
}

/**
 * vstore_loan_blocks_missing() - whether the kernel does not have all blocks yet
 * @loan: it
 *
 * Return: true if it does not.
 */
bool vstore_loan_blocks_missing(const struct vstore_loan *loan)
{
	return loan->nr_blocks && !bitmap_full(loan->online, loan->nr_blocks);
}

/**
 * vstore_loan_blocks_retry() - try again to give the kernel what it did not take
 * @loan: it, after vstore_loan_blocks_begin(); a kernel thread calls, which sleeps
 *
 * Of what comes online, nothing is lent yet. The first block that fails ends it; the
 * next attempt begins after that.
 */
void vstore_loan_blocks_retry(struct vstore_loan *loan)
{
	unsigned long i, block;

	for (i = 0; i < loan->nr_blocks; i++) {
		block = loan->next;
		loan->next = (block + 1) % loan->nr_blocks;
		if (!test_bit(block, loan->online) && !block_bring_online(loan, block))
			return;
	}
}
