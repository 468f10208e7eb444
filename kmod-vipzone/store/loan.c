// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: PRAM that the kernel uses as memory. Its memory blocks are added,
 * online and movable; units that hold storage are withheld when they come online,
 * as pages that are offline within a block. As virtio-mem does it: a unit is lent
 * by freeing its pages, and claimed back by allocating them where they are.
 */

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/numa.h>
#include <linux/page_ref.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "store/loan.h"
#include "store/store.h"

#define UNIT_ORDER	STORE_UNIT_SHIFT
#define UNIT_SIZE	((u64)STORE_UNIT << PAGE_SHIFT)

/**
 * struct store_loan - a range
 * @list: in all loans, under loans_lock; hotplug reads it with RCU, and holds no loan
 *	but one that has memory, which stays
 * @users: tables, under loans_lock
 * @start: address
 * @size: bytes
 * @resource: the range is reserved by it
 * @base: where the store reads and writes
 * @first: number of the first memory block that is whole within the range
 * @nr_blocks: how many are
 * @added: blocks that the kernel has
 * @lock: short, against hotplug
 * @coming: of these, those that come online: what is @lent of them stays as it is
 * @online: of these, those that it uses
 * @yielded: of these, those whose withheld pages have no reference: going offline
 * @lent: units that are memory
 * @removing: they may go offline
 * @next: of the blocks that did not come online, the one to try first
 * @told: that one did not, once
 * @kept: the kernel did not give all back: the module has a reference for that
 */
struct store_loan {
	struct list_head list;
	unsigned int users;
	u64 start;
	u64 size;
	struct resource *resource;
	void *base;
	unsigned long first;
	unsigned long nr_blocks;
	unsigned long *added;
	spinlock_t lock;	/* of @coming, and of what is @lent in blocks that are not online */
	unsigned long *coming;
	unsigned long *online;
	unsigned long *yielded;
	unsigned long *lent;
	unsigned long next;
	bool told;
	bool removing;
	bool kept;
};

static LIST_HEAD(loans);
static DEFINE_MUTEX(loans_lock);

static u32 nr_units(const struct store_loan *loan)
{
	return loan->size / UNIT_SIZE;
}

static unsigned long unit_pfn(const struct store_loan *loan, u32 unit)
{
	return PHYS_PFN(loan->start + unit * UNIT_SIZE);
}

/* The memory block of an address within @loan; less than 0 or too large: not whole. */
static long block_of(const struct store_loan *loan, u64 address)
{
	return (long)(address / memory_block_size_bytes()) - (long)loan->first;
}

static struct store_loan *loan_at(unsigned long pfn)
{
	u64 address = PFN_PHYS(pfn);
	struct store_loan *loan, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(loan, &loans, list)
		if (address >= loan->start && address < loan->start + loan->size)
			found = loan;
	rcu_read_unlock();
	return found;
}

/* Pages as the kernel has them that are allocated, but nobody's memory. */
static void withhold(struct page *page, unsigned long nr)
{
	for (; nr; nr--, page++) {
		ClearPageReserved(page);
		/* Since 6.11 they begin so. */
		if (!PageOffline(page))
			__SetPageOffline(page);
	}
}

static void come_online(struct page *page, unsigned int order)
{
	unsigned long pfn = page_to_pfn(page), end = pfn + (1UL << order);
	struct store_loan *loan = loan_at(pfn);

	if (!loan) {
		generic_online_page(page, order);
		return;
	}
	for (; pfn < end; pfn += STORE_UNIT) {
		u32 unit = (PFN_PHYS(pfn) - loan->start) / UNIT_SIZE;

		if (test_bit(unit, loan->lent))
			generic_online_page(pfn_to_page(pfn), UNIT_ORDER);
		else
			withhold(pfn_to_page(pfn), STORE_UNIT);
	}
}

/*
 * The kernel takes a block offline if nobody has a reference to those of its pages
 * that are offline already.
 */
static void yield_block(struct store_loan *loan, unsigned long pfn, unsigned long nr, bool back)
{
	unsigned long end = pfn + nr, i;

	for (; pfn < end; pfn += STORE_UNIT) {
		if (test_bit((PFN_PHYS(pfn) - loan->start) / UNIT_SIZE, loan->lent))
			continue;
		if (MEMSUITE_OFFLINE_IS_MANAGED)
			adjust_managed_page_count(pfn_to_page(pfn),
						  back ? -(long)STORE_UNIT : STORE_UNIT);
		for (i = pfn; i < pfn + STORE_UNIT; i++) {
			if (back)
				page_ref_inc(pfn_to_page(i));
			else
				WARN_ON_ONCE(!page_ref_dec_and_test(pfn_to_page(i)));
		}
	}
}

