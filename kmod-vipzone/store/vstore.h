/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-vstore: a disk with PRAM in front of it, as one device. Small requests are
 * kept in PRAM, large ones on the disk; see Documentation/design/storage.md.
 */
#ifndef VSTORE_VSTORE_H
#define VSTORE_VSTORE_H

#include <linux/blkdev.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "store/dm_prefix.h"
#include "store/map/map.h"
#include "store/promote.h"
#include "store/read_cache.h"
#include "store/sealing.h"
#include "store/settings.h"
#include "store/share.h"
#include "store/streams.h"
#include "store/writeback.h"

struct dm_io_client;

/* Which writes go to PRAM: the policies that Park et al. compare in section 5.2. */
enum vstore_policy { VSTORE_RANDOM, VSTORE_SELECTIVE, VSTORE_MERGING };

struct vstore_counts {
	u64 read_pram;		/* requests, also below */
	u64 read_disk;
	u64 read_volatile;
	u64 write_pram;
	u64 write_disk;
	u64 write_full;		/* small ones for which PRAM had no page */
	u64 merged;
	u64 moved;		/* blocks */
	u64 evicted;		/* blocks */
	u64 promoted;		/* blocks */
	u64 errors;		/* of the disk, in write-back */
};

struct vstore {
	struct dm_target *ti;
	struct dm_dev *disk;
	struct dm_dev *pram;	/* NULL if it is shared with memory */
	const char *pram_name;
	void *base;		/* the PRAM, mapped */
	u64 address;		/* ... and where it is, by whatever name */
	u32 nr_pages;
	uuid_t uuid;		/* of the store, from when it was formatted */
	struct vstore_page *pages;
	struct list_head active;	/* of all stores in use */

	/* Protects all below, and what is in PRAM. */
	struct mutex lock;
	struct vstore_map map;
	void *block;			/* one on its way, whose checksum is formed */
	bool open;
	bool read_only;			/* from the first: see vstore_is_read_only() */
	struct list_head dirty;		/* by use, the oldest first */
	struct list_head merged;
	struct list_head clean;
	struct list_head sealed;	/* dirty ones that stay until the disk is whole */
	u32 nr_dirty;			/* merged ones, too */
	u32 nr_merged;
	u32 nr_sealed;			/* not among the dirty ones */
	struct vstore_sealing sealing;
	struct vstore_streams streams;
	struct vstore_counts counts;
	u64 rest_block;		/* what was cut off a large write, and is to come */
	u64 rest_end;

	/* Settings. */
	bool built;		/* the table has been read: each new one has to fit */
	enum vstore_policy policy;
	bool promotes;		/* what is read, and small, enters PRAM */
	u32 threshold;		/* bytes; a smaller request is small */
	u32 high_pct;		/* of PRAM dirty: write-back begins ... */
	u32 low_pct;		/* ... and ends */

	struct kobject *directory;	/* in sysfs, while the table is active */
	struct vstore_settings_file files[VSTORE_SETTINGS];

	/* Write-back: one batch at a time. */
	struct workqueue_struct *queue;
	struct delayed_work work;
	struct dm_io_client *io;
	void *buffer;
	struct vstore_run runs[VSTORE_RUNS];
	unsigned int nr_runs;
	struct list_head flushes;	/* who waits until nothing is dirty */
	bool forced;		/* move another batch, whatever the watermarks */
	u64 rounds;		/* that came to an end */
	wait_queue_head_t batch_done;

	struct vstore_promote promote;
	struct vstore_read_cache cache;
	struct vstore_share share;
};

/**
 * vstore_is_read_only() - whether neither PRAM nor disk may be written now
 * @store: it
 *
 * A device may be set read-only at any time (blockdev --setro), and is written nevertheless by who
 * does not ask.
 *
 * Context: any.
 * Return: true if the table or one of the devices is.
 */
static inline bool vstore_is_read_only(const struct vstore *store)
{
	return store->read_only || bdev_read_only(store->disk->bdev) ||
	       (store->pram && bdev_read_only(store->pram->bdev));
}

#endif
