// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: what becomes of a request. It is cut where blocks in PRAM and
 * others meet; device-mapper brings the rest again. Nothing here allocates
 * memory, and it waits for nothing but the store's lock, and a discard for the
 * batch of write-back under way: memory reclaim may depend on it.
 */

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/random.h>

#include "compat/block.h"
#include "store/pram.h"
#include "store/store.h"

/* What map_locked() says of a request that is done; device-mapper's are small. */
#define DONE	100

/* New contents: of a request, or at @memory if that is set. */
struct source {
	struct bio *bio;
	struct bvec_iter iter;
	const void *memory;
};

/* @nr blocks from @block on; of those, what is done with at a time. */
struct span {
	u64 block;
	u32 nr;
};

static struct span span_of(struct dm_target *ti, struct bio *bio)
{
	sector_t sector = dm_target_offset(ti, bio->bi_iter.bi_sector);

	return (struct span){ sector >> (STORE_BLOCK_SHIFT - SECTOR_SHIFT),
			      bio_sectors(bio) >> (STORE_BLOCK_SHIFT - SECTOR_SHIFT) };
}

static void accept(struct bio *bio, u32 nr)
{
	unsigned int sectors = nr << (STORE_BLOCK_SHIFT - SECTOR_SHIFT);

	if (sectors < bio_sectors(bio))
		dm_accept_partial_bio(bio, sectors);
}

bool store_is_dirty(const struct store_page *page)
{
	return !(page->flags & STORE_CLEAN);
}

/* Puts a page of data last in the list of its kind. One that is bad stays in the map's. */
void store_list(struct store *store, struct store_page *page)
{
	if (page->flags & STORE_BAD)
		return;
	if (!store_is_dirty(page))
		list_move_tail(&page->list, &store->clean);
	else if (page->mark & STORE_MERGED)
		list_move_tail(&page->list, &store->merged);
	else
		list_move_tail(&page->list, &store->dirty);
}

/**
 * store_relist() - put what the tree leads to in the lists
 * @store: it, locked, its tree just read
 * @nr_dirty: pages that the disk does not have
 */
void store_relist(struct store *store, u32 nr_dirty)
{
	u32 page;

	INIT_LIST_HEAD(&store->dirty);
	INIT_LIST_HEAD(&store->merged);
	INIT_LIST_HEAD(&store->clean);
	for (page = 0; page < store->map.nr_pages; page++)
		if (store->pages[page].use == STORE_DATA)
			store_list(store, &store->pages[page]);
	store->nr_dirty = nr_dirty;
	store->nr_merged = 0;
}

static struct store_page *page_of(struct store *store, u64 block)
{
	u32 page = store_map_find(&store->map, block);

	return page ? &store->pages[page] : NULL;
}

/* What the disk does not have, and can be moved there. */
void store_count(struct store *store, const struct store_page *page, int by)
{
	if (!page || !store_is_dirty(page) || page->flags & STORE_BAD)
		return;
	store->nr_dirty += by;
	if (page->mark & STORE_MERGED)
		store->nr_merged += by;
}

/* Those that may give way. */
u32 store_nr_clean(const struct store *store)
{
	return store->map.nr_data - store->nr_dirty - store->map.nr_lost;
}

/**
 * store_spoil() - a page turned out to be unreadable
 * @store: it, locked
 * @page: of data
 *
 * What is dirty stays where it is, and cannot be moved; of what is clean, the disk
 * has the same, so that it is forgotten.
 */
void store_spoil(struct store *store, struct store_page *page)
{
	bool clean = !store_is_dirty(page);
	u64 block = page->block;

	DMERR_LIMIT("PRAM %s: block %llu cannot be read%s", store->pram_name, block,
		    clean ? ": the disk has it" : "");
	store_count(store, page, -1);
	store_map_spoil(&store->map, page - store->pages);
	if (clean)
		store_map_drop(&store->map, &block, 1);
}

/**
 * store_evict() - the clean pages that were not used for longest give way
 * @store: it, locked
 *
 * Return: how many did.
 */
unsigned int store_evict(struct store *store)
{
	u64 blocks[STORE_CHUNK];
	unsigned int nr = 0;
	struct store_page *page;

	list_for_each_entry(page, &store->clean, list) {
		blocks[nr++] = page->block;
		if (nr == ARRAY_SIZE(blocks))
			break;
	}
	if (nr)
		store_map_drop(&store->map, blocks, nr);
	store->counts.evicted += nr;
	return nr;
}

/* A page for new contents of a block. */
static u32 take(struct store *store, bool held)
{
	/* What replaces one that is bad does not get its page back. */
	u32 left = held ? 0 : STORE_RESERVE + store->map.nr_lost;

	if (store->map.nr_free <= left)
		store_evict(store);
	/* The reserve counts on the page before being free again then. */
	if (held && !store->map.nr_free)
		store_share_keep(store);
	return store->map.nr_free > left ? store_map_take(&store->map) : 0;
}

