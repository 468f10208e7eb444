// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: the disk is sealed before the first block becomes dirty in PRAM, and whole again after
 * a flush; map/seal.h tells what that is. Both are done by write-back's work, one at a time, and
 * what would change a sealed block meanwhile waits.
 */

#include <linux/dm-io.h>
#include <linux/jiffies.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "compat/dm.h"
#include "store/blocks.h"
#include "store/disk.h"
#include "store/map/commit.h"
#include "store/map/header.h"
#include "store/map/seal.h"
#include "store/promote.h"
#include "store/read_cache.h"
#include "store/sealing.h"
#include "store/vstore.h"

/* How long after the disk has failed to be sealed it is not tried again. */
#define FAILED_JIFFIES	(5 * HZ)

#define for_each_sealed_run(run, store) \
	for (run = vstore_seal_first(sealed_of(store)); run.nr; \
	     run = run.block ? (struct vstore_seal_run){} : vstore_seal_last(sealed_of(store)))

/* Blocks of the disk: also before the tree is read. */
static u64 sealed_of(const struct vstore *store)
{
	return store->ti->len >> (VSTORE_BLOCK_SHIFT - SECTOR_SHIFT);
}

/**
 * vstore_sealing_touches() - whether some of these blocks are sealed when the disk is
 * @store: it
 * @block: the first one
 * @nr: how many
 *
 * Return: true if any is.
 */
bool vstore_sealing_touches(const struct vstore *store, u64 block, u32 nr)
{
	return vstore_seal_touches(sealed_of(store), block, nr);
}

/**
 * vstore_sealing_wait() - wait while sealed blocks are on their way to the disk or from it
 * @store: it, locked; not meanwhile
 * @block: the first block that somebody asks for
 * @nr: how many
 */
void vstore_sealing_wait(struct vstore *store, u64 block, u32 nr)
{
	while (store->sealing.moving && vstore_sealing_touches(store, block, nr)) {
		mutex_unlock(&store->lock);
		wait_event(store->batch_done, !READ_ONCE(store->sealing.moving));
		mutex_lock(&store->lock);
	}
}

/* A disk that fails takes its time to say so, and small writes elsewhere need not wait for it. */
static bool sealing_rests(const struct vstore_sealing *sealing)
{
	return sealing->failed && sealing->seal.state == VSTORE_DISK_WHOLE &&
	       time_before(jiffies, sealing->failed_at + FAILED_JIFFIES);
}

/**
 * vstore_sealing_await() - have the disk sealed, so that a block may become dirty
 * @store: it, locked; not meanwhile
 *
 * Return: false if it could not be: there is no room, or the disk fails, or has failed lately.
 */
bool vstore_sealing_await(struct vstore *store)
{
	struct vstore_sealing *sealing = &store->sealing;
	u32 attempts = sealing->attempts;

	if (sealing->seal.state == VSTORE_DISK_SEALED)
		return true;
	if (sealing_rests(sealing))
		return false;
	sealing->wanted = true;
	mod_delayed_work(store->queue, &store->work, 0);
	mutex_unlock(&store->lock);
	wait_event(store->batch_done, READ_ONCE(sealing->attempts) != attempts);
	mutex_lock(&store->lock);
	return sealing->seal.state == VSTORE_DISK_SEALED;
}

static void seal_set(struct vstore *store, enum vstore_seal_state state)
{
	store->sealing.seal.state = state;
	vstore_seal_write(store->base, store->sealing.seal);
}

/* From here on nobody asks the disk for what is sealed, and nobody waits for an answer. */
static void requests_stop(struct vstore *store)
{
	struct vstore_seal_run run;

	mutex_lock(&store->lock);
	WRITE_ONCE(store->sealing.moving, true);
	mutex_unlock(&store->lock);
	for_each_sealed_run(run, store)
		wait_event(store->batch_done, vstore_promote_is_idle(store, run.block, run.nr));
}

static void requests_go_on(struct vstore *store)
{
	mutex_lock(&store->lock);
	WRITE_ONCE(store->sealing.moving, false);
	mutex_unlock(&store->lock);
	wake_up_all(&store->batch_done);
}

/* Between the buffer and the disk. Write-back, which has the buffer else, is who calls this. */
static int runs_transfer(struct vstore *store, bool write)
{
	void *at = store->buffer;
	struct vstore_seal_run run;
	int err;

	for_each_sealed_run(run, store) {
		struct dm_io_request request = {
			MEMSUITE_DM_IO_OP(write ? REQ_OP_WRITE : REQ_OP_READ, 0),
			.mem.type = DM_IO_VMA,
			.mem.ptr.vma = at,
		};

		err = vstore_disk_io(store, run.block, run.nr, &request);
		if (err)
			return err;
		at += (size_t)run.nr * VSTORE_BLOCK_SIZE;
	}
	return 0;
}

