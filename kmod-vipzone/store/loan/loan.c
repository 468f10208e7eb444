// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: PRAM that the kernel uses as memory. Its memory blocks are added,
 * online and movable; units that hold storage are withheld when they come online,
 * as pages that are offline within a block. As virtio-mem does it: a unit is lent
 * by freeing its pages, and claimed back by allocating them where they are.
 */

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "store/loan/loan.h"
#include "store/loan/loan_block.h"
#include "store/loan/loan_hotplug.h"
#include "store/loan/loan_range.h"

/* Of all loans, their list among it. */
static DEFINE_MUTEX(loans_lock);

static u32 loan_nr_units(const struct vstore_loan *loan)
{
	return loan->size / VSTORE_UNIT_SIZE;
}

static unsigned long unit_pfn(const struct vstore_loan *loan, u32 unit)
{
	return PHYS_PFN(loan->start + unit * VSTORE_UNIT_SIZE);
}

/* The memory block of a unit, as vstore_loan_block() has it. */
static long unit_block(const struct vstore_loan *loan, u32 unit)
{
	return vstore_loan_block(loan, loan->start + unit * VSTORE_UNIT_SIZE);
}

/* Not what is reserved for special purposes, as HBM: firmware tells that of volatile memory. */
static bool range_is_pram(u64 start, u64 size)
{
	static const unsigned long kinds[] = {
		IORES_DESC_PERSISTENT_MEMORY, IORES_DESC_PERSISTENT_MEMORY_LEGACY,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (region_intersects(start, size, IORESOURCE_MEM, kinds[i]) == REGION_INTERSECTS)
			return true;
	return false;
}

static void loan_free(struct vstore_loan *loan)
{
	if (loan->base)
		memunmap(loan->base);
	if (loan->resource)
		release_mem_region(loan->start, loan->size);
	bitmap_free(loan->added);
	bitmap_free(loan->coming);
	bitmap_free(loan->online);
	bitmap_free(loan->yielded);
	bitmap_free(loan->lent);
	kfree(loan);
}

static struct vstore_loan *loan_new(u64 start, u64 size)
{
	unsigned long block = memory_block_size_bytes(), nr;
	struct vstore_loan *loan = kzalloc(sizeof(*loan), GFP_KERNEL);

	if (!loan)
		return NULL;
	loan->start = start;
	loan->size = size;
	loan->first = DIV_ROUND_UP_ULL(start, block);
	nr = div64_u64(start + size, block);
	loan->nr_blocks = nr > loan->first ? nr - loan->first : 0;
	nr = max(loan->nr_blocks, 1UL);
	spin_lock_init(&loan->lock);
	loan->added = bitmap_zalloc(nr, GFP_KERNEL);
	loan->coming = bitmap_zalloc(nr, GFP_KERNEL);
	loan->online = bitmap_zalloc(nr, GFP_KERNEL);
	loan->yielded = bitmap_zalloc(nr, GFP_KERNEL);
	loan->lent = bitmap_zalloc(loan_nr_units(loan), GFP_KERNEL);
	if (loan->added && loan->coming && loan->online && loan->yielded && loan->lent)
		return loan;
	loan_free(loan);
	return NULL;
}

/* Reserves the range: who holds some of it, nd_pmem or kmem, must let go first. */
static int loan_map(struct vstore_loan *loan, const char **why)
{
	*why = "The PRAM has no address that can be used";
	loan->base = memremap(loan->start, loan->size, MEMREMAP_WB);
	if (!loan->base)
		return -ENOMEM;
	*why = "The PRAM is held by a driver";
	loan->resource = request_mem_region(loan->start, loan->size, "dm-vstore");
	return loan->resource ? 0 : -EBUSY;
}

static struct vstore_loan *loan_make(u64 start, u64 size, const char **why)
{
	struct vstore_loan *loan;
	int err;

	*why = "This kernel cannot take memory back in units of 2 MiB";
	if (!MEMSUITE_ISOLATES_BY_PAGEBLOCK)
		return ERR_PTR(-EOPNOTSUPP);
	*why = "The range is not one of persistent memory";
	if (!range_is_pram(start, size))
		return ERR_PTR(-EINVAL);
	*why = "Out of memory";
	loan = loan_new(start, size);
	if (!loan)
		return ERR_PTR(-ENOMEM);
	err = loan_map(loan, why);
	if (!err) {
		*why = "Another driver decides on memory that comes online";
		err = vstore_loan_hotplug_add(loan);
	}
	if (err) {
		loan_free(loan);
		return ERR_PTR(err);
	}
	return loan;
}

/**
 * vstore_loan_get() - a range of PRAM, for a table
 * @start: address, a multiple of a unit
 * @size: bytes, likewise
 * @why: gets the reason if it is refused
 *
 * Nothing is lent by this. Sleeps.
 *
 * Return: the loan, also one that another table has, or that the kernel did not give
 * back; or an error.
 */
struct vstore_loan *vstore_loan_get(u64 start, u64 size, const char **why)
{
	struct vstore_loan *loan, *found = NULL;

	*why = "The range is not whole pieces of 2 MiB";
	if (!size || (start | size) & (VSTORE_UNIT_SIZE - 1) || start + size < start ||
	    size >> PAGE_SHIFT > U32_MAX)
		return ERR_PTR(-EINVAL);
	mutex_lock(&loans_lock);
	list_for_each_entry(loan, &vstore_loans, list) {
		if (loan->start == start && loan->size == size) {
			found = loan;
		} else if (loan->start < start + size && start < loan->start + loan->size) {
			*why = "The range overlaps another store's";
			found = ERR_PTR(-EBUSY);
		}
	}
	if (!found)
		found = loan_make(start, size, why);
	if (!IS_ERR(found))
		found->users++;
	mutex_unlock(&loans_lock);
	return found;
}

/**
 * vstore_loan_put() - a table needs it no more
 * @loan: it
 *
 * The last one takes back all that is lent, which moves its pages elsewhere: sleeps,
 * and goes on until there is room for them, or a signal comes. What the kernel does
 * not give back stays its memory, and the module is not unloaded; who gets the loan
 * again, and puts it, tries again.
 */
void vstore_loan_put(struct vstore_loan *loan)
{
	unsigned long block;

	mutex_lock(&loans_lock);
	if (--loan->users)
		goto unlock;
	WRITE_ONCE(loan->removing, true);
	for_each_set_bit(block, loan->added, loan->nr_blocks)
		vstore_loan_block_remove(loan, block);
	WRITE_ONCE(loan->removing, false);
	if (!bitmap_empty(loan->added, loan->nr_blocks)) {
		if (!loan->kept)
			__module_get(THIS_MODULE);
		loan->kept = true;
		goto unlock;
	}
	if (loan->kept)
		module_put(THIS_MODULE);
	vstore_loan_hotplug_remove(loan);
	loan_free(loan);
unlock:
	mutex_unlock(&loans_lock);
}

/**
 * vstore_loan_base() - where the PRAM is mapped
 * @loan: it
 *
 * Return: the address.
 */
void *vstore_loan_base(const struct vstore_loan *loan)
{
	return loan->base;
}

/**
 * vstore_loan_lendable() - whether a unit is in a memory block that is whole
 * @loan: its loan
 * @unit: it
 *
 * Return: true if it can be lent at all.
 */
bool vstore_loan_lendable(const struct vstore_loan *loan, u32 unit)
{
	long block = unit_block(loan, unit);

	return block >= 0 && block < (long)loan->nr_blocks;
}

/**
 * vstore_loan_lent() - whether a unit is memory
 * @loan: its loan
 * @unit: it
 *
 * Return: true if it is lent.
 */
bool vstore_loan_lent(const struct vstore_loan *loan, u32 unit)
{
	return test_bit(unit, loan->lent);
}

/**
 * vstore_loan_online() - whether the kernel has a unit's memory block, and uses it
 * @loan: its loan
 * @unit: it
 *
 * Return: true if it can be lent now.
 */
bool vstore_loan_online(const struct vstore_loan *loan, u32 unit)
{
	return vstore_loan_lendable(loan, unit) && test_bit(unit_block(loan, unit), loan->online);
}

/**
 * vstore_loan_offer() - a unit is to be memory from the beginning
 * @loan: its loan
 * @unit: it; nothing is in it; it may turn out by vstore_loan_lent(), after
 *	vstore_loan_blocks_begin(), that the kernel did not take it
 */
void vstore_loan_offer(struct vstore_loan *loan, u32 unit)
{
	if (!vstore_loan_lendable(loan, unit))
		return;
	spin_lock(&loan->lock);
	/* Of what is coming it may have been withheld already. */
	if (!test_bit(unit_block(loan, unit), loan->coming))
		set_bit(unit, loan->lent);
	spin_unlock(&loan->lock);
}

/**
 * vstore_loan_lend() - make a unit memory
 * @loan: its loan
 * @unit: one that is not lent; nothing is in it, durably
 *
 * Return: 0, or -ENODEV if the kernel does not have its block.
 */
int vstore_loan_lend(struct vstore_loan *loan, u32 unit)
{
	unsigned long pfn = unit_pfn(loan, unit), i;

	if (!vstore_loan_online(loan, unit))
		return -ENODEV;
	for (i = pfn; i < pfn + VSTORE_UNIT; i++)
		__ClearPageOffline(pfn_to_page(i));
	set_bit(unit, loan->lent);
	adjust_managed_page_count(pfn_to_page(pfn), VSTORE_UNIT);
	free_contig_range(pfn, VSTORE_UNIT);
	return 0;
}

/**
 * vstore_loan_claim() - take a unit back, and move what memory has there elsewhere
 * @loan: its loan
 * @unit: one that is lent
 *
 * Sleeps; may wait for I/O of any device.
 *
 * Return: 0, or an error if something in it cannot be moved.
 */
int vstore_loan_claim(struct vstore_loan *loan, u32 unit)
{
	unsigned long pfn = unit_pfn(loan, unit);
	int err = memsuite_alloc_contig_range(pfn, pfn + VSTORE_UNIT);

	if (err)
		return err;
	adjust_managed_page_count(pfn_to_page(pfn), -(long)VSTORE_UNIT);
	vstore_loan_withhold(pfn_to_page(pfn), VSTORE_UNIT);
	clear_bit(unit, loan->lent);
	return 0;
}
