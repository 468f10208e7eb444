// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: small reads of the disk whose blocks enter PRAM, clean. What was read
 * may be old by the time it is there: so a read is not for PRAM if a write of the
 * same blocks is with the disk when it begins, or comes before it has entered.
 */

#include <linux/blkdev.h>

#include "store.h"

static bool overlaps(const struct store_transfer *transfer, u64 block, u32 nr)
{
	return transfer->block < block + nr && block < transfer->block + transfer->nr;
}

static struct store_transfer *transfer_of(struct bio *bio)
{
	return dm_per_bio_data(bio, sizeof(struct store_transfer));
}

static void forget(struct store_transfer *transfer)
{
	unsigned long flags;

	spin_lock_irqsave(&transfer->store->promote.lock, flags);
	list_del(&transfer->list);
	spin_unlock_irqrestore(&transfer->store->promote.lock, flags);
}

static void write_ended(struct bio *bio)
{
	struct store_transfer *transfer = transfer_of(bio);

	bio->bi_end_io = transfer->end_io;
	forget(transfer);
	bio_endio(bio);
}

/* Any context: what it brought is for the work, which can wait for the store's lock. */
static void read_ended(struct bio *bio)
{
	struct store_transfer *transfer = transfer_of(bio);
	struct store *store = transfer->store;
	unsigned long flags;

	bio->bi_end_io = transfer->end_io;
	if (bio->bi_status || READ_ONCE(transfer->stale)) {
		forget(transfer);
		bio_endio(bio);
		return;
	}
	spin_lock_irqsave(&store->promote.lock, flags);
	list_add_tail(&transfer->arrived, &store->promote.arrived);
	spin_unlock_irqrestore(&store->promote.lock, flags);
	queue_work(store->queue, &store->promote.work);
}

static void begin(struct store *store, struct bio *bio, struct store_transfer what,
		  bio_end_io_t *ended)
{
	struct store_transfer *transfer = transfer_of(bio);
	unsigned long flags;

	*transfer = what;
	transfer->store = store;
	transfer->end_io = bio->bi_end_io;
	transfer->iter = bio->bi_iter;
	bio->bi_end_io = ended;
	spin_lock_irqsave(&store->promote.lock, flags);
	list_add(&transfer->list, &store->promote.transfers);
	spin_unlock_irqrestore(&store->promote.lock, flags);
}

/**
 * store_promote_stale() - blocks are written, wherever that be
 * @store: it, locked
 * @block: the first one
 * @nr: how many
 */
void store_promote_stale(struct store *store, u64 block, u32 nr)
{
	struct store_transfer *transfer;
	unsigned long flags;

	spin_lock_irqsave(&store->promote.lock, flags);
	list_for_each_entry(transfer, &store->promote.transfers, list)
		if (!transfer->write && overlaps(transfer, block, nr))
			WRITE_ONCE(transfer->stale, true);
	spin_unlock_irqrestore(&store->promote.lock, flags);
}

/**
 * store_promote_write() - a write, or a discard, goes to the disk
 * @store: it, locked
 * @bio: the request, as it goes there
 * @block: the first one
 * @nr: how many
 */
void store_promote_write(struct store *store, struct bio *bio, u64 block, u32 nr)
{
	struct store_transfer what = { .block = block, .nr = nr, .write = true };

	begin(store, bio, what, write_ended);
}

/**
 * store_promote_read() - a read goes to the disk, and its blocks to PRAM then
 * @store: it, locked
 * @bio: the request, as it goes there
 * @block: the first one
 * @nr: how many; PRAM has none of them
 */
void store_promote_read(struct store *store, struct bio *bio, u64 block, u32 nr)
{
	struct store_transfer *transfer, what = { .block = block, .nr = nr };
	bool written = false;
	unsigned long flags;

	spin_lock_irqsave(&store->promote.lock, flags);
	list_for_each_entry(transfer, &store->promote.transfers, list)
		if (transfer->write && overlaps(transfer, block, nr))
			written = true;
	spin_unlock_irqrestore(&store->promote.lock, flags);
	if (!written)
		begin(store, bio, what, read_ended);
}

static void promote_work(struct work_struct *work)
{
	struct store *store = container_of(work, struct store, promote.work);
	struct store_transfer *transfer;

	for (;;) {
		struct bio *bio;

		spin_lock_irq(&store->promote.lock);
		transfer = list_first_entry_or_null(&store->promote.arrived,
						    struct store_transfer, arrived);
		if (transfer)
			list_del(&transfer->arrived);
		spin_unlock_irq(&store->promote.lock);
		if (!transfer)
			return;
		bio = dm_bio_from_per_bio_data(transfer, sizeof(*transfer));
		mutex_lock(&store->lock);
		if (!transfer->stale)
			store_enter(store, bio, transfer->iter, transfer->block, transfer->nr);
		forget(transfer);
		mutex_unlock(&store->lock);
		bio_endio(bio);
	}
}

/**
 * store_promote_init() - for a new store
 * @store: it
 */
void store_promote_init(struct store *store)
{
	spin_lock_init(&store->promote.lock);
	INIT_LIST_HEAD(&store->promote.transfers);
	INIT_LIST_HEAD(&store->promote.arrived);
	INIT_WORK(&store->promote.work, promote_work);
}