static int runs_write(struct vstore *store)
{
	return runs_transfer(store, true) ?: vstore_disk_flush(store);
}

/* A label, and zeroes. */
static int label_write(struct vstore *store)
{
	struct vstore_label label;

	vstore_label_make(store->base, store->sealing.seal.generation, &label);
	memset(store->buffer, 0, 2 * VSTORE_SEAL_BLOCKS * VSTORE_BLOCK_SIZE);
	memcpy(store->buffer, &label, sizeof(label));
	return runs_write(store);
}

static bool runs_have_room(const struct vstore *store)
{
	u32 needed = 2 * (VSTORE_SEAL_BLOCKS + VSTORE_LEVELS_MAX) + VSTORE_RESERVE;

	return store->map.nr_free + vstore_blocks_nr_clean(store) >= needed + store->map.nr_lost;
}

/* While the word says WHOLE, what enters is dropped after a power cut. */
static int buffer_enter(struct vstore *store)
{
	const void *at = store->buffer;
	struct vstore_seal_run run;

	for_each_sealed_run(run, store) {
		vstore_read_cache_drop(store, run.block, run.nr);
		if (vstore_blocks_take(store, at, run.block, run.nr) < run.nr) {
			for_each_sealed_run(run, store)
				vstore_blocks_forget(store, run.block, run.nr);
			return -ENOSPC;
		}
		at += (size_t)run.nr * VSTORE_BLOCK_SIZE;
	}
	store->sealing.seal.generation++;
	seal_set(store, VSTORE_DISK_MOVING);
	return 0;
}

/* What is to be sealed enters PRAM. */
static int runs_enter(struct vstore *store)
{
	bool room;
	int err;

	mutex_lock(&store->lock);
	room = runs_have_room(store);
	mutex_unlock(&store->lock);
	err = room ? runs_transfer(store, false) : -ENOSPC;
	if (err)
		return err;
	mutex_lock(&store->lock);
	err = buffer_enter(store);
	vstore_blocks_repair(store);
	mutex_unlock(&store->lock);
	return err;
}

/**
 * vstore_sealing_end_attempt() - whoever waits for the disk to be sealed waits no more
 * @store: it, locked; write-back's work wakes them
 */
void vstore_sealing_end_attempt(struct vstore *store)
{
	struct vstore_sealing *sealing = &store->sealing;

	WRITE_ONCE(sealing->attempts, sealing->attempts + 1);
	sealing->wanted = false;
}

/**
 * vstore_sealing_close() - seal the disk
 * @store: it
 *
 * Context: write-back's work; may sleep.
 * Return: 0, or an error: then the disk is whole, or some sectors of it are sealed, and PRAM has
 * all that they had.
 */
int vstore_sealing_close(struct vstore *store)
{
	int err = 0;

	requests_stop(store);
	if (store->sealing.seal.state == VSTORE_DISK_WHOLE)
		err = runs_enter(store);
	if (!err && store->sealing.seal.state != VSTORE_DISK_SEALED)
		err = label_write(store);
	mutex_lock(&store->lock);
	if (!err)
		seal_set(store, VSTORE_DISK_SEALED);
	store->sealing.failed = err && err != -ENOSPC;
	store->sealing.failed_at = jiffies;
	vstore_sealing_end_attempt(store);
	mutex_unlock(&store->lock);
	requests_go_on(store);
	if (err && err != -ENOSPC)
		DMERR_LIMIT("disk %s: cannot be sealed, so that small writes go to it: %d",
			    store->disk->name, err);
	return err;
}

/* To the buffer; returns -EIO if PRAM has lost some of it. */
static int runs_copy(struct vstore *store)
{
	void *at = store->buffer;
	struct vstore_seal_run run;
	u64 block;

	for_each_sealed_run(run, store)
		for (block = run.block; block < run.block + run.nr; block++) {
			struct vstore_page *page = vstore_block_page(store, block);

			if (!page || vstore_block_read(store, page, at))
				return -EIO;
			at += VSTORE_BLOCK_SIZE;
		}
	return 0;
}

