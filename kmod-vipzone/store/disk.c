// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: requests to the disk.
 */

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/dm-io.h>

#include "compat/block.h"
#include "store/disk.h"
#include "store/vstore.h"

/**
 * vstore_disk_remap() - have the disk do a request
 * @store: it
 * @bio: the request, which has not been there
 *
 * Return: %DM_MAPIO_REMAPPED.
 */
int vstore_disk_remap(struct vstore *store, struct bio *bio)
{
	bio_set_dev(bio, store->disk->bdev);
	bio->bi_iter.bi_sector = dm_target_offset(store->ti, bio->bi_iter.bi_sector);
	return DM_MAPIO_REMAPPED;
}

/**
 * vstore_disk_io() - read or write blocks of the disk
 * @store: it
 * @block: the first
 * @nr: how many
 * @request: the operation, its memory and its end, if it is not to be waited for
 *
 * Context: may sleep.
 * Return: 0, or the disk's error.
 */
int vstore_disk_io(struct vstore *store, u64 block, u32 nr, struct dm_io_request *request)
{
	struct dm_io_region where = {
		.bdev = store->disk->bdev,
		.sector = block << (VSTORE_BLOCK_SHIFT - SECTOR_SHIFT),
		.count = (sector_t)nr << (VSTORE_BLOCK_SHIFT - SECTOR_SHIFT),
	};

	request->client = store->io;
	return memsuite_dm_io(request, &where);
}

/**
 * vstore_disk_flush() - have the disk keep durably what was written to it
 * @store: it
 *
 * Context: may sleep.
 * Return: 0, or the disk's error.
 */
int vstore_disk_flush(struct vstore *store)
{
	struct dm_io_request request = {
		MEMSUITE_DM_IO_OP(REQ_OP_WRITE, REQ_PREFLUSH),
		.mem.type = DM_IO_KMEM,
	};

	return vstore_disk_io(store, 0, 0, &request);
}