/* Copies the next @size bytes to PRAM. */
static void copy_in(struct source *source, void *to, u32 size)
{
	if (source->memory) {
		store_pram_copy(to, source->memory, size);
		source->memory += size;
		return;
	}
	while (size) {
		struct bio_vec bv = bio_iter_iovec(source->bio, source->iter);
		u32 nr = min(bv.bv_len, size);

		store_pram_copy(to, page_address(bv.bv_page) + bv.bv_offset, nr);
		bio_advance_iter(source->bio, &source->iter, nr);
		to += nr;
		size -= nr;
	}
}

/**
 * store_copy_out() - copy to a request
 * @bio: the request
 * @iter: where in it; moves on
 * @from: PRAM, say; memory that has gone bad is an error, not a crash
 * @size: bytes
 *
 * Return: 0 or -EIO.
 */
int store_copy_out(struct bio *bio, struct bvec_iter *iter, const void *from, u32 size)
{
	while (size) {
		struct bio_vec bv = bio_iter_iovec(bio, *iter);
		u32 nr = min(bv.bv_len, size);

		if (store_pram_read(page_address(bv.bv_page) + bv.bv_offset, from, nr))
			return -EIO;
		bio_advance_iter(bio, iter, nr);
		from += nr;
		size -= nr;
	}
	return 0;
}

/* Writes up to a chunk to PRAM, durably. Returns how many blocks found room. */
static u32 write_chunk(struct store *store, struct source *source, struct span span, u32 mark)
{
	struct store_item items[STORE_CHUNK];
	u32 i, done, nr = 0;

	span.nr = min_t(u32, span.nr, STORE_CHUNK);
	while (nr < span.nr) {
		u64 block = span.block + nr;
		u32 page = take(store, page_of(store, block));

		if (!page)
			break;
		copy_in(source, store_map_data(&store->map, page), STORE_BLOCK_SIZE);
		items[nr++] = (struct store_item){ .block = block, .page = page };
	}
	/* The pages that are replaced can be asked only before. */
	for (i = 0; i < nr; i++)
		store_count(store, page_of(store, items[i].block), -1);
	done = store_map_put(&store->map, items, nr);
	for (i = 0; i < done; i++) {
		struct store_page *page = &store->pages[items[i].page];

		page->mark = mark;
		store_count(store, page, 1);
		store_list(store, page);
	}
	for (; i < nr; i++) {
		store_count(store, page_of(store, items[i].block), 1);
		store_map_untake(&store->map, items[i].page);
	}
	return done;
}

static u32 write_pram(struct store *store, struct bio *bio, struct span span, u32 mark)
{
	struct source source = { .bio = bio, .iter = bio->bi_iter };
	u32 done = 0;

	while (done < span.nr) {
		struct span rest = { span.block + done, span.nr - done };
		u32 nr = write_chunk(store, &source, rest, mark);

		done += nr;
		if (nr < min_t(u32, rest.nr, STORE_CHUNK))
			break;
	}
	return done;
}

/**
 * store_enter() - blocks as the disk has them enter PRAM, as far as there is room
 * @store: it, locked
 * @from: their contents
 * @block: the first one
 * @nr: how many; PRAM has none of them
 */
void store_enter(struct store *store, const void *from, u64 block, u32 nr)
{
	struct source source = { .memory = from };
	u64 end = block + nr;

	while (block < end) {
		u32 want = min_t(u64, end - block, STORE_CHUNK), i;
		u32 done = write_chunk(store, &source, (struct span){ block, want }, 0);

		/* After a power cut before this, they are written to the disk once more. */
		for (i = 0; i < done; i++) {
			struct store_page *page = page_of(store, block + i);

			store_count(store, page, -1);
			store_map_clean(&store->map, block + i);
			store_list(store, page);
		}
		store->counts.promoted += done;
		if (done < want)
			return;
		block += done;
	}
}

/* What was written before to the file that this request continues. */
static void mark_merged(struct store *store, u64 from, u64 to)
{
	u64 block;

	for (block = store_map_next(&store->map, from, to); block < to;
	     block = store_map_next(&store->map, block + 1, to)) {
		struct store_page *page = page_of(store, block);

		if (!store_is_dirty(page) || page->mark & STORE_MERGED || page->flags & STORE_BAD)
			continue;
		page->mark |= STORE_MERGED;
		store->nr_merged++;
		store_list(store, page);
	}
}