static void come(struct store_loan *loan, unsigned long block, bool coming, bool online)
{
	spin_lock(&loan->lock);
	assign_bit(block, loan->coming, coming);
	if (online)
		set_bit(block, loan->online);
	spin_unlock(&loan->lock);
}

/*
 * Memory that is claimed back must be movable; and only the store takes what it
 * has lent offline, for it would not learn of what others do in time.
 */
static int memory_event(struct notifier_block *notifier, unsigned long action, void *data)
{
	const struct memory_notify *range = data;
	struct store_loan *loan = loan_at(range->start_pfn);
	long block;

	if (!loan)
		return NOTIFY_OK;
	block = block_of(loan, PFN_PHYS(range->start_pfn));
	switch (action) {
	case MEM_GOING_ONLINE:
		if (zone_idx(page_zone(pfn_to_page(range->start_pfn))) != ZONE_MOVABLE)
			return notifier_from_errno(-EINVAL);
		come(loan, block, true, false);
		break;
	case MEM_CANCEL_ONLINE:
		come(loan, block, false, false);
		break;
	case MEM_ONLINE:
		come(loan, block, false, true);
		break;
	case MEM_GOING_OFFLINE:
		if (!loan->removing) {
			DMWARN_LIMIT("memory block %ld is lent by a store: remove that",
				     block + (long)loan->first);
			return notifier_from_errno(-EBUSY);
		}
		yield_block(loan, range->start_pfn, range->nr_pages, false);
		set_bit(block, loan->yielded);
		break;
	case MEM_CANCEL_OFFLINE:
		if (test_and_clear_bit(block, loan->yielded))
			yield_block(loan, range->start_pfn, range->nr_pages, true);
		break;
	case MEM_OFFLINE:
		clear_bit(block, loan->yielded);
		clear_bit(block, loan->online);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block memory_notifier = {
	.notifier_call = memory_event,
};

/* For the first loan, and until after the last one. */
static int watch_memory(void)
{
	int err = set_online_page_callback(come_online);

	if (err)
		return -EBUSY;
	err = register_memory_notifier(&memory_notifier);
	if (err)
		restore_online_page_callback(come_online);
	return err;
}

static void unwatch_memory(void)
{
	unregister_memory_notifier(&memory_notifier);
	restore_online_page_callback(come_online);
}

static bool is_pram(u64 start, u64 size)
{
	static const unsigned long kinds[] = {
		IORES_DESC_PERSISTENT_MEMORY, IORES_DESC_PERSISTENT_MEMORY_LEGACY,
		IORES_DESC_SOFT_RESERVED,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (region_intersects(start, size, IORESOURCE_MEM, kinds[i]) == REGION_INTERSECTS)
			return true;
	return false;
}

static void loan_free(struct store_loan *loan)
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

static struct store_loan *loan_new(u64 start, u64 size)
{
	unsigned long block = memory_block_size_bytes(), nr;
	struct store_loan *loan = kzalloc(sizeof(*loan), GFP_KERNEL);

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
	loan->lent = bitmap_zalloc(nr_units(loan), GFP_KERNEL);
	if (loan->added && loan->coming && loan->online && loan->yielded && loan->lent)
		return loan;
	loan_free(loan);
	return NULL;
}

/* Reserves the range: who holds some of it, nd_pmem or kmem, must let go first. */
static int loan_map(struct store_loan *loan, const char **why)
{
	*why = "The PRAM has no address that can be used";
	loan->base = memremap(loan->start, loan->size, MEMREMAP_WB);
	if (!loan->base)
		return -ENOMEM;
	*why = "The PRAM is held by a driver";
	loan->resource = request_mem_region(loan->start, loan->size, "dm-vstore");
	return loan->resource ? 0 : -EBUSY;
}

/*
 * Only within what is not busy memory is added, and removed. That is no longer than
 * it takes: nd_pmem could have the range meanwhile.
 */
static void set_busy(struct store_loan *loan, bool busy)
{
	if (busy)
		loan->resource->flags |= IORESOURCE_BUSY;
	else
		loan->resource->flags &= ~(unsigned long)IORESOURCE_BUSY;
}

static struct store_loan *loan_make(u64 start, u64 size, const char **why)
{
	struct store_loan *loan;
	int err;

	*why = "This kernel cannot take memory back in units of 2 MiB";
	if (!MEMSUITE_ISOLATES_BY_PAGEBLOCK)
		return ERR_PTR(-EOPNOTSUPP);
	*why = "The range is not one of persistent memory";
	if (!is_pram(start, size))
		return ERR_PTR(-EINVAL);
	*why = "Out of memory";
	loan = loan_new(start, size);
	if (!loan)
		return ERR_PTR(-ENOMEM);
	err = loan_map(loan, why);
	if (!err && list_empty(&loans)) {
		*why = "Another driver decides on memory that comes online";
		err = watch_memory();
	}
	if (err) {
		loan_free(loan);
		return ERR_PTR(err);
	}
	list_add_rcu(&loan->list, &loans);
	return loan;
}

/**
 * store_loan_get() - a range of PRAM, for a table
 * @start: address, a multiple of a unit
 * @size: bytes, likewise
 * @why: gets the reason if it is refused
 *
 * Nothing is lent by this. Sleeps.
 *
 * Return: the loan, also one that another table has, or that the kernel did not give
 * back; or an error.
 */
struct store_loan *store_loan_get(u64 start, u64 size, const char **why)
{
	struct store_loan *loan, *found = NULL;

	*why = "The range is not whole pieces of 2 MiB";
	if (!size || (start | size) & (UNIT_SIZE - 1) || start + size < start ||
	    size >> PAGE_SHIFT > U32_MAX)
		return ERR_PTR(-EINVAL);
	mutex_lock(&loans_lock);
	list_for_each_entry(loan, &loans, list) {
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

static void release_block(struct store_loan *loan, unsigned long block)
{
	u64 start = (loan->first + block) * (u64)memory_block_size_bytes();
	int err;

	set_busy(loan, false);
	err = memsuite_offline_and_remove_memory(start, memory_block_size_bytes());
	set_busy(loan, true);
	if (err)
		DMERR("memory block %lu stays lent: %d", loan->first + block, err);
	else
		clear_bit(block, loan->added);
}

/**
 * store_loan_put() - a table needs it no more
 * @loan: it
 *
 * The last one takes back all that is lent, which moves its pages elsewhere: sleeps,
 * and goes on until there is room for them, or a signal comes. What the kernel does
 * not give back stays its memory, and the module is not unloaded; who gets the loan
 * again, and puts it, tries again.
 */
void store_loan_put(struct store_loan *loan)
{
	unsigned long block;

	mutex_lock(&loans_lock);
	if (--loan->users)
		goto unlock;
	WRITE_ONCE(loan->removing, true);
	for_each_set_bit(block, loan->added, loan->nr_blocks)
		release_block(loan, block);
	WRITE_ONCE(loan->removing, false);
	if (!bitmap_empty(loan->added, loan->nr_blocks)) {
		if (!loan->kept)
			__module_get(THIS_MODULE);
		loan->kept = true;
		goto unlock;
	}
	if (loan->kept)
		module_put(THIS_MODULE);
	list_del_rcu(&loan->list);
	if (list_empty(&loans))
		unwatch_memory();
	synchronize_rcu();
	loan_free(loan);
unlock:
	mutex_unlock(&loans_lock);
}

/**
 * store_loan_base() - where the PRAM is mapped
 * @loan: it
 */
void *store_loan_base(const struct store_loan *loan)
{
	return loan->base;
}

/**
 * store_loan_lendable() - whether a unit is in a memory block that is whole
 * @loan: its loan
 * @unit: it
 */
bool store_loan_lendable(const struct store_loan *loan, u32 unit)
{
	long block = block_of(loan, loan->start + unit * UNIT_SIZE);

	return block >= 0 && block < (long)loan->nr_blocks;
}

/**
 * store_loan_lent() - whether a unit is memory
 * @loan: its loan
 * @unit: it
 */
bool store_loan_lent(const struct store_loan *loan, u32 unit)
{
	return test_bit(unit, loan->lent);
}

/**
 * store_loan_online() - whether the kernel has a unit's memory block, and uses it
 * @loan: its loan
 * @unit: it
 */
bool store_loan_online(const struct store_loan *loan, u32 unit)
{
	return store_loan_lendable(loan, unit) &&
	       test_bit(block_of(loan, loan->start + unit * UNIT_SIZE), loan->online);
}

/**
 * store_loan_offer() - a unit is to be memory from the beginning
 * @loan: its loan
 * @unit: it; nothing is in it; it may turn out by store_loan_lent(), after
 *	store_loan_begin(), that the kernel did not take it
 */
void store_loan_offer(struct store_loan *loan, u32 unit)
{
	if (!store_loan_lendable(loan, unit))
		return;
	spin_lock(&loan->lock);
	/* Of what is coming it may have been withheld already. */
	if (!test_bit(block_of(loan, loan->start + unit * UNIT_SIZE), loan->coming))
		set_bit(unit, loan->lent);
	spin_unlock(&loan->lock);
}

/* By sysfs, for nothing is exported: the kernel may be set to leave new memory offline. */
static int set_online(unsigned long block)
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

static int add_block(struct store_loan *loan, unsigned long block)
{
	u64 start = (loan->first + block) * (u64)memory_block_size_bytes();
	int nid = phys_to_target_node(start), err;

	if (nid == NUMA_NO_NODE)
		nid = memory_add_physaddr_to_nid(start);
	set_busy(loan, false);
	/* What describes its pages is not in PRAM itself, where it would take from the store. */
	err = add_memory_driver_managed(nid, start, memory_block_size_bytes(),
					"System RAM (dm-vstore)", MHP_NONE);
	set_busy(loan, true);
	if (!err)
		set_bit(block, loan->added);
	return err;
}

/*
 * Returns whether the kernel has a block, and uses it. Why it does not is told once: it
 * is tried again.
 */
static bool bring_online(struct store_loan *loan, unsigned long block)
{
	int err = 0;

	if (!test_bit(block, loan->added))
		err = add_block(loan, block);
	if (!err && !test_bit(block, loan->online))
		err = set_online(loan->first + block);
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
static bool settle_block(struct store_loan *loan, unsigned long block)
{
	u64 start = (loan->first + block) * (u64)memory_block_size_bytes() - loan->start;
	u32 unit = start / UNIT_SIZE, end = unit + memory_block_size_bytes() / UNIT_SIZE;
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
 * store_loan_begin() - give the kernel what was offered
 * @loan: it; a kernel thread calls, which sleeps
 */
void store_loan_begin(struct store_loan *loan)
{
	unsigned long block;

	for (block = 0; block < loan->nr_blocks; block++)
		bring_online(loan, block);
	for (block = 0; block < loan->nr_blocks; block++)
		while (!settle_block(loan, block))
			schedule_timeout_uninterruptible(1);
}

/**
 * store_loan_waits() - whether the kernel does not have all blocks yet
 * @loan: it
 */
bool store_loan_waits(const struct store_loan *loan)
{
	return loan->nr_blocks && !bitmap_full(loan->online, loan->nr_blocks);
}

/**
 * store_loan_retry() - try again to give the kernel what it did not take
 * @loan: it, after store_loan_begin(); a kernel thread calls, which sleeps
 *
 * Of what comes online, nothing is lent yet. The first block that fails ends it; the
 * next attempt begins after that.
 */
void store_loan_retry(struct store_loan *loan)
{
	unsigned long i, block;

	for (i = 0; i < loan->nr_blocks; i++) {
		block = loan->next;
		loan->next = (block + 1) % loan->nr_blocks;
		if (!test_bit(block, loan->online) && !bring_online(loan, block))
			return;
	}
}

/**
 * store_loan_lend() - make a unit memory
 * @loan: its loan
 * @unit: one that is not lent; nothing is in it, durably
 *
 * Return: 0, or -ENODEV if the kernel does not have its block.
 */
int store_loan_lend(struct store_loan *loan, u32 unit)
{
	unsigned long pfn = unit_pfn(loan, unit), i;

	if (!store_loan_online(loan, unit))
		return -ENODEV;
	for (i = pfn; i < pfn + STORE_UNIT; i++)
		__ClearPageOffline(pfn_to_page(i));
	set_bit(unit, loan->lent);
	adjust_managed_page_count(pfn_to_page(pfn), STORE_UNIT);
	free_contig_range(pfn, STORE_UNIT);
	return 0;
}

/**
 * store_loan_claim() - take a unit back, and move what memory has there elsewhere
 * @loan: its loan
 * @unit: one that is lent
 *
 * Sleeps; may wait for I/O of any device.
 *
 * Return: 0, or an error if something in it cannot be moved.
 */
int store_loan_claim(struct store_loan *loan, u32 unit)
{
	unsigned long pfn = unit_pfn(loan, unit);
	int err = memsuite_alloc_contig_range(pfn, pfn + STORE_UNIT);

	if (err)
		return err;
	adjust_managed_page_count(pfn_to_page(pfn), -(long)STORE_UNIT);
	withhold(pfn_to_page(pfn), STORE_UNIT);
	clear_bit(unit, loan->lent);
	return 0;
}