/* What was found bad meanwhile, when PRAM was lent, the disk alone has. */
static void runs_mark_clean(struct vstore *store)
{
	struct vstore_seal_run run;
	u64 block;

	for_each_sealed_run(run, store)
		for (block = run.block; block < run.block + run.nr; block++)
			if (vstore_block_page(store, block)->flags & VSTORE_BAD)
				vstore_blocks_forget(store, block, 1);
			else
				vstore_block_mark_clean(store, block);
}

/**
 * vstore_sealing_may_open() - whether the disk has everything but what is sealed
 * @store: it, locked
 *
 * Return: true if vstore_sealing_open() has something to do, and may.
 */
bool vstore_sealing_may_open(const struct vstore *store)
{
	return store->sealing.seal.state != VSTORE_DISK_WHOLE && !store->nr_dirty &&
	       !store->map.nr_lost && !vstore_is_read_only(store);
}

/**
 * vstore_sealing_open() - make the disk whole again
 * @store: it
 *
 * Context: write-back's work; may sleep.
 * Return: 0, -EAGAIN if something has become dirty, or the disk's error: then some sectors of it
 * are sealed, and PRAM has all that they had.
 */
int vstore_sealing_open(struct vstore *store)
{
	int err;

	requests_stop(store);
	mutex_lock(&store->lock);
	err = vstore_sealing_may_open(store) ? runs_copy(store) : -EAGAIN;
	if (!err)
		seal_set(store, VSTORE_DISK_MOVING);
	vstore_blocks_repair(store);
	mutex_unlock(&store->lock);
	if (!err)
		err = runs_write(store);
	mutex_lock(&store->lock);
	if (!err) {
		seal_set(store, VSTORE_DISK_WHOLE);
		runs_mark_clean(store);
	}
	mutex_unlock(&store->lock);
	requests_go_on(store);
	return err;
}

/* The disk counts: a label that it still had would stand for what is given up. */
static int label_drop(struct vstore *store, struct vstore_report *report)
{
	int err;

	if (store->read_only || !vstore_label_is_there(store->buffer))
		return 0;
	memset(store->buffer, 0, sizeof(struct vstore_label));
	err = runs_write(store);
	if (err)
		report->why = "the label of its seal cannot be taken from the disk";
	return err;
}

/* PRAM has nothing of the disk, and some PRAM has what the label stands for. */
static int conflict_settle_whole(struct vstore *store, struct vstore_report *report)
{
	if (store->sealing.trust == VSTORE_TRUST_DISK)
		return label_drop(store, report);
	DMERR_LIMIT("disk %s: sealed by another store, or by this one at another time",
		    store->disk->name);
	DMERR_LIMIT("open it with the PRAM of that store; trust disk does without");
	return vstore_refuse(report, "the disk is sealed, and this PRAM has nothing of it", 0);
}

/* The disk is not as the store left it: somebody has to say which side counts. */
static int conflict_settle(struct vstore *store, struct vstore_report *report)
{
	int err;

	if (store->sealing.trust == VSTORE_TRUST_NEITHER || store->read_only) {
		DMERR_LIMIT("disk %s: another one, or written without the store: trust what?",
			    store->disk->name);
		DMERR_LIMIT("trust disk drops what PRAM has, trust pram what was written");
		return vstore_refuse(report, "the disk is not as the store left it", 0);
	}
	if (store->sealing.trust == VSTORE_TRUST_DISK) {
		err = label_drop(store, report);
		if (err)
			return err;
		seal_set(store, VSTORE_DISK_WHOLE);
		vstore_header_clear(store->base, sealed_of(store));
		return 0;
	}
	err = label_write(store);
	if (err) {
		report->why = "the disk cannot be sealed";
		return err;
	}
	seal_set(store, VSTORE_DISK_SEALED);
	return 0;
}

/* Behind the label: who writes a disk alone may leave its first block, as software RAID does. */
static bool runs_are_zero(const struct vstore *store)
{
	struct vstore_seal_run run;
	size_t bytes = 0;

	for_each_sealed_run(run, store)
		bytes += (size_t)run.nr * VSTORE_BLOCK_SIZE;
	return !memchr_inv(store->buffer + VSTORE_BLOCK_SIZE, 0, bytes - VSTORE_BLOCK_SIZE);
}

/*
 * Whether the buffer has what the seal tells of. A disk that is whole has no label: else
 * another store has sealed it, or the seal is not the last one that was written.
 */
static bool disk_fits_seal(const struct vstore *store)
{
	const struct vstore_seal *seal = &store->sealing.seal;

	if (seal->state == VSTORE_DISK_WHOLE)
		return !vstore_label_is_there(store->buffer);
	return vstore_label_is_right(store->base, seal->generation, store->buffer) &&
	       runs_are_zero(store);
}

