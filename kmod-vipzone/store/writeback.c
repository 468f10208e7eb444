// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: dirty blocks move from PRAM to the disk, in the background. Growing files go first
 * (Park et al., section 4.2: merged requests move to the disk later). A batch is copied to a
 * buffer of ordinary memory: so its pages may be written and freed meanwhile, and the disk needs
 * no access to PRAM. Blocks in a row are one request. The disk's cache is flushed before PRAM may
 * forget any of them.
 */

#include <linux/completion.h>
#include <linux/dm-io.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "compat/dm.h"
#include "store/blocks.h"
#include "store/disk.h"
#include "store/map/commit.h"
#include "store/map/tree.h"
#include "store/quota.h"
#include "store/sealing.h"
#include "store/vstore.h"
#include "store/writeback.h"

/* Requests under way to the disk. */
struct batch {
	atomic_t left;
	struct completion done;
};

/* @pct of the pages that data may have: all but the root, the tree, and what that needs to grow. */
static u32 dirty_limit(const struct vstore *store, u32 pct)
{
	u32 usable = vstore_quota_usable(store);
	u32 taken = store->map.nr_nodes + store->map.nr_bad + store->nr_sealed + VSTORE_RESERVE + 2;

	return usable > taken ? (u64)(usable - taken) * pct / 100 : 0;
}

/* Whether somebody waits until nothing is dirty. */
static bool is_flushing(const struct vstore *store)
{
	return !list_empty(&store->flushes);
}

/**
 * vstore_writeback_wanted() - whether something is to be moved at once
 * @store: it, locked
 *
 * Return: true if somebody waits for it, or there is much of it.
 */
bool vstore_writeback_wanted(const struct vstore *store)
{
	return store->nr_dirty && !vstore_is_read_only(store) &&
	       (is_flushing(store) || store->nr_merged >= VSTORE_BATCH ||
				   store->nr_dirty > dirty_limit(store, store->high_pct));
}

/**
 * vstore_writeback_overlaps() - whether write-back has some of these blocks under way
 * @store: it; without its lock, the answer may be old
 * @block: the first block
 * @end: the one after the last
 *
 * Return: true if it has any.
 */
bool vstore_writeback_overlaps(const struct vstore *store, u64 block, u64 end)
{
	unsigned int i, nr = READ_ONCE(store->nr_runs);

	for (i = 0; i < nr; i++)
		if (store->runs[i].block < end && block < store->runs[i].block + store->runs[i].nr)
			return true;
	return false;
}

/* The page of a block that can be written to the disk now, or NULL. */
static struct vstore_page *dirty_page(struct vstore *store, u64 block)
{
	u32 number = block < store->map.nr_blocks ? vstore_tree_find(&store->map, block) : 0;
	struct vstore_page *page = &store->pages[number];

	if (!number || !vstore_page_is_dirty(page))
		return NULL;
	if (page->flags & VSTORE_BAD || page->mark & VSTORE_MOVING)
		return NULL;
	/* What the disk's label stands in the place of is moved with it. */
	return vstore_sealing_touches(store, block, 1) ? NULL : page;
}

/*
 * Copies the dirty blocks around @block to the buffer, from place @at to before @end. Returns
 * false if the run ended, or did not begin, at a block that cannot be read: that one has left its
 * list.
 */
static bool run_make(struct vstore *store, struct vstore_run *run, u64 block, u32 at, u32 end)
{
	struct vstore_page *page;
	u64 first = block;
	void *to;

	while (first && block - first < end - at - 1 && dirty_page(store, first - 1))
		first--;
	*run = (struct vstore_run){ .block = first, .at = at };
	while (at + run->nr < end) {
		page = dirty_page(store, first + run->nr);
		if (!page)
			break;
		to = store->buffer + (size_t)(at + run->nr) * VSTORE_BLOCK_SIZE;
		if (vstore_block_read(store, page, to))
			return false;
		page->mark |= VSTORE_MOVING;
		run->nr++;
	}
	return true;
}

/* Fills the buffer with growing files, or with the blocks that were not used for longest. */
static void batch_make(struct vstore *store, bool merged, bool narrow)
{
	struct list_head *list = merged ? &store->merged : &store->dirty;
	struct vstore_page *page;
	unsigned int nr = 0;
	bool more;
	u32 at = 0;

	list_for_each_entry(page, list, list) {
		struct vstore_run *run = &store->runs[nr];

		if (page->mark & VSTORE_MOVING)
			continue;
		more = run_make(store, run, page->block, at, narrow ? at + 1 : VSTORE_BATCH);
		at += run->nr;
		nr += run->nr > 0;
		/* The list has changed: the rest is for the next batch. */
		if (!more || nr == VSTORE_RUNS || at == VSTORE_BATCH)
			break;
	}
	WRITE_ONCE(store->nr_runs, nr);
}

