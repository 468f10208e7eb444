// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: the PRAM that a table names: where it is mapped, and whether it holds this store.
 */

#include <linux/blkdev.h>
#include <linux/dax.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "compat/dm.h"
#include "store/claim.h"
#include "store/loan/loan.h"
#include "store/map/header.h"
#include "store/map/seal.h"
#include "store/pram_device.h"
#include "store/share.h"
#include "store/vstore.h"

/* A number of pages, and that of the next line of records behind them, is 32 bits long. */
#define VSTORE_PAGES_MAX	(U32_MAX - VSTORE_FANOUT)

/* With more it is no PRAM to rely on, or has no addresses at all. */
#define BAD_PAGES_MAX		1024

static u64 pages_of(struct block_device *bdev)
{
	return memsuite_bdev_nr_sectors(bdev) >> PAGE_SECTORS_SHIFT;
}

/* Returns how many pages from @page on are at @address, up to @nr, or the driver's error. */
static long dax_find_part(const struct vstore *store, u32 page, u32 nr, void **address)
{
	sector_t start = get_start_sect(store->pram->bdev) >> PAGE_SECTORS_SHIFT;
	long got;
	int id;

	id = dax_read_lock();
	got = memsuite_dax_address(store->pram->dax_dev, start + page, nr, address);
	dax_read_unlock(id);
	return got;
}

/*
 * Where the first @nr pages of the PRAM are now, in one piece. Where a page is that it knows to be
 * bad the driver does not tell, nor anything of a range that has one.
 */
static int dax_find(const struct vstore *store, u32 nr, void **base)
{
	u32 page = 0, part = nr, bad = 0;
	void *address;
	long got;

	*base = NULL;
	do {
		got = dax_find_part(store, page, min(part, nr - page), &address);
		if (got <= 0 && part > 1) {
			part /= 2;
			continue;
		}
		if (got > 0) {
			address -= (size_t)page << PAGE_SHIFT;
			if (*base && *base != address)
				return -EOPNOTSUPP;
			*base = address;
		} else if (++bad > BAD_PAGES_MAX) {
			return got < 0 ? got : -EOPNOTSUPP;
		}
		page += max(got, 1L);
		part = nr;
		cond_resched();
	} while (page < nr);
	return *base ? 0 : -EOPNOTSUPP;
}

/*
 * The PRAM has one address for all of it. A device of device-mapper may be moved
 * elsewhere: while the store is suspended, which its resume finds out.
 */
static int dax_map(struct vstore *store, char **error)
{
	struct block_device *bdev = store->pram->bdev;
	u32 nr = min_t(u64, pages_of(bdev), VSTORE_PAGES_MAX);
	int err;

	if (!store->pram->dax_dev || get_start_sect(bdev) & (BIT(PAGE_SECTORS_SHIFT) - 1)) {
		*error = "The PRAM has no DAX";
		return -EOPNOTSUPP;
	}
	if (!dax_synchronous(store->pram->dax_dev)) {
		*error = "The PRAM is durable only after a flush by its host";
		return -EOPNOTSUPP;
	}
	err = dax_find(store, nr, &store->base);
	if (err) {
		*error = "The PRAM is not in one piece";
		return err;
	}
	store->nr_pages = nr;
	store->address = slow_virt_to_phys(store->base);
	return 0;
}

/**
 * vstore_pram_device_in_place() - whether the PRAM is still where it was found
 * @store: it
 *
 * Return: false if something else is at that address.
 */
bool vstore_pram_device_in_place(const struct vstore *store)
{
	void *base;

	if (!store->pram)
		return true;
	/* Behind its end all pages look bad. */
	return pages_of(store->pram->bdev) >= store->nr_pages &&
	       !dax_find(store, store->nr_pages, &base) && base == store->base &&
	       slow_virt_to_phys(base) == store->address;
}

/**
 * vstore_pram_device_map_range() - find the PRAM that is a range of addresses
 * @store: it, new; it shares this PRAM with memory
 * @range: START-END, as memsuite has ranges: bytes, with K, M, G or T
 * @error: gets a reason
 *
 * Return: 0 or an error.
 */
int vstore_pram_device_map_range(struct vstore *store, const char *range, char **error)
{
	char *at;
	u64 start = memparse(range, &at), end = *at == '-' ? memparse(at + 1, &at) : 0;
	struct vstore_loan *loan;
	const char *why;

	*error = "PRAM is no range START-END";
	if (*at || end <= start)
		return -EINVAL;
	loan = vstore_loan_get(start, end - start, &why);
	if (IS_ERR(loan)) {
		*error = (char *)why;
		return PTR_ERR(loan);
	}
	store->share.loan = loan;
	store->base = vstore_loan_base(loan);
	store->address = start;
	store->nr_pages = (end - start) >> PAGE_SHIFT;
	*error = "Out of memory";
	store->pram_name = kasprintf(GFP_KERNEL, "%#llx-%#llx", start, end);
	return store->pram_name ? vstore_share_alloc(store) : -ENOMEM;
}

