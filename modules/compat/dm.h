/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs in the block layer, device-mapper and DAX; compat.h. */
#ifndef MEMSUITE_COMPAT_DM_H
#define MEMSUITE_COMPAT_DM_H

#include <linux/blkdev.h>
#include <linux/dax.h>
#include <linux/device-mapper.h>
#include <linux/dm-io.h>

/* One member holds the operation and its flags since 6.0. */
#if MEMSUITE_HAVE_DM_IO_OPF
#define MEMSUITE_DM_IO_OP(op, flags)	.bi_opf = (op) | (flags)
#else
#define MEMSUITE_DM_IO_OP(op, flags)	.bi_op = (op), .bi_op_flags = (flags)
#endif

/* The head of a notify.fn, whose arguments are @error and @context here. */
#if MEMSUITE_HAVE_DM_IO_UNSUP
#define MEMSUITE_DM_IO_NOTIFY(name) \
	static void name(unsigned long error, unsigned long unsupported, void *context)
#else
#define MEMSUITE_DM_IO_NOTIFY(name)	static void name(unsigned long error, void *context)
#endif

/* To one place; an error of any kind is one. Asynchronous if it has a notify.fn. */
static inline int memsuite_dm_io(struct dm_io_request *request, struct dm_io_region *where)
{
	unsigned long error = 0;
	int result;

#if MEMSUITE_HAVE_DM_IO_UNSUP
	unsigned long unsupported = 0;

	result = dm_io(request, 1, where, &error, &unsupported, 0);
	error |= unsupported;
#elif MEMSUITE_HAVE_DM_IO_PRIORITY
	result = dm_io(request, 1, where, &error, 0);
#else
	result = dm_io(request, 1, where, &error);
#endif
	return result ?: error ? -EIO : 0;
}

static inline sector_t memsuite_bdev_nr_sectors(struct block_device *bdev)
{
#if MEMSUITE_HAVE_BDEV_NR_SECTORS
	return bdev_nr_sectors(bdev);
#else
	return i_size_read(bdev->bd_inode) >> SECTOR_SHIFT;
#endif
}

/* Since 5.19 a device has no flag for it. */
static inline bool memsuite_bdev_takes_discards(struct block_device *bdev)
{
#ifdef blk_queue_discard
	if (!blk_queue_discard(bdev_get_queue(bdev)))
		return false;
#endif
	return bdev_get_queue(bdev)->limits.max_discard_sectors;
}

/* Modes of block devices have a type and names of their own since 6.5. */
static inline bool memsuite_dm_is_writable(struct dm_table *table)
{
#ifdef BLK_OPEN_WRITE
	return dm_table_get_mode(table) & BLK_OPEN_WRITE;
#else
	return dm_table_get_mode(table) & FMODE_WRITE;
#endif
}

/* Since 5.17. */
#ifndef PAGE_SECTORS_SHIFT
#define PAGE_SECTORS_SHIFT	(PAGE_SHIFT - SECTOR_SHIFT)
#endif

/* The address of @nr pages from @offset on, and how many are in a row there. */
static inline long memsuite_dax_address(struct dax_device *dax, pgoff_t offset, long nr,
					void **address)
{
#if MEMSUITE_HAVE_DAX_ACCESS_MODE
	return dax_direct_access(dax, offset, nr, DAX_ACCESS, address, NULL);
#else
	return dax_direct_access(dax, offset, nr, address, NULL);
#endif
}

#endif