/* Whether a write is for PRAM; *@mark is what its pages get. */
static bool wants_pram(struct store *store, struct span span, u32 *mark)
{
	bool rest = span.block == store->rest_block && span.block + span.nr == store->rest_end;
	u64 start;

	*mark = 0;
	if (store->policy == STORE_RANDOM)
		return get_random_u32() & 1;
	if (rest || (u64)span.nr << STORE_BLOCK_SHIFT >= store->threshold)
		return false;
	if (store->policy == STORE_MERGING) {
		start = store_streams_add(&store->streams, span.block, span.nr);
		if (start != span.block) {
			*mark = STORE_MERGED;
			store->counts.merged++;
			/* The last one will do: those before were marked then. */
			if (span.block - start > STORE_BATCH)
				start = span.block - STORE_BATCH;
			mark_merged(store, start, span.block);
		}
	}
	return true;
}

/* How many blocks from the first on are dirty in PRAM, or how many are not. */
static u32 row(struct store *store, struct span span, bool *dirty)
{
	u32 nr;

	for (nr = 0; nr < span.nr; nr++) {
		struct store_page *page = page_of(store, span.block + nr);
		bool is = page && store_is_dirty(page);

		if (!nr)
			*dirty = is;
		else if (*dirty != is)
			break;
	}
	return nr;
}

/* Whatever was read of it before is old. */
static void outdate(struct store *store, struct span span)
{
	store_promote_stale(store, span.block, span.nr);
	store_cache_drop(store, span.block, span.nr);
}

/**
 * store_to_disk() - have the disk do a request
 * @store: it
 * @bio: the request, which has not been there
 *
 * Return: %DM_MAPIO_REMAPPED.
 */
int store_to_disk(struct store *store, struct bio *bio)
{
	bio_set_dev(bio, store->disk->bdev);
	bio->bi_iter.bi_sector = dm_target_offset(store->ti, bio->bi_iter.bi_sector);
	return DM_MAPIO_REMAPPED;
}

/* It is ended without the lock: whoever waits for it may come again. */
static int bio_done(struct bio *bio, blk_status_t status)
{
	bio->bi_status = status;
	return DONE;
}

/*
 * A write to the disk. What PRAM has of it is clean: it is forgotten first, and
 * durably, or after a power cut it would hide what the disk has by then.
 */
static int write_disk(struct store *store, struct bio *bio, struct span span)
{
	u64 block, blocks[STORE_CHUNK], end = span.block + span.nr;
	unsigned int nr = 0;

	for (block = store_map_next(&store->map, span.block, end); block < end;
	     block = store_map_next(&store->map, block + 1, end)) {
		blocks[nr++] = block;
		if (nr == ARRAY_SIZE(blocks)) {
			store_map_drop(&store->map, blocks, nr);
			nr = 0;
		}
	}
	if (nr)
		store_map_drop(&store->map, blocks, nr);
	store->counts.write_disk++;
	accept(bio, span.nr);
	store_promote_write(store, bio, span.block, span.nr);
	return store_to_disk(store, bio);
}

/*
 * What is dirty in PRAM is written there again, whatever its size: were it
 * dropped, the disk would be all that is left, with contents older than what was
 * promised, until its own cache is flushed.
 */
static int write_map(struct store *store, struct bio *bio)
{
	struct span span = span_of(store->ti, bio);
	u32 nr, done, mark;
	bool dirty;

	outdate(store, span);
	if (wants_pram(store, span, &mark)) {
		done = write_pram(store, bio, span, mark);
		if (done) {
			store->counts.write_pram++;
			accept(bio, done);
			return bio_done(bio, BLK_STS_OK);
		}
		store->counts.write_full++;
	}
	nr = row(store, span, &dirty);
	if (nr < span.nr) {
		store->rest_block = span.block + nr;
		store->rest_end = span.block + span.nr;
	}
	span.nr = nr;
	if (!dirty)
		return write_disk(store, bio, span);
	done = write_pram(store, bio, span, store->policy == STORE_RANDOM ? 0 : STORE_MERGED);
	if (!done)
		return bio_done(bio, BLK_STS_NOSPC);	/* the reserve prevents it */
	store->counts.write_pram++;
	accept(bio, done);
	return bio_done(bio, BLK_STS_OK);
}

/* Returns 0, -EIO, or -EAGAIN if PRAM does not have the block any more. */
static int read_block(struct store *store, struct bio *bio, struct bvec_iter *iter,
		      struct store_page *page)
{
	const void *from = store_map_data(&store->map, page - store->pages);

	if (page->flags & STORE_BAD)
		return -EIO;
	if (store_copy_out(bio, iter, from, STORE_BLOCK_SIZE)) {
		store_spoil(store, page);
		return page->use == STORE_DATA ? -EIO : -EAGAIN;
	}
	store_list(store, page);
	return 0;
}

