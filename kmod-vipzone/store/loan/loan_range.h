/* SPDX-License-Identifier: GPL-2.0-only */
/* A range of PRAM that is lent: what the files of this folder know of it. */
#ifndef VSTORE_LOAN_LOAN_RANGE_H
#define VSTORE_LOAN_LOAN_RANGE_H

#include <linux/list.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "store/map/map.h"

#define VSTORE_UNIT_SIZE	((u64)VSTORE_UNIT << PAGE_SHIFT)

/**
 * struct vstore_loan - a range
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
struct vstore_loan {
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

/* The memory block of an address within @loan; less than 0 or too large: not whole. */
static inline long vstore_loan_block(const struct vstore_loan *loan, u64 address)
{
	return (long)(address / memory_block_size_bytes()) - (long)loan->first;
}

#endif
