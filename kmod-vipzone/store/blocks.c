// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: the blocks that PRAM has: which are dirty, which may give way, and which cannot be
 * read; and how their contents get there. The caller has the store's lock. Nothing here
 * allocates memory or waits: memory reclaim may depend on it.
 */

#include <linux/bio.h>
#include <linux/kernel.h>
#include <linux/list.h>

#include "store/blocks.h"
#include "store/loan/loan.h"
#include "store/map/checksum.h"
#include "store/map/commit.h"
#include "store/map/pages.h"
#include "store/map/pram.h"
#include "store/map/repair.h"
#include "store/map/seal.h"
#include "store/map/tree.h"
#include "store/vstore.h"

/* Where new contents come from: a request, or @memory if that is set, which nobody changes. */
struct source {
	struct bio *bio;
	struct bvec_iter iter;
	const void *memory;
};

/* A dirty block of these is where the disk's label is: write-back leaves it alone. */
static bool block_is_sealed(const struct vstore *store, const struct vstore_page *page)
{
	return vstore_seal_touches(store->map.nr_blocks, page->block, 1);
}

/**
 * vstore_block_enlist() - put a block's page last in the list of its kind
 * @store: it, locked
 * @page: of data; one that is bad stays in the map's list
 */
void vstore_block_enlist(struct vstore *store, struct vstore_page *page)
{
	if (page->flags & VSTORE_BAD)
		return;
	if (!vstore_page_is_dirty(page))
		list_move_tail(&page->list, &store->clean);
	else if (block_is_sealed(store, page))
		list_move_tail(&page->list, &store->sealed);
	else if (page->mark & VSTORE_MERGED)
		list_move_tail(&page->list, &store->merged);
	else
		list_move_tail(&page->list, &store->dirty);
}

/**
 * vstore_block_page() - the page that holds a block
 * @store: it, locked
 * @block: of the disk
 *
 * Return: the page, or NULL.
 */
struct vstore_page *vstore_block_page(struct vstore *store, u64 block)
{
	u32 page = vstore_tree_find(&store->map, block);

	return page ? &store->pages[page] : NULL;
}

/**
 * vstore_block_count() - count a block, if the disk does not have it and it can be read
 * @store: it, locked
 * @page: of the block, or NULL
 * @by: 1, or -1 if it is none from now on
 */
void vstore_block_count(struct vstore *store, const struct vstore_page *page, int by)
{
	if (!page || !vstore_page_is_dirty(page) || page->flags & VSTORE_BAD)
		return;
	if (block_is_sealed(store, page)) {
		store->nr_sealed += by;
		return;
	}
	store->nr_dirty += by;
	if (page->mark & VSTORE_MERGED)
		store->nr_merged += by;
}

/**
 * vstore_blocks_init() - put what the tree leads to in the lists
 * @store: it, locked, its tree just read
 */
void vstore_blocks_init(struct vstore *store)
{
	struct vstore_page *page = store->pages, *end = page + store->map.nr_pages;

	INIT_LIST_HEAD(&store->dirty);
	INIT_LIST_HEAD(&store->merged);
	INIT_LIST_HEAD(&store->clean);
	INIT_LIST_HEAD(&store->sealed);
	store->nr_dirty = 0;
	store->nr_merged = 0;
	store->nr_sealed = 0;
	for (; page < end; page++) {
		if (page->use != VSTORE_DATA)
			continue;
		if (page->flags & VSTORE_BAD)
			vstore_block_mark_bad(store, page, "is not what was written last");
		vstore_block_enlist(store, page);
		vstore_block_count(store, page, 1);
	}
}

/**
 * vstore_blocks_nr_clean() - how many blocks may give way
 * @store: it, locked
 *
 * Return: those that the disk has as well.
 */
u32 vstore_blocks_nr_clean(const struct vstore *store)
{
	return store->map.nr_data - store->nr_dirty - store->nr_sealed - store->map.nr_lost;
}

/**
 * vstore_block_mark_bad() - a page turned out not to have its block
 * @store: it, locked
 * @page: of data
 * @why: what of the block, for the log
 *
 * A dirty block stays where it is, and cannot be moved to the disk. A clean one is forgotten: the
 * disk has the same. As long as nothing may be written, it comes from there, and its page is found
 * bad anew.
 */
void vstore_block_mark_bad(struct vstore *store, struct vstore_page *page, const char *why)
{
	bool clean = !vstore_page_is_dirty(page);
	u64 block = page->block;

	DMERR_LIMIT("PRAM %s: block %llu %s%s", store->pram_name, block, why,
		    clean ? ": the disk has it" : "");
	if (clean && vstore_is_read_only(store))
		return;
	vstore_block_count(store, page, -1);
	vstore_page_mark_bad(&store->map, page - store->pages);
	if (clean)
		vstore_map_forget(&store->map, &block, 1);
}

