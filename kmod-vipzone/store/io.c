// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: what becomes of a request: selective allocation for virtual storage (Park et al.,
 * section 4.2). Small writes go to PRAM, large ones to the disk. A request is cut where blocks
 * in PRAM and others meet; device-mapper brings the rest again.
 *
 * Memory reclaim may depend on this code. So it allocates no memory, and waits for the store's
 * lock only; a discard also waits for the batch of write-back that is under way.
 */

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/random.h>

#include "compat/dm.h"
#include "store/blocks.h"
#include "store/disk.h"
#include "store/io.h"
#include "store/map/commit.h"
#include "store/map/tree.h"
#include "store/promote.h"
#include "store/read_cache.h"
#include "store/sealing.h"
#include "store/share.h"
#include "store/streams.h"
#include "store/vstore.h"
#include "store/writeback.h"

/* map_locked() returns it for a request that is done; device-mapper's own values are small. */
#define MAPIO_DONE	100

/* @nr blocks from @block on. */
struct span {
	u64 block;
	u32 nr;
};

static struct span span_of(struct dm_target *ti, struct bio *bio)
{
	sector_t sector = dm_target_offset(ti, bio->bi_iter.bi_sector);

	return (struct span){ sector >> (VSTORE_BLOCK_SHIFT - SECTOR_SHIFT),
			      bio_sectors(bio) >> (VSTORE_BLOCK_SHIFT - SECTOR_SHIFT) };
}

static void bio_accept(struct bio *bio, u32 nr)
{
	unsigned int sectors = nr << (VSTORE_BLOCK_SHIFT - SECTOR_SHIFT);

	if (sectors < bio_sectors(bio))
		dm_accept_partial_bio(bio, sectors);
}

/* Marks what was written before to the file that a request continues: it is for the disk, too. */
static void blocks_mark_merged(struct vstore *store, u64 from, u64 to)
{
	u64 block;

	for (block = vstore_tree_next(&store->map, from, to); block < to;
	     block = vstore_tree_next(&store->map, block + 1, to)) {
		struct vstore_page *page = vstore_block_page(store, block);

		if (!vstore_page_is_dirty(page) || page->mark & VSTORE_MERGED ||
		    page->flags & VSTORE_BAD || vstore_sealing_touches(store, block, 1))
			continue;
		page->mark |= VSTORE_MERGED;
		store->nr_merged++;
		vstore_block_enlist(store, page);
	}
}

/* Whether a write is for PRAM; *@mark is what its pages get. */
static bool write_wants_pram(struct vstore *store, struct span span, u32 *mark)
{
	bool rest = span.block == store->rest_block && span.block + span.nr == store->rest_end;
	u64 start;

	*mark = 0;
	if (store->policy == VSTORE_RANDOM)
		return get_random_u32() & 1;
	if (rest || (u64)span.nr << VSTORE_BLOCK_SHIFT >= store->threshold)
		return false;
	if (store->policy == VSTORE_MERGING) {
		start = vstore_streams_add(&store->streams, span.block, span.nr);
		if (start != span.block) {
			*mark = VSTORE_MERGED;
			store->counts.merged++;
			/* What that one continued was marked then. */
			blocks_mark_merged(store, start, span.block);
		}
	}
	return true;
}

/* How many blocks from the first on are alike: dirty in PRAM, or not, which *@dirty tells. */
static u32 span_run(struct vstore *store, struct span span, bool *dirty)
{
	u32 nr;

	for (nr = 0; nr < span.nr; nr++) {
		struct vstore_page *page = vstore_block_page(store, span.block + nr);
		bool is = page && vstore_page_is_dirty(page);

		if (!nr)
			*dirty = is;
		else if (*dirty != is)
			break;
	}
	return nr;
}

/* Outdates what was read of these blocks before. */
static void span_outdate(struct vstore *store, struct span span)
{
	vstore_promote_outdate(store, span.block, span.nr);
	vstore_read_cache_drop(store, span.block, span.nr);
}

/* vstore_io_map() ends it without the lock: whoever waits for it may come again. */
static int bio_done(struct bio *bio, blk_status_t status)
{
	bio->bi_status = status;
	return MAPIO_DONE;
}

/*
 * A write goes to the disk. What PRAM has of its blocks is clean. PRAM forgets it first, durably:
 * else, after a power cut, it would hide what the disk has by then.
 */
static int write_disk(struct vstore *store, struct bio *bio, struct span span)
{
	vstore_blocks_forget(store, span.block, span.nr);
	store->counts.write_disk++;
	bio_accept(bio, span.nr);
	vstore_promote_track(store, bio, span.block, span.nr);
	return vstore_disk_remap(store, bio);
}