/* What PRAM has none of. */
static int read_disk(struct store *store, struct bio *bio, struct span span)
{
	u32 nr = store_cache_read(store, bio, span.block, span.nr);

	if (nr) {
		store->counts.read_volatile++;
		accept(bio, nr);
		return bio_done(bio, BLK_STS_OK);
	}
	store->counts.read_disk++;
	accept(bio, span.nr);
	if ((store->promotes || store_cache_wanted(store)) &&
	    (u64)span.nr << STORE_BLOCK_SHIFT < store->threshold &&
	    store_promote_read(store, bio, span.block, span.nr))
		return DM_MAPIO_SUBMITTED;
	return store_to_disk(store, bio);
}

static int read_map(struct store *store, struct bio *bio)
{
	struct span span = span_of(store->ti, bio);
	struct bvec_iter iter = bio->bi_iter;
	u64 next = store_map_next(&store->map, span.block, span.block + span.nr);
	int err = 0;
	u32 nr;

	if (next != span.block) {
		span.nr = min_t(u64, span.nr, next - span.block);
		return read_disk(store, bio, span);
	}
	for (nr = 0; nr < span.nr; nr++) {
		struct store_page *page = page_of(store, span.block + nr);

		if (!page)
			break;
		err = read_block(store, bio, &iter, page);
		if (err)
			break;
	}
	if (!nr && err == -EAGAIN)
		return read_map(store, bio);	/* from the disk */
	store->counts.read_pram++;
	/* What cannot be read is an error of its own: it comes again, alone. */
	accept(bio, max(nr, 1U));
	return bio_done(bio, nr ? BLK_STS_OK : BLK_STS_IOERR);
}

/*
 * The disk may not get an old block from write-back after the discard, for a
 * write that follows may go to the disk at once.
 */
static int discard_map(struct store *store, struct bio *bio)
{
	struct span span = span_of(store->ti, bio);
	u64 end = span.block + span.nr, block, blocks[STORE_CHUNK];
	unsigned int nr;

	while (store_moving(store, span.block, end)) {
		mutex_unlock(&store->lock);
		wait_event(store->batch_done, !store_moving(store, span.block, end));
		mutex_lock(&store->lock);
	}
	outdate(store, span);
	do {
		nr = 0;
		for (block = store_map_next(&store->map, span.block, end); block < end;
		     block = store_map_next(&store->map, block + 1, end)) {
			store_count(store, page_of(store, block), -1);
			blocks[nr++] = block;
			if (nr == ARRAY_SIZE(blocks))
				break;
		}
		if (nr)
			store_map_drop(&store->map, blocks, nr);
	} while (nr);
	if (!memsuite_bdev_takes_discards(store->disk->bdev))
		return bio_done(bio, BLK_STS_OK);
	store_promote_write(store, bio, span.block, span.nr);
	return store_to_disk(store, bio);
}

/**
 * store_mend() - make the node of the tree good again that was found bad, if one was
 * @store: it, locked
 *
 * For who has used the tree, and is about to release the lock: each block that is found
 * without the node takes a look at all pages.
 */
void store_mend(struct store *store)
{
	u32 node = store->map.damaged;
	int err;

	if (!node)
		return;
	err = store_map_mend(&store->map);
	if (err == -ENOENT)
		DMERR_LIMIT("PRAM %s: page %u, of the tree, was damaged; it is used no more",
			    store->pram_name, node);
	else if (err)
		DMERR_LIMIT("PRAM %s: page %u, of the tree, is damaged, and cannot be mended: %d",
			    store->pram_name, node, err);
	else
		DMERR_LIMIT("PRAM %s: page %u, of the tree, was damaged; it is mended",
			    store->pram_name, node);
}

static int map_locked(struct store *store, struct bio *bio)
{
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
 * store_map_bio() - begin a request, or do it
 * @ti: the target
 * @bio: the request, whole blocks
 *
 * What is in PRAM is durable when its request is done, so that flushes and FUA
 * are the disk's.
 *
 * Return: what device-mapper's map functions return.
 */
int store_map_bio(struct dm_target *ti, struct bio *bio)
{
	const unsigned int mask = (STORE_BLOCK_SIZE >> SECTOR_SHIFT) - 1;
	struct store *store = ti->private;
	int result;

	if (bio_op(bio) == REQ_OP_FLUSH || (bio->bi_opf & REQ_PREFLUSH && !bio_sectors(bio))) {
		bio_set_dev(bio, store->disk->bdev);
		return DM_MAPIO_REMAPPED;
	}
	if ((dm_target_offset(ti, bio->bi_iter.bi_sector) | bio_sectors(bio)) & mask)
		return DM_MAPIO_KILL;
	mutex_lock(&store->lock);
	result = map_locked(store, bio);
	store_mend(store);
	if (store_writeback_wanted(store))
		mod_delayed_work(store->queue, &store->work, 0);
	else if (store->nr_merged)
		queue_delayed_work(store->queue, &store->work, HZ);
	store_share_poke(store);
	mutex_unlock(&store->lock);
	if (result != DONE)
		return result;
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}