static void run_done(struct batch *batch)
{
	if (atomic_dec_and_test(&batch->left))
		complete(&batch->done);
}

struct run_context {
	struct batch *batch;
	struct vstore_run *run;
};

MEMSUITE_DM_IO_NOTIFY(run_written)
{
	struct run_context *done = context;

	done->run->error = error ? -EIO : 0;
	run_done(done->batch);
}

static int batch_write(struct vstore *store)
{
	struct run_context contexts[VSTORE_RUNS];
	struct batch batch;
	unsigned int i;
	int error;

	init_completion(&batch.done);
	atomic_set(&batch.left, 1);
	for (i = 0; i < store->nr_runs; i++) {
		struct vstore_run *run = &store->runs[i];
		struct dm_io_request request = {
			MEMSUITE_DM_IO_OP(REQ_OP_WRITE, 0),
			.mem.type = DM_IO_VMA,
			.mem.ptr.vma = store->buffer + (size_t)run->at * VSTORE_BLOCK_SIZE,
			.notify.fn = run_written,
			.notify.context = &contexts[i],
		};

		contexts[i] = (struct run_context){ &batch, run };
		atomic_inc(&batch.left);
		/* It may be done, and have failed, before this returns. */
		error = vstore_disk_io(store, run->block, run->nr, &request);
		if (error) {
			run->error = error;
			run_done(&batch);
		}
	}
	run_done(&batch);
	wait_for_completion_io(&batch.done);
	return vstore_disk_flush(store);
}

/*
 * The disk has the run. A page without the mark was taken anew: its block was written again
 * meanwhile, and stays dirty. Blocks of a growing file, and those that cannot be read any more,
 * leave PRAM. The others are clean, and stay for reading until their pages are needed.
 */
static void run_settle(struct vstore *store, const struct vstore_run *run, int error)
{
	u64 block, blocks[VSTORE_CHUNK];
	unsigned int nr = 0;

	for (block = run->block; block < run->block + run->nr; block++) {
		u32 number = vstore_tree_find(&store->map, block);
		struct vstore_page *page = &store->pages[number];

		if (!number || !(page->mark & VSTORE_MOVING))
			continue;
		page->mark &= ~VSTORE_MOVING;
		if (error) {
			/* Others come first, which the disk may take. */
			vstore_block_enlist(store, page);
			continue;
		}
		store->counts.moved++;
		if (page->mark & VSTORE_MERGED || page->flags & VSTORE_BAD) {
			vstore_block_count(store, page, -1);
			blocks[nr++] = block;
			if (nr == ARRAY_SIZE(blocks)) {
				vstore_map_forget(&store->map, blocks, nr);
				nr = 0;
			}
		} else {
			vstore_block_mark_clean(store, block);
		}
	}
	if (nr)
		vstore_map_forget(&store->map, blocks, nr);
}

/* Moves a batch; returns 0, or the disk's error. */
static int batch_move(struct vstore *store, bool merged, bool narrow)
{
	unsigned int i;
	int error, first;

	mutex_lock(&store->lock);
	batch_make(store, merged, narrow);
	vstore_blocks_repair(store);
	mutex_unlock(&store->lock);

	first = batch_write(store);

	mutex_lock(&store->lock);
	for (i = 0; i < store->nr_runs; i++) {
		error = first ?: store->runs[i].error;
		if (error) {
			store->counts.errors++;
			DMERR_LIMIT("disk %s: cannot write %u blocks from %llu on",
				    store->disk->name, store->runs[i].nr,
				    store->runs[i].block);
		}
		run_settle(store, &store->runs[i], error);
	}
	for (i = 0; i < store->nr_runs && !first; i++)
		first = store->runs[i].error;
	WRITE_ONCE(store->nr_runs, 0);
	vstore_blocks_repair(store);
	mutex_unlock(&store->lock);
	wake_up_all(&store->batch_done);
	return first;
}

/* Somebody who waits until nothing is dirty. */
struct flush {
	struct list_head list;
	int result;
	bool ended;
};

/* All that was dirty when these callers came has been tried. */
static void flushes_end(struct vstore *store, int error)
{
	struct flush *flush, *next;

	list_for_each_entry_safe(flush, next, &store->flushes, list) {
		/* The disk does not have what cannot be read. */
		if (store->open)
			flush->result = error ?: store->map.nr_lost ? -EIO : 0;
		list_del_init(&flush->list);
		WRITE_ONCE(flush->ended, true);
	}
}

