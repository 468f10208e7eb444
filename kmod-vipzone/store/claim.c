// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: no two stores in use have a PRAM or a disk in common. Others, who mount a device or
 * build something upon it, the kernel keeps away; but all tables of device-mapper have the same
 * right to one.
 */

#include <linux/blkdev.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include "compat/dm.h"
#include "store/claim.h"
#include "store/vstore.h"

static LIST_HEAD(active_stores);
static DEFINE_MUTEX(active_lock);

static bool bdevs_overlap(struct block_device *one, sector_t nr_one, struct block_device *other,
			  sector_t nr_other)
{
	sector_t start = get_start_sect(one), other_start = get_start_sect(other);

	return one->bd_disk == other->bd_disk && start < other_start + nr_other &&
	       other_start < start + nr_one;
}

static bool disks_overlap(const struct vstore *one, const struct vstore *other)
{
	return bdevs_overlap(one->disk->bdev, one->ti->len, other->disk->bdev, other->ti->len);
}

static bool prams_overlap(const struct vstore *one, const struct vstore *other)
{
	return one->address < other->address + ((u64)other->nr_pages << PAGE_SHIFT) &&
	       other->address < one->address + ((u64)one->nr_pages << PAGE_SHIFT);
}

/**
 * vstore_claim_is_one_device() - whether a table names something as disk and as PRAM
 * @store: of it, both open
 *
 * Return: true if they are the same device, or parts of one that overlap.
 */
bool vstore_claim_is_one_device(const struct vstore *store)
{
	return store->pram &&
	       bdevs_overlap(store->disk->bdev, memsuite_bdev_nr_sectors(store->disk->bdev),
			     store->pram->bdev, memsuite_bdev_nr_sectors(store->pram->bdev));
}

static const char *taken(const struct vstore *store)
{
	const struct vstore *other;

	lockdep_assert_held(&active_lock);
	list_for_each_entry(other, &active_stores, active) {
		if (prams_overlap(store, other))
			return "PRAM";
		if (disks_overlap(store, other))
			return "disk";
	}
	return NULL;
}

/**
 * vstore_claim_pram_is_taken() - whether another store in use has some of the PRAM
 * @store: it, its PRAM mapped; as a device, by whatever name, or as a range
 *
 * Return: true if one has.
 */
bool vstore_claim_pram_is_taken(const struct vstore *store)
{
	const struct vstore *other;
	bool found = false;

	mutex_lock(&active_lock);
	list_for_each_entry(other, &active_stores, active)
		found |= prams_overlap(store, other);
	mutex_unlock(&active_lock);
	return found;
}

/**
 * vstore_claim_take() - have PRAM and disk, before the tree is read
 * @store: it
 * @what: gets what of them another store has
 *
 * Return: 0, or -EBUSY if one in use has some of either.
 */
int vstore_claim_take(struct vstore *store, const char **what)
{
	mutex_lock(&active_lock);
	*what = taken(store);
	if (!*what)
		list_add(&store->active, &active_stores);
	mutex_unlock(&active_lock);
	return *what ? -EBUSY : 0;
}

/**
 * vstore_claim_release() - others may have PRAM and disk
 * @store: it, not in use
 */
void vstore_claim_release(struct vstore *store)
{
	mutex_lock(&active_lock);
	list_del_init(&store->active);
	mutex_unlock(&active_lock);
}
