// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: small reads of the disk whose blocks enter PRAM, clean, or the volatile
 * cache. They are read into memory of the store's own: the reader may write to its
 * pages at any time.
 *
 * What was read may be old by the time it is there: so a read is not kept if a write
 * of the same blocks is with the disk when it begins, or comes before it has entered.
 * And a clean block of PRAM is one that the disk has durably: before any enters, the
 * disk's cache is flushed of what was written since the last time.
 */

#include <linux/blkdev.h>
#include <linux/dm-io.h>
#include <linux/slab.h>

#include "compat/dm.h"
#include "store/blocks.h"
#include "store/disk.h"
#include "store/map/seal.h"
#include "store/promote.h"
#include "store/read_cache.h"
#include "store/vstore.h"

/* Such reads at a time; more are answered by the disk alone. */
#define FETCHES_MAX	64

struct fetch {
	struct list_head list;
	struct list_head step;	/* wanted, or arrived */
	struct vstore *store;
	struct bio *bio;
	u64 block;
	u32 nr;
	bool stale;		/* written to since: it has what is gone */
	int error;
	void *data;
};

static struct vstore_transfer *bio_transfer(struct bio *bio)
{
	return dm_per_bio_data(bio, sizeof(struct vstore_transfer));
}

/* The disk is to be sealed, or made whole, and waits for requests that are under way. Locked. */
static void sealing_wake(struct vstore *store)
{
	if (READ_ONCE(store->sealing.moving))
		wake_up_all(&store->batch_done);
}

static void transfer_ended(struct bio *bio)
{
	struct vstore_transfer *transfer = bio_transfer(bio);
	struct vstore *store = transfer->store;
	unsigned long flags;

	bio->bi_end_io = transfer->end_io;
	spin_lock_irqsave(&store->promote.lock, flags);
	/* Before a read may begin that sees it. */
	if (transfer->writes)
		store->promote.unflushed = true;
	list_del(&transfer->list);
	sealing_wake(store);
	spin_unlock_irqrestore(&store->promote.lock, flags);
	bio_endio(bio);
}

/**
 * vstore_promote_track() - know of a request for as long as it is with the disk
 * @store: it, locked
 * @bio: the request, as it goes there
 * @block: the first one
 * @nr: how many
 */
void vstore_promote_track(struct vstore *store, struct bio *bio, u64 block, u32 nr)
{
	struct vstore_transfer *transfer = bio_transfer(bio);
	unsigned long flags;

	*transfer = (struct vstore_transfer){
		.store = store,
		.block = block,
		.nr = nr,
		.writes = bio_op(bio) != REQ_OP_READ,
		.end_io = bio->bi_end_io,
	};
	bio->bi_end_io = transfer_ended;
	spin_lock_irqsave(&store->promote.lock, flags);
	list_add(&transfer->list, &store->promote.transfers);
	spin_unlock_irqrestore(&store->promote.lock, flags);
}

/**
 * vstore_promote_outdate() - blocks are written, to PRAM or the disk: reads of them are old
 * @store: it, locked
 * @block: the first one
 * @nr: how many
 */
void vstore_promote_outdate(struct vstore *store, u64 block, u32 nr)
{
	struct fetch *fetch;
	unsigned long flags;

	spin_lock_irqsave(&store->promote.lock, flags);
	list_for_each_entry(fetch, &store->promote.fetches, list)
		if (fetch->block < block + nr && block < fetch->block + fetch->nr)
			fetch->stale = true;
	spin_unlock_irqrestore(&store->promote.lock, flags);
}

static bool blocks_with_disk(const struct vstore_promote *promote, u64 block, u32 nr, bool writes)
{
	const struct vstore_transfer *transfer;

	list_for_each_entry(transfer, &promote->transfers, list)
		if (transfer->block < block + nr && block < transfer->block + transfer->nr &&
		    (transfer->writes || !writes))
			return true;
	return false;
}

/**
 * vstore_promote_is_idle() - whether the disk has no request of these blocks any more
 * @store: it; the blocks are sealed ones, or are about to be
 * @block: the first one
 * @nr: how many
 *
 * Return: true if it has none.
 */