/* What the work does next. */
enum step { STEP_MOVE, STEP_SEAL, STEP_UNSEAL, STEP_END };

/* How far it has come. */
struct progress {
	int error;		/* of the disk, the first one */
	int vain;		/* batches in a row of which the disk took nothing */
	bool forced;
	bool merged;		/* the next batch is of growing files */
};

static enum step next_step(struct vstore *store, struct progress *p)
{
	bool all;

	if (!store->open)
		return STEP_END;
	if (vstore_is_read_only(store)) {
		if (store->sealing.seal.state != VSTORE_DISK_WHOLE)
			p->error = -EROFS;
		vstore_sealing_end_attempt(store);
		return STEP_END;
	}
	if (store->sealing.wanted)
		return STEP_SEAL;
	p->forced |= store->forced;
	store->forced = false;
	all = is_flushing(store) || p->forced ||
	      store->nr_dirty > dirty_limit(store, store->low_pct);
	p->merged = store->nr_merged && (!p->vain || !all || list_empty(&store->dirty));
	if (p->vain < 2 && store->nr_dirty && (store->nr_merged || all))
		return STEP_MOVE;
	if (is_flushing(store) && !p->error && vstore_sealing_may_open(store))
		return STEP_UNSEAL;
	return STEP_END;
}

static void step_end(struct vstore *store, const struct progress *p)
{
	flushes_end(store, p->error);
	/* The disk may recover; one that is read-only has its writes come back first. */
	if (p->error && p->error != -EROFS && store->open)
		queue_delayed_work(store->queue, &store->work, 5 * HZ);
	WRITE_ONCE(store->rounds, store->rounds + 1);
}

static void step_move(struct vstore *store, struct progress *p)
{
	u64 moved = store->counts.moved;
	int failed = batch_move(store, p->merged, p->error);

	p->error = failed ?: p->error;
	p->vain = failed && store->counts.moved == moved ? p->vain + 1 : 0;
	p->forced &= p->vain > 0;
}

/**
 * vstore_writeback_work() - move until there is little that is dirty
 * @work: of the store
 *
 * A disk that fails in one place may take writes in others. So after an error, blocks are written
 * one by one, until the disk takes none of growing files, and none of the others. When all has
 * been moved, and somebody waits for it, the disk is made whole.
 */
void vstore_writeback_work(struct work_struct *work)
{
	struct vstore *store = container_of(to_delayed_work(work), struct vstore, work);
	struct progress progress = {};
	enum step step;
	int err;

	do {
		mutex_lock(&store->lock);
		step = next_step(store, &progress);
		if (step == STEP_END)
			step_end(store, &progress);
		mutex_unlock(&store->lock);
		if (step == STEP_MOVE)
			step_move(store, &progress);
		if (step == STEP_SEAL)
			vstore_sealing_close(store);
		if (step == STEP_UNSEAL) {
			err = vstore_sealing_open(store);
			if (err && err != -EAGAIN)
				progress.error = err;
		}
		cond_resched();
	} while (step != STEP_END);
	wake_up_all(&store->batch_done);
}

/**
 * vstore_writeback_flush() - move all that is dirty to the disk, and wait for it
 * @store: it; sleeps, and as long as others write
 *
 * Return: 0, the disk's error, -EIO if PRAM cannot be read where the disk has not the
 * same, -EROFS if the disk lacks something and must not be written, or -EAGAIN if the device is
 * suspended.
 */
int vstore_writeback_flush(struct vstore *store)
{
	struct flush flush = { .result = -EAGAIN };

	mutex_lock(&store->lock);
	list_add_tail(&flush.list, &store->flushes);
	mutex_unlock(&store->lock);
	/* To wait for the work will not do: while somebody queues it again, it seems to be idle. */
	mod_delayed_work(store->queue, &store->work, 0);
	wait_event(store->batch_done, READ_ONCE(flush.ended));
	/* flushes_end() may still be at it, which has the lock. */
	mutex_lock(&store->lock);
	list_del_init(&flush.list);
	mutex_unlock(&store->lock);
	return flush.result;
}

/**
 * vstore_writeback_stop() - nothing moves any more, and nobody waits for it
 * @store: it, not open
 *
 * Context: may sleep.
 */
void vstore_writeback_stop(struct vstore *store)
{
	cancel_delayed_work_sync(&store->work);
	mutex_lock(&store->lock);
	flushes_end(store, 0);
	mutex_unlock(&store->lock);
	wake_up_all(&store->batch_done);
}