/**
 * vstore_block_read() - read what PRAM has of a block
 * @store: it, locked
 * @page: of the block
 * @to: gets the contents
 *
 * If they cannot be read, or are not what was written, the page is bad from then on, and a clean
 * block is forgotten.
 *
 * Return: 0 or -EIO.
 */
int vstore_block_read(struct vstore *store, struct vstore_page *page, void *to)
{
	u32 number = page - store->pages;

	if (page->flags & VSTORE_BAD)
		return -EIO;
	if (vstore_pram_read(to, vstore_page_data(&store->map, number), VSTORE_BLOCK_SIZE)) {
		vstore_block_mark_bad(store, page, "cannot be read");
		return -EIO;
	}
	if (!vstore_data_is_right(&store->map, number, to)) {
		vstore_block_mark_bad(store, page, "has a wrong checksum");
		return -EIO;
	}
	return 0;
}

/**
 * vstore_blocks_forget() - PRAM forgets what it has of these blocks, durably
 * @store: it, locked
 * @block: the first one
 * @nr: how many
 */
void vstore_blocks_forget(struct vstore *store, u64 block, u32 nr)
{
	u64 blocks[VSTORE_CHUNK], end = block + nr;

	nr = 0;
	for (block = vstore_tree_next(&store->map, block, end); block < end;
	     block = vstore_tree_next(&store->map, block + 1, end)) {
		vstore_block_count(store, vstore_block_page(store, block), -1);
		blocks[nr++] = block;
		if (nr == ARRAY_SIZE(blocks)) {
			vstore_map_forget(&store->map, blocks, nr);
			nr = 0;
		}
	}
	if (nr)
		vstore_map_forget(&store->map, blocks, nr);
}

/**
 * vstore_blocks_evict() - the clean pages that were not used for longest give way
 * @store: it, locked
 *
 * Return: how many did.
 */
unsigned int vstore_blocks_evict(struct vstore *store)
{
	u64 blocks[VSTORE_CHUNK];
	unsigned int nr = 0;
	struct vstore_page *page;

	list_for_each_entry(page, &store->clean, list) {
		blocks[nr++] = page->block;
		if (nr == ARRAY_SIZE(blocks))
			break;
	}
	if (nr)
		vstore_map_forget(&store->map, blocks, nr);
	store->counts.evicted += nr;
	return nr;
}

/*
 * Stops the emptying of a unit, since requests need its pages: a page that is overwritten there
 * does not come back as a free one.
 */
static void blocks_keep_unit(struct vstore *store)
{
	u32 unit = store->map.leaving;

	if (unit && !vstore_loan_lent(store->share.loan, unit))
		vstore_unit_restore(&store->map, unit);
}

/* Takes a page for new contents of a block, or returns 0. @held: PRAM has the block. */
static u32 page_take(struct vstore *store, bool held)
{
	/* What replaces one that is bad does not get its page back. */
	u32 left = held ? 0 : VSTORE_RESERVE + store->map.nr_lost;

	if (store->map.nr_free <= left)
		vstore_blocks_evict(store);
	/* The reserve counts on the page before being free again then. */
	if (held && !store->map.nr_free)
		blocks_keep_unit(store);
	return store->map.nr_free > left ? vstore_page_take(&store->map, VSTORE_DATA) : 0;
}

/*
 * The next block's contents. Who writes may change them while the request is under way: what has a
 * checksum is a copy.
 */
static const void *source_next(struct vstore *store, struct source *source)
{
	const void *contents = source->memory;
	void *to = store->block;
	u32 size = VSTORE_BLOCK_SIZE;

	if (contents) {
		source->memory += size;
		return contents;
	}
	while (size) {
		struct bio_vec bv = bio_iter_iovec(source->bio, source->iter);
		u32 nr = min(bv.bv_len, size);

		memcpy(to, page_address(bv.bv_page) + bv.bv_offset, nr);
		bio_advance_iter(source->bio, &source->iter, nr);
		to += nr;
		size -= nr;
	}
	return store->block;
}

/**
 * vstore_bio_copy() - copy to a request
 * @bio: the request
 * @iter: where in it; moves on
 * @from: memory; if it has gone bad, that is an error, not a crash
 * @size: bytes
 *
 * Return: 0 or -EIO.
 */