/**
 * vstore_sealing_check() - before the tree is read: whether the disk is the one that was sealed
 * @store: it, locked, not open; its header is right
 * @report: gets the reason if it is not
 *
 * A disk that is whole may have been used alone. So what PRAM has of it is dropped.
 *
 * Return: 0, -EINVAL or the disk's error.
 */
int vstore_sealing_check(struct vstore *store, struct vstore_report *report)
{
	struct vstore_sealing *sealing = &store->sealing;
	int err;

	if (vstore_seal_read(store->base, &sealing->seal))
		return vstore_refuse(report, "the store's seal is damaged", 0);
	if (sealing->seal.state == VSTORE_DISK_MOVING)
		return 0;
	err = runs_transfer(store, false);
	/* What is in PRAM can be had while a disk fails that was the right one a moment ago. */
	if (err && sealing->seal.state == VSTORE_DISK_SEALED && !sealing->checked) {
		report->why = "the disk cannot be read";
		return err;
	}
	if (!err && !disk_fits_seal(store)) {
		err = sealing->seal.state == VSTORE_DISK_WHOLE ?
		      conflict_settle_whole(store, report) : conflict_settle(store, report);
		if (err)
			return err;
	}
	sealing->checked |= !err;
	/* Whatever disk this is, there is nothing of it in PRAM. */
	if (sealing->seal.state == VSTORE_DISK_WHOLE && !store->read_only)
		vstore_header_clear(store->base, sealed_of(store));
	return 0;
}

static bool block_is_moved(struct vstore *store, u64 block, const void *on_disk)
{
	struct vstore_page *page = vstore_block_page(store, block);
	u32 generation = store->sealing.seal.generation;

	return page && vstore_seal_is_moved(store->base, generation, block, on_disk,
					    vstore_page_data(&store->map, page - store->pages));
}

/* Whether the disk lacks something else than what is sealed: then the seal is an older one. */
static bool others_are_dirty(const struct vstore *store)
{
	const struct vstore_page *page = store->pages, *end = page + store->map.nr_pages;

	for (; page < end; page++)
		if (page->use == VSTORE_DATA && vstore_page_is_dirty(page) &&
		    !vstore_sealing_touches(store, page->block, 1))
			return true;
	return false;
}

/*
 * Whether each sector of what is sealed is as the disk had it, or as it is sealed, and nothing else
 * is dirty.
 */
static bool runs_are_moved(struct vstore *store)
{
	const void *at = store->buffer;
	struct vstore_seal_run run;
	u64 block;

	if (others_are_dirty(store))
		return false;
	for_each_sealed_run(run, store)
		for (block = run.block; block < run.block + run.nr; block++) {
			if (!block_is_moved(store, block, at))
				return false;
			at += VSTORE_BLOCK_SIZE;
		}
	return true;
}

/* PRAM has lost some of what is sealed: all else can be had, if the disk stays sealed. */
static int runs_stay_sealed(struct vstore *store)
{
	int err = label_write(store);

	if (!err)
		seal_set(store, VSTORE_DISK_SEALED);
	return err;
}

/**
 * vstore_sealing_resume() - after the tree was read: make a disk whole that was about to be
 * @store: it, locked, not open
 * @report: gets the reason if that cannot be
 *
 * The power went while sealed blocks were on their way. Nothing else was dirty then.
 *
 * Return: 0; -EAGAIN: the tree is to be read again; -EINVAL or the disk's error.
 */
int vstore_sealing_resume(struct vstore *store, struct vstore_report *report)
{
	int err;

	if (store->sealing.seal.state != VSTORE_DISK_MOVING)
		return 0;
	if (store->read_only)
		return vstore_refuse(report, "the disk is being made whole: open it to be written",
				     0);
	report->why = "the disk cannot be read, or not be written";
	err = runs_transfer(store, false);
	if (!err && !runs_are_moved(store)) {
		err = conflict_settle(store, report);
		return err ?: store->sealing.seal.state == VSTORE_DISK_WHOLE ? -EAGAIN : 0;
	}
	if (!err && runs_copy(store))
		return runs_stay_sealed(store);
	err = err ?: runs_write(store);
	if (err)
		return store->sealing.checked ? 0 : err;
	seal_set(store, VSTORE_DISK_WHOLE);
	vstore_header_clear(store->base, sealed_of(store));
	return -EAGAIN;
}