/*
 * What is sealed is not written while it is on its way. If it did not arrive, the disk has to be
 * sealed first. Returns false if it cannot be.
 */
static bool span_await(struct vstore *store, struct span span)
{
	if (!vstore_sealing_touches(store, span.block, span.nr))
		return true;
	vstore_sealing_wait(store, span.block, span.nr);
	if (store->sealing.seal.state != VSTORE_DISK_MOVING)
		return true;
	vstore_sealing_await(store);
	vstore_sealing_wait(store, span.block, span.nr);
	return store->sealing.seal.state != VSTORE_DISK_MOVING;
}

/*
 * Waits until a write may be done: nothing of it is on its way, and if it is for PRAM, which may
 * turn out to be no place for it, the disk is sealed. Each wait releases the lock, so that the disk
 * may be whole again by then: a block that becomes dirty now would be lost. Returns false if what
 * is to be sealed did not arrive.
 */
static bool write_await(struct vstore *store, struct span span, bool *wanted)
{
	while (span_await(store, span)) {
		if (!*wanted || store->sealing.seal.state == VSTORE_DISK_SEALED)
			return true;
		*wanted = vstore_sealing_await(store);
	}
	return false;
}

/*
 * Blocks that are dirty in PRAM are written there again, whatever the request's size. If PRAM
 * forgot them, only the disk would have them, and until its own cache is flushed it may hold
 * older contents than were promised.
 */
static int write_map(struct vstore *store, struct bio *bio)
{
	struct span span = span_of(store->ti, bio);
	u32 nr, done, mark;
	bool dirty, wanted;

	wanted = write_wants_pram(store, span, &mark);
	/* The lock may have been released: nothing that was found before this is used. */
	if (!write_await(store, span, &wanted) || vstore_is_read_only(store))
		return bio_done(bio, BLK_STS_IOERR);
	span_outdate(store, span);
	if (wanted) {
		done = vstore_blocks_write(store, bio, span.block, span.nr, mark);
		if (done) {
			store->counts.write_pram++;
			bio_accept(bio, done);
			return bio_done(bio, BLK_STS_OK);
		}
		store->counts.write_full++;
	}
	nr = span_run(store, span, &dirty);
	if (nr < span.nr) {
		store->rest_block = span.block + nr;
		store->rest_end = span.block + span.nr;
	}
	span.nr = nr;
	if (!dirty)
		return write_disk(store, bio, span);
	mark = store->policy == VSTORE_RANDOM ? 0 : VSTORE_MERGED;
	done = vstore_blocks_write(store, bio, span.block, span.nr, mark);
	if (!done)
		return bio_done(bio, BLK_STS_NOSPC);	/* the reserve prevents it */
	store->counts.write_pram++;
	bio_accept(bio, done);
	return bio_done(bio, BLK_STS_OK);
}

/* Returns 0, -EIO, or -EAGAIN if PRAM has lost the block, and the disk has it: it was clean. */
static int read_block(struct vstore *store, struct bio *bio, struct bvec_iter *iter,
		      struct vstore_page *page)
{
	if (vstore_block_read(store, page, store->block))
		return page->use == VSTORE_DATA && vstore_page_is_dirty(page) ? -EIO : -EAGAIN;
	if (vstore_bio_copy(bio, iter, store->block, VSTORE_BLOCK_SIZE))
		return -EIO;
	vstore_block_enlist(store, page);
	return 0;
}

/* PRAM has none of these blocks. */
static int read_disk(struct vstore *store, struct bio *bio, struct span span)
{
	u32 nr = vstore_read_cache_read(store, bio, span.block, span.nr);

	if (nr) {
		store->counts.read_volatile++;
		bio_accept(bio, nr);
		return bio_done(bio, BLK_STS_OK);
	}
	store->counts.read_disk++;
	bio_accept(bio, span.nr);
	if ((vstore_promote_wanted(store) || vstore_read_cache_wanted(store)) &&
	    (u64)span.nr << VSTORE_BLOCK_SHIFT < store->threshold &&
	    vstore_promote_read(store, bio, span.block, span.nr))
		return DM_MAPIO_SUBMITTED;
	if (vstore_sealing_touches(store, span.block, span.nr))
		vstore_promote_track(store, bio, span.block, span.nr);
	return vstore_disk_remap(store, bio);
}