bool vstore_promote_is_idle(struct vstore *store, u64 block, u32 nr)
{
	const struct fetch *fetch;
	unsigned long flags;
	bool idle;

	spin_lock_irqsave(&store->promote.lock, flags);
	idle = !blocks_with_disk(&store->promote, block, nr, false);
	list_for_each_entry(fetch, &store->promote.fetches, list)
		if (fetch->block < block + nr && block < fetch->block + fetch->nr)
			idle = false;
	spin_unlock_irqrestore(&store->promote.lock, flags);
	return idle;
}

/**
 * vstore_promote_wanted() - whether what is read, and small, enters PRAM
 * @store: it
 *
 * Return: true if it does.
 */
bool vstore_promote_wanted(const struct vstore *store)
{
	return READ_ONCE(store->promotes) && !vstore_is_read_only(store);
}

/* Requests do not wait for memory: if there is none, the read is not kept. */
static struct fetch *fetch_new(u32 nr)
{
	const gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN | __GFP_NOMEMALLOC;
	struct fetch *fetch = kzalloc(sizeof(*fetch), gfp);

	if (!fetch)
		return NULL;
	fetch->data = kmalloc((size_t)nr << VSTORE_BLOCK_SHIFT, gfp);
	if (fetch->data)
		return fetch;
	kfree(fetch);
	return NULL;
}

static void fetch_free(struct fetch *fetch)
{
	kfree(fetch->data);
	kfree(fetch);
}

/**
 * vstore_promote_read() - take a read whose blocks are to be kept
 * @store: it, locked
 * @bio: the request
 * @block: the first one
 * @nr: how many; PRAM has none of them
 *
 * Return: false if they cannot be, else it is done here.
 */
bool vstore_promote_read(struct vstore *store, struct bio *bio, u64 block, u32 nr)
{
	struct vstore_promote *promote = &store->promote;
	struct fetch *fetch = fetch_new(nr);
	unsigned long flags;
	bool good;

	if (!fetch)
		return false;
	fetch->store = store;
	fetch->bio = bio;
	fetch->block = block;
	fetch->nr = nr;
	spin_lock_irqsave(&promote->lock, flags);
	good = promote->nr_fetches < FETCHES_MAX && !blocks_with_disk(promote, block, nr, true);
	if (good) {
		promote->nr_fetches++;
		list_add(&fetch->list, &promote->fetches);
		list_add_tail(&fetch->step, &promote->wanted);
		queue_work(promote->queue, &promote->work);
	}
	spin_unlock_irqrestore(&promote->lock, flags);
	if (!good)
		fetch_free(fetch);
	return good;
}

/* The disk has answered. Context: any. */
static void fetch_arrive(struct fetch *fetch, int error)
{
	struct vstore *store = fetch->store;
	unsigned long flags;

	fetch->error = error;
	spin_lock_irqsave(&store->promote.lock, flags);
	list_add_tail(&fetch->step, &store->promote.arrived);
	/* Within the lock: until it is released, the request cannot end, nor the store go. */
	queue_work(store->promote.queue, &store->promote.work);
	spin_unlock_irqrestore(&store->promote.lock, flags);
}

MEMSUITE_DM_IO_NOTIFY(fetch_read)
{
	fetch_arrive(context, error ? -EIO : 0);
}

static void fetch_submit(struct fetch *fetch)
{
	struct dm_io_request request = {
		MEMSUITE_DM_IO_OP(REQ_OP_READ, 0),
		.mem.type = DM_IO_KMEM,
		.mem.ptr.addr = fetch->data,
		.notify.fn = fetch_read,
		.notify.context = fetch,
	};
	int error = vstore_disk_io(fetch->store, fetch->block, fetch->nr, &request);

	if (error)
		fetch_arrive(fetch, error);
}

/*
 * Returns whether there was something to answer with. If not, the disk is asked again: what
 * dm_io() tells of an error is only that there was one, and its reader may care which.
 */
