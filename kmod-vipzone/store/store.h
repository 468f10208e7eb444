/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-vstore: a disk with PRAM in front of it, as one device. Small requests are
 * kept in PRAM, large ones on the disk; see Documentation/design/storage.md.
 */
#ifndef STORE_H
#define STORE_H

#include <linux/device-mapper.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "store/cache.h"
#include "store/map.h"
#include "store/promote.h"
#include "store/share.h"
#include "store/streams.h"

struct dm_io_client;
struct dm_io_request;

#ifndef STORE_CHUNK		/* a test may have a small PRAM */
/* Blocks that write-back takes at a time, and in how many runs at most. */
#define STORE_BATCH	256
#define STORE_RUNS	64
/* Blocks that are committed together. */
#define STORE_CHUNK	16
#endif
/* Pages that only new contents of blocks already in PRAM may take. */
#define STORE_RESERVE	(2 * STORE_CHUNK)

#define DM_MSG_PREFIX	"vstore"

/* What a page's user notes in store_page.mark. */
#define STORE_MERGED	1u	/* of a growing file: it is for the disk */
#define STORE_MOVING	2u	/* being written to disk */

enum store_policy { STORE_RANDOM, STORE_SELECTIVE, STORE_MERGING };

/* Blocks in a row that are written to disk together. */
struct store_run {
	u64 block;
	u32 nr;
	u32 at;			/* in the buffer, in blocks */
	int error;
};

struct store_counts {
	u64 read_pram;		/* requests, also below */
	u64 read_disk;
	u64 read_volatile;
	u64 write_pram;
	u64 write_disk;
	u64 write_full;		/* small ones that PRAM had no room for */
	u64 merged;
	u64 moved;		/* blocks */
	u64 evicted;		/* blocks */
	u64 promoted;		/* blocks */
	u64 errors;		/* of the disk, in write-back */
};

/* Settings: features of the table, messages, and files in sysfs. */
#define STORE_SETTINGS	8

struct store_file {
	struct kobj_attribute attribute;
	struct store *store;
};

struct store {
	struct dm_target *ti;
	struct dm_dev *disk;
	struct dm_dev *pram;	/* NULL if it is shared with memory */
	const char *pram_name;
	void *base;		/* the PRAM, mapped */
	u64 address;		/* ... and where it is, by whatever name */
	u32 nr_pages;
	uuid_t uuid;		/* of the store, from when it was formatted */
	struct store_page *pages;
	struct list_head active;	/* of all stores in use */

	/* Protects all below, and what is in PRAM. */
	struct mutex lock;
	struct store_map map;
	bool open;
	struct list_head dirty;		/* by use, the oldest first */
	struct list_head merged;
	struct list_head clean;
	u32 nr_dirty;			/* merged ones, too */
	u32 nr_merged;
	struct store_streams streams;
	struct store_counts counts;
	u64 rest_block;		/* what was cut off a large write, to come */
	u64 rest_end;

	/* Settings. */
	bool built;		/* the table has been read: each new one has to fit */
	enum store_policy policy;
	bool promotes;		/* what is read, and small, enters PRAM */
	u32 threshold;		/* bytes; a smaller request is small */
	u32 high_pct;		/* of PRAM dirty: write-back begins ... */
	u32 low_pct;		/* ... and ends */

	struct kobject *directory;	/* in sysfs, while the table is active */
	struct store_file files[STORE_SETTINGS];

	/* Write-back: one batch at a time. */
	struct workqueue_struct *queue;
	struct delayed_work work;
	struct dm_io_client *io;
	void *buffer;
	struct store_run runs[STORE_RUNS];
	unsigned int nr_runs;
	struct list_head flushes;	/* who waits until nothing is dirty */
	bool squeezed;		/* another batch, likewise */
	u64 rounds;		/* that came to an end */
	wait_queue_head_t batch_done;

	struct store_promote promote;
	struct store_cache cache;
	struct store_share share;
};

int store_map_bio(struct dm_target *ti, struct bio *bio);
int store_to_disk(struct store *store, struct bio *bio);
void store_list(struct store *store, struct store_page *page);
void store_relist(struct store *store, u32 nr_dirty);
void store_count(struct store *store, const struct store_page *page, int by);
void store_spoil(struct store *store, struct store_page *page);
void store_mend(struct store *store);
u32 store_nr_clean(const struct store *store);
bool store_is_dirty(const struct store_page *page);
unsigned int store_evict(struct store *store);
int store_copy_out(struct bio *bio, struct bvec_iter *iter, const void *from, u32 size);
void store_enter(struct store *store, const void *from, u64 block, u32 nr);

int store_set(struct store *store, const char *name, const char *value);
void store_tell(const struct store *store, char *result, unsigned int maxlen);
void store_settings_show(struct store *store);
void store_settings_hide(struct store *store);

void store_writeback(struct work_struct *work);
bool store_writeback_wanted(const struct store *store);
bool store_moving(const struct store *store, u64 block, u64 end);
int store_disk_io(struct store *store, u64 block, u32 nr, struct dm_io_request *request);
int store_disk_flush(struct store *store);
int store_flush(struct store *store);

#endif