int vstore_bio_copy(struct bio *bio, struct bvec_iter *iter, const void *from, u32 size)
{
	while (size) {
		struct bio_vec bv = bio_iter_iovec(bio, *iter);
		u32 nr = min(bv.bv_len, size);

		if (vstore_pram_read(page_address(bv.bv_page) + bv.bv_offset, from, nr))
			return -EIO;
		bio_advance_iter(bio, iter, nr);
		from += nr;
		size -= nr;
	}
	return 0;
}

/*
 * Writes up to a chunk to PRAM, durably. Returns how many blocks found room. @flags: %VSTORE_CLEAN,
 * if the disk has the same, and PRAM has none of them, or 0.
 */
static u32 chunk_write(struct vstore *store, struct source *source, u64 block, u32 want, u32 mark,
		       unsigned int flags)
{
	struct vstore_item items[VSTORE_CHUNK];
	u32 i, done, nr;

	want = min_t(u32, want, VSTORE_CHUNK);
	for (nr = 0; nr < want; nr++) {
		u32 page = page_take(store, vstore_block_page(store, block + nr));

		if (!page)
			break;
		vstore_data_write(&store->map, page, block + nr, source_next(store, source));
		items[nr] = (struct vstore_item){
			.block = block + nr, .page = page, .flags = flags,
		};
	}
	/* The pages that are replaced can be asked only before. */
	for (i = 0; i < nr; i++)
		vstore_block_count(store, vstore_block_page(store, items[i].block), -1);
	done = vstore_map_commit(&store->map, items, nr);
	for (i = 0; i < done; i++) {
		struct vstore_page *page = &store->pages[items[i].page];

		page->mark = mark;
		vstore_block_count(store, page, 1);
		vstore_block_enlist(store, page);
	}
	for (; i < nr; i++) {
		vstore_block_count(store, vstore_block_page(store, items[i].block), 1);
		vstore_page_free(&store->map, items[i].page);
	}
	return done;
}

static u32 source_write(struct vstore *store, struct source *source, u64 block, u32 nr, u32 mark)
{
	u32 done = 0;

	while (done < nr) {
		u32 want = min_t(u32, nr - done, VSTORE_CHUNK);
		u32 written = chunk_write(store, source, block + done, want, mark, 0);

		done += written;
		if (written < want)
			break;
	}
	return done;
}

/**
 * vstore_blocks_write() - write a request's blocks to PRAM, durably, as far as there is room
 * @store: it, locked
 * @bio: the request
 * @block: the first one
 * @nr: how many
 * @mark: what their pages get: %VSTORE_MERGED or 0
 *
 * Return: how many blocks from the first on were written.
 */
u32 vstore_blocks_write(struct vstore *store, struct bio *bio, u64 block, u32 nr, u32 mark)
{
	struct source source = { .bio = bio, .iter = bio->bi_iter };

	return source_write(store, &source, block, nr, mark);
}

/**
 * vstore_blocks_take() - blocks of the disk enter PRAM, dirty, as far as there is room
 * @store: it, locked
 * @from: their contents
 * @block: the first one
 * @nr: how many
 *
 * Return: how many blocks from the first on did.
 */
u32 vstore_blocks_take(struct vstore *store, const void *from, u64 block, u32 nr)
{
	struct source source = { .memory = from };

	return source_write(store, &source, block, nr, 0);
}

/**
 * vstore_block_mark_clean() - the disk has a block, durably
 * @store: it, locked
 * @block: it; PRAM holds it, dirty
 */
void vstore_block_mark_clean(struct vstore *store, u64 block)
{
	struct vstore_page *page = vstore_block_page(store, block);

	vstore_block_count(store, page, -1);
	vstore_map_mark_clean(&store->map, block);
	vstore_block_enlist(store, page);
}

/**
 * vstore_blocks_insert() - blocks as the disk has them enter PRAM, as far as there is room
 * @store: it, locked
 * @from: their contents
 * @block: the first one
 * @nr: how many; PRAM has none of them
 */
void vstore_blocks_insert(struct vstore *store, const void *from, u64 block, u32 nr)
{
	struct source source = { .memory = from };
	u64 end = block + nr;

	while (block < end) {
		u32 want = min_t(u64, end - block, VSTORE_CHUNK);
		u32 done = chunk_write(store, &source, block, want, 0, VSTORE_CLEAN);

		store->counts.promoted += done;
		if (done < want)
			return;
		block += done;
	}
}

/**
 * vstore_blocks_repair() - make the node of the tree good again that was found bad, if one was
 * @store: it, locked
 *
 * Whoever has used the tree calls it before releasing the lock: as long as the node is damaged,
 * each block below it is found by looking at all pages.
 */
void vstore_blocks_repair(struct vstore *store)
{
	u32 node = store->map.damaged;
	int err;

	if (!node || vstore_is_read_only(store))
		return;
	err = vstore_map_repair(&store->map);
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
