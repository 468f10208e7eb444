/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What store/blocks.c, disk.c, io.c and writeback.c need of the kernel, for crash.c: one thread, requests whose
 * contents are in one piece, and work that nobody does but crash.c.
 */
#ifndef CRASH_LINUX_BLKDEV_H
#define CRASH_LINUX_BLKDEV_H

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/spinlock.h>

typedef u64 sector_t;
typedef u8 blk_status_t;

#define SECTOR_SHIFT		9
#define BLK_STS_OK		0
#define BLK_STS_NOSPC		3
#define BLK_STS_IOERR		10
#define REQ_OP_READ		0
#define REQ_OP_WRITE		1
#define REQ_OP_FLUSH		2
#define REQ_OP_DISCARD		3
#define REQ_PREFLUSH		BIT(18)

struct block_device;
struct bio;
typedef void bio_end_io_t(struct bio *bio);

struct bvec_iter {
	sector_t bi_sector;
	unsigned int bi_size;
	unsigned int done;
};

struct bio {
	unsigned int bi_opf;
	blk_status_t bi_status;
	struct bvec_iter bi_iter;
	void *data;
};

struct bio_vec {
	void *bv_page;
	unsigned int bv_len;
	unsigned int bv_offset;
};

static inline struct bio_vec bio_iter_iovec(struct bio *bio, struct bvec_iter iter)
{
	return (struct bio_vec){ bio->data, min(iter.bi_size, 4096U), iter.done };
}

static inline void bio_advance_iter(struct bio *bio, struct bvec_iter *iter, unsigned int bytes)
{
	iter->done += bytes;
	iter->bi_size -= bytes;
}

#define page_address(page)	(page)
#define bio_op(bio)		((bio)->bi_opf & 0xff)
#define bio_sectors(bio)	((bio)->bi_iter.bi_size >> SECTOR_SHIFT)
#define bio_set_dev(bio, bdev)	((void)(bio))
#define bio_endio(bio)		((void)(bio))

struct dm_target {
	void *private;
	u64 len;
};

struct dm_dev {
	struct block_device *bdev;
	const char *name;
};

static inline int bdev_read_only(struct block_device *bdev)
{
	return 0;
}

#define DM_MAPIO_SUBMITTED	0
#define DM_MAPIO_REMAPPED	1
#define DM_MAPIO_KILL		4
#define dm_target_offset(ti, sector)	(sector)
#define dm_accept_partial_bio(bio, nr)	((bio)->bi_iter.bi_size = (nr) << SECTOR_SHIFT)
#define DMERR_LIMIT		dm_say

static inline __printf(1, 2) void dm_say(const char *format, ...)
{
}

enum dm_io_mem_type { DM_IO_KMEM, DM_IO_VMA };
struct dm_io_client;

struct dm_io_request {
	unsigned int bi_opf;
	struct {
		enum dm_io_mem_type type;
		struct { void *vma; } ptr;
	} mem;
	struct {
		void (*fn)(unsigned long error, void *context);
		void *context;
	} notify;
	struct dm_io_client *client;
};

struct dm_io_region {
	struct block_device *bdev;
	sector_t sector;
	sector_t count;
};

struct mutex { int unused; };
struct kobject;
struct kobj_attribute { int unused; };
struct workqueue_struct;
struct work_struct { int unused; };
struct delayed_work { struct work_struct work; };
struct completion { bool done; };
struct xarray { int unused; };
typedef struct { int unused; } wait_queue_head_t;
typedef struct { u8 b[16]; } uuid_t;
typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic_long_t;

#define HZ			1
#define mutex_lock(m)		((void)(m))
#define mutex_unlock(m)		((void)(m))
#define to_delayed_work(w)	container_of(w, struct delayed_work, work)
#define mod_delayed_work(queue, work, delay)	((void)(work))
#define queue_delayed_work(queue, work, delay)	((void)(work))
#define cancel_delayed_work_sync(work)	((void)(work))
#define wake_up_all(queue)	((void)(queue))
/* Somebody else does what is waited for: crash.c. */
void wait_a_while(void);
#define wait_event(queue, condition) ({ if (!(condition)) wait_a_while(); if (!(condition)) abort(); })
#define atomic_set(a, v)	((a)->counter = (v))
#define atomic_inc(a)		((a)->counter++)
#define atomic_dec_and_test(a)	(!--(a)->counter)
#define init_completion(c)	((c)->done = false)
#define complete(c)		((c)->done = true)
#define wait_for_completion_io(c) ({ if (!(c)->done) abort(); })
#define get_random_u32()	((u32)random())

#endif