static bool fetch_answer(struct fetch *fetch)
{
	struct bio *bio = fetch->bio;
	struct bvec_iter iter = bio->bi_iter;
	bool good = !fetch->error &&
		    !vstore_bio_copy(bio, &iter, fetch->data, fetch->nr << VSTORE_BLOCK_SHIFT);

	if (good) {
		bio_endio(bio);
	} else {
		if (vstore_seal_touches(fetch->store->map.nr_blocks, fetch->block, fetch->nr))
			vstore_promote_track(fetch->store, bio, fetch->block, fetch->nr);
		vstore_disk_remap(fetch->store, bio);
		submit_bio_noacct(bio);
	}
	return good;
}

/* Whether the disk has durably what it answered with; flushes its cache if need be. */
static bool disk_is_durable(struct vstore *store)
{
	if (!xchg(&store->promote.unflushed, false))
		return true;
	if (!vstore_disk_flush(store))
		return true;
	WRITE_ONCE(store->promote.unflushed, true);
	return false;
}

/* The reader is answered first: it need not wait for a flush. */
static void fetch_enter(struct fetch *fetch)
{
	struct vstore *store = fetch->store;
	struct vstore_promote *promote = &store->promote;
	bool good = fetch_answer(fetch) && !READ_ONCE(fetch->stale);
	bool promotes = vstore_promote_wanted(store);

	if (promotes)
		good = good && disk_is_durable(store);
	mutex_lock(&store->lock);
	good = good && !fetch->stale && store->open;
	if (good && promotes)
		vstore_blocks_insert(store, fetch->data, fetch->block, fetch->nr);
	else if (good)
		vstore_read_cache_insert(store, fetch->data, fetch->block, fetch->nr);
	spin_lock_irq(&promote->lock);
	list_del(&fetch->list);
	promote->nr_fetches--;
	sealing_wake(store);
	spin_unlock_irq(&promote->lock);
	vstore_blocks_repair(store);
	mutex_unlock(&store->lock);
	fetch_free(fetch);
}

static struct fetch *fetch_next(struct vstore_promote *promote, struct list_head *list)
{
	struct fetch *fetch;

	spin_lock_irq(&promote->lock);
	fetch = list_first_entry_or_null(list, struct fetch, step);
	if (fetch)
		list_del(&fetch->step);
	spin_unlock_irq(&promote->lock);
	return fetch;
}

static void promote_work(struct work_struct *work)
{
	struct vstore_promote *promote = container_of(work, struct vstore_promote, work);
	struct fetch *fetch;

	for (;;) {
		while ((fetch = fetch_next(promote, &promote->wanted)))
			fetch_submit(fetch);
		fetch = fetch_next(promote, &promote->arrived);
		if (!fetch)
			return;
		fetch_enter(fetch);
	}
}

/**
 * vstore_promote_init() - for a new store
 * @store: it
 */
void vstore_promote_init(struct vstore *store)
{
	spin_lock_init(&store->promote.lock);
	INIT_LIST_HEAD(&store->promote.transfers);
	INIT_LIST_HEAD(&store->promote.fetches);
	INIT_LIST_HEAD(&store->promote.wanted);
	INIT_LIST_HEAD(&store->promote.arrived);
	INIT_WORK(&store->promote.work, promote_work);
	store->promote.unflushed = true;
}

/**
 * vstore_promote_alloc() - what a request may need later
 * @store: it, new
 *
 * Where there is no memory for another worker, a workqueue does one work at a time. So this is not
 * write-back's: its work waits for reads, when the disk is to be sealed.
 *
 * Return: 0 or -ENOMEM.
 */
int vstore_promote_alloc(struct vstore *store)
{
	store->promote.queue = alloc_workqueue("vstore-read", WQ_MEM_RECLAIM | WQ_UNBOUND, 1);
	return store->promote.queue ? 0 : -ENOMEM;
}

/**
 * vstore_promote_free() - undo vstore_promote_alloc(), if it was called
 * @store: it
 */
void vstore_promote_free(struct vstore *store)
{
	if (store->promote.queue)
		destroy_workqueue(store->promote.queue);
}

/**
 * vstore_promote_drain() - nothing enters any more
 * @store: it, not open; it has no requests
 *
 * Others may write to the disk from now on. Context: may sleep.
 */
void vstore_promote_drain(struct vstore *store)
{
	flush_work(&store->promote.work);
	store->promote.unflushed = true;
}