/**
 * vstore_pram_device_map() - find the PRAM that is a block device with DAX
 * @store: it, new
 * @path: of the device
 * @error: gets a reason
 *
 * Return: 0 or an error.
 */
int vstore_pram_device_map(struct vstore *store, const char *path, char **error)
{
	int err = dm_get_device(store->ti, path, dm_table_get_mode(store->ti->table), &store->pram);

	*error = "Cannot open the PRAM";
	if (err)
		return err;
	store->pram_name = kstrdup(store->pram->name, GFP_KERNEL);
	*error = "Out of memory";
	return store->pram_name ? dax_map(store, error) : -ENOMEM;
}

/* With fewer, there would be no room for what is sealed, and so for nothing else. */
#define PAGES_MIN	(4 * VSTORE_SEAL_BLOCKS)

static int pram_format(struct vstore *store, u64 nr_blocks, const uuid_t *uuid, char **error)
{
	int err;

	/* In one that is in use, some of what it has may be blank. */
	*error = "Another store uses the PRAM";
	if (vstore_claim_pram_is_taken(store))
		return -EBUSY;
	store->uuid = *uuid;
	if (uuid_is_null(uuid))
		uuid_gen(&store->uuid);
	*error = "The PRAM is too small, or the disk too large";
	if (store->nr_pages < PAGES_MIN)
		return -EINVAL;
	err = vstore_header_format(store->base, store->nr_pages, nr_blocks, store->uuid.b);
	if (!err)
		DMINFO("PRAM %s: formatted", store->pram_name);
	return err;
}

/**
 * vstore_pram_device_check() - see whether the PRAM holds a store for this disk, or format it
 * @store: it, its PRAM mapped
 * @format: format it, if it is blank: nothing else ever is
 * @uuid: of the store that it has to be, or null
 * @error: gets a reason
 *
 * A disk has nothing by which it could be known but its size: which PRAM goes with it, the
 * table may say, by the UUID.
 *
 * Return: 0 or an error.
 */
int vstore_pram_device_check(struct vstore *store, bool format, const uuid_t *uuid,
			     char **error)
{
	u64 nr_blocks = store->ti->len >> (VSTORE_BLOCK_SHIFT - SECTOR_SHIFT);
	struct vstore_report report = {};
	struct vstore_seal seal;
	int err;

	if (format && !store->read_only && vstore_header_is_blank(store->base, store->nr_pages))
		return pram_format(store, nr_blocks, uuid, error);
	err = vstore_header_check(store->base, store->nr_pages, nr_blocks, &report);
	/* A disk that has grown: there is nothing in PRAM that it has not. */
	if (report.nr_blocks && format && !store->read_only &&
	    !vstore_seal_read(store->base, &seal) && seal.state == VSTORE_DISK_WHOLE)
		return pram_format(store, nr_blocks, uuid, error);
	if (!err) {
		vstore_header_uuid(store->base, store->uuid.b);
		if (!uuid_is_null(uuid) && !uuid_equal(uuid, &store->uuid)) {
			report.why = "the store is another than the table's";
			err = -EINVAL;
		}
	}
	if (err) {
		if (report.nr_blocks)
			DMERR("PRAM %s: refused: %s: of %llu sectors, and the table has %llu",
			      store->pram_name, report.why,
			      report.nr_blocks << (VSTORE_BLOCK_SHIFT - SECTOR_SHIFT),
			      (u64)store->ti->len);
		else
			DMERR("PRAM %s: refused: %s", store->pram_name, report.why);
		*error = (char *)report.why;
	}
	return err;
}

/**
 * vstore_pram_device_check_again() - whether the PRAM still holds the store that was found there
 * @store: it, claimed; while it was suspended, others may have had the PRAM
 * @report: gets the reason if it does not
 *
 * Return: 0 or -EINVAL.
 */
int vstore_pram_device_check_again(const struct vstore *store, struct vstore_report *report)
{
	u64 nr_blocks = store->ti->len >> (VSTORE_BLOCK_SHIFT - SECTOR_SHIFT);
	int err = vstore_header_check(store->base, store->nr_pages, nr_blocks, report);
	uuid_t uuid;

	if (err)
		return err;
	vstore_header_uuid(store->base, uuid.b);
	return uuid_equal(&uuid, &store->uuid) ? 0 :
	       vstore_refuse(report, "the store is another than when the table was loaded", 0);
}