static int read_map(struct vstore *store, struct bio *bio)
{
	struct span span = span_of(store->ti, bio);
	struct bvec_iter iter = bio->bi_iter;
	u64 next;
	int err = 0;
	u32 nr;

	vstore_sealing_wait(store, span.block, span.nr);
	/* What PRAM has of a disk that is whole may be old: see vstore_sealing_check(). */
	next = store->read_only && store->sealing.seal.state == VSTORE_DISK_WHOLE ? VSTORE_NONE :
	       vstore_tree_next(&store->map, span.block, span.block + span.nr);
	if (next != span.block) {
		span.nr = min_t(u64, span.nr, next - span.block);
		return read_disk(store, bio, span);
	}
	for (nr = 0; nr < span.nr; nr++) {
		struct vstore_page *page = vstore_block_page(store, span.block + nr);

		if (!page)
			break;
		err = read_block(store, bio, &iter, page);
		if (err)
			break;
	}
	if (!nr && err == -EAGAIN)
		return read_disk(store, bio, (struct span){ span.block, 1 });
	store->counts.read_pram++;
	/* A block that cannot be read ends the request before it, and fails alone the next time. */
	bio_accept(bio, max(nr, 1U));
	return bio_done(bio, nr ? BLK_STS_OK : BLK_STS_IOERR);
}

/*
 * Waits for write-back of these blocks: a write that follows the discard may go to the disk at
 * once, and write-back must not overwrite it with an older block.
 */
static void discard_wait(struct vstore *store, struct span span)
{
	u64 end = span.block + span.nr;

	for (;;) {
		vstore_sealing_wait(store, span.block, span.nr);
		if (!vstore_writeback_overlaps(store, span.block, end))
			return;
		mutex_unlock(&store->lock);
		wait_event(store->batch_done, !vstore_writeback_overlaps(store, span.block, end));
		mutex_lock(&store->lock);
	}
}

/* Cuts a span where sealed blocks and others meet. Returns whether its blocks are sealed. */
static bool span_is_sealed(struct vstore *store, struct span *span)
{
	struct vstore_seal_run first = vstore_seal_first(store->map.nr_blocks);
	struct vstore_seal_run last = vstore_seal_last(store->map.nr_blocks);

	if (store->sealing.seal.state == VSTORE_DISK_WHOLE)
		return false;
	if (span->block < first.nr) {
		span->nr = min_t(u64, span->nr, first.nr - span->block);
		return true;
	}
	if (span->block >= last.block)
		return true;
	span->nr = min_t(u64, span->nr, last.block - span->block);
	return false;
}

static int discard_map(struct vstore *store, struct bio *bio)
{
	struct span span = span_of(store->ti, bio);
	bool sealed;

	discard_wait(store, span);
	sealed = span_is_sealed(store, &span);
	bio_accept(bio, span.nr);
	/* The label is not discarded, and what it stands for is kept. */
	if (sealed)
		return bio_done(bio, BLK_STS_OK);
	span_outdate(store, span);
	vstore_blocks_forget(store, span.block, span.nr);
	if (!memsuite_bdev_takes_discards(store->disk->bdev))
		return bio_done(bio, BLK_STS_OK);
	vstore_promote_track(store, bio, span.block, span.nr);
	return vstore_disk_remap(store, bio);
}

static int map_locked(struct vstore *store, struct bio *bio)
{
	if (bio_op(bio) != REQ_OP_READ && vstore_is_read_only(store))
		return bio_done(bio, BLK_STS_IOERR);
	switch (bio_op(bio)) {
	case REQ_OP_READ:
		return read_map(store, bio);
	case REQ_OP_WRITE:
		return write_map(store, bio);
	case REQ_OP_DISCARD:
		return discard_map(store, bio);
	default:
		return DM_MAPIO_KILL;
	}
}

/**
 * vstore_io_map() - begin a request, or do it
 * @ti: the target
 * @bio: the request, whole blocks
 *
 * What is in PRAM is durable when its request is done: so flushes and FUA only concern the disk.
 *
 * Return: what device-mapper's map functions return.
 */
int vstore_io_map(struct dm_target *ti, struct bio *bio)
{
	const unsigned int mask = (VSTORE_BLOCK_SIZE >> SECTOR_SHIFT) - 1;
	struct vstore *store = ti->private;
	int result;

	if (bio_op(bio) == REQ_OP_FLUSH || (bio->bi_opf & REQ_PREFLUSH && !bio_sectors(bio))) {
		bio_set_dev(bio, store->disk->bdev);
		return DM_MAPIO_REMAPPED;
	}
	if ((dm_target_offset(ti, bio->bi_iter.bi_sector) | bio_sectors(bio)) & mask)
		return DM_MAPIO_KILL;
	mutex_lock(&store->lock);
	result = map_locked(store, bio);
	vstore_blocks_repair(store);
	if (vstore_writeback_wanted(store))
		mod_delayed_work(store->queue, &store->work, 0);
	else if (store->nr_merged)
		queue_delayed_work(store->queue, &store->work, HZ);
	vstore_share_kick(store);
	mutex_unlock(&store->lock);
	if (result != MAPIO_DONE)
		return result;
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}
