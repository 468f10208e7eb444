// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: PRAM that the store and memory share (Park et al., section 4.1: no PRAM is reserved
 * for storage). A work of its own claims units when the store has few pages left, and lends units
 * when it has many, or when memory is short. No request ever waits for this work: a small write
 * that finds no page goes to the disk. So the work may wait for I/O, also for this store's.
 */

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "store/blocks.h"
#include "store/loan/loan.h"
#include "store/loan/loan_block.h"
#include "store/map/pages.h"
#include "store/map/relocate.h"
#include "store/quota.h"
#include "store/share.h"
#include "store/share_shrinker.h"
#include "store/vstore.h"
#include "store/writeback.h"

/* Free or clean pages: below, one more unit is claimed. */
#define PAGES_FEW	(VSTORE_UNIT + VSTORE_UNIT / 2)
/* After memory asked, or did not give, the store takes nothing for this long. */
#define REST_TIME	HZ
/* Between attempts to give the kernel a memory block that it did not take. */
#define RETRY_TIME	(10 * HZ)
/* The store takes memory only if a SHORT_PARTth of it is available. */
#define SHORT_PART	16
/* Units that are tried before the store rests. */
#define CLAIM_ATTEMPTS	8

/* The store could not lend a moment ago, and nothing has changed. */
static bool lending_gave_up(const struct vstore *store)
{
	return time_before(jiffies, store->share.give_after);
}

static bool should_lend(const struct vstore *store)
{
	return vstore_quota_may_lend(store) && !lending_gave_up(store) &&
	       (vstore_quota_held(store) > vstore_quota_most(store) ||
		store->map.nr_free > VSTORE_PAGES_MANY ||
		atomic_long_read(&store->share.asked) >= VSTORE_UNIT);
}

enum step { STEP_NONE, STEP_LEND, STEP_CLAIM };

static enum step next_step(const struct vstore *store)
{
	const struct vstore_map *map = &store->map;
	u32 has = vstore_quota_held(store), spare = map->nr_free + vstore_blocks_nr_clean(store);

	if (should_lend(store))
		return STEP_LEND;
	if (vstore_quota_is_resting(store))
		return STEP_NONE;
	if (has < vstore_quota_least(store) ||
	    (spare < PAGES_FEW && has + VSTORE_UNIT <= vstore_quota_most(store)))
		return STEP_CLAIM;
	return STEP_NONE;
}

/**
 * vstore_share_kick() - see whether there is something to claim or to lend
 * @store: it, locked
 */
void vstore_share_kick(struct vstore *store)
{
	if (store->share.on && store->share.begun && next_step(store) != STEP_NONE)
		queue_delayed_work(store->share.queue, &store->share.work, 0);
}

/* Lets others have the lock for a moment. Returns false if the store is to stop sharing. */
static bool lock_break(struct vstore *store)
{
	vstore_blocks_repair(store);
	mutex_unlock(&store->lock);
	cond_resched();
	mutex_lock(&store->lock);
	return READ_ONCE(store->share.on);
}

/* The unit with the fewest pages in use that can be emptied, or 0. */
static u32 unit_emptiest(const struct vstore *store)
{
	u32 unit, best = 0, nr = store->map.nr_pages >> VSTORE_UNIT_SHIFT;

	for (unit = vstore_unit_first(&store->map); unit < nr; unit++) {
		if (!vstore_loan_online(store->share.loan, unit) ||
		    vstore_loan_lent(store->share.loan, unit) ||
		    vstore_unit_has_bad(&store->map, unit))
			continue;
		if (!best || store->share.used[unit] < store->share.used[best])
			best = unit;
	}
	return best;
}

/* Has write-back move a batch, whose blocks are clean then. */
static int writeback_force(struct vstore *store)
{
	u64 errors = store->counts.errors, moved = store->counts.moved, rounds = store->rounds;

	store->forced = true;
	mutex_unlock(&store->lock);
	mod_delayed_work(store->queue, &store->work, 0);
	/* Does not wait for the end of write-back: while somebody writes, it may go on and on. */
	wait_event(store->batch_done,
		   READ_ONCE(store->counts.moved) != moved ||
		   READ_ONCE(store->rounds) != rounds || !READ_ONCE(store->share.on));
	mutex_lock(&store->lock);
	if (!READ_ONCE(store->share.on))
		return -EAGAIN;
	return store->counts.errors == errors || store->counts.moved != moved ? 0 : -EIO;
}

/* Makes @nr pages free: clean blocks give way, and dirty ones once the disk has them. */
static int pages_make_free(struct vstore *store, u32 nr)
{
	int err;

	while (!vstore_is_read_only(store)) {
		if (store->map.nr_free >= nr)
			return 0;
		if (vstore_blocks_evict(store)) {
			if (!lock_break(store))
				return -EAGAIN;
			continue;
		}
		if (!store->nr_dirty)
			return -ENOSPC;
		err = writeback_force(store);
		if (err)
			return err;
	}
	return -EROFS;
}

/* Moves all that is in a unit elsewhere within PRAM, unless requests need the unit's pages. */
static int unit_vacate(struct vstore *store, u32 unit)
{
	u32 page = unit << VSTORE_UNIT_SHIFT, end = page + VSTORE_UNIT;
	int err;

	for (; page < end; page++) {
		const struct vstore_page *p = &store->pages[page];

		if (!(page % VSTORE_CHUNK) && !lock_break(store))
			return -EAGAIN;
		if (store->map.leaving != unit)
			return -EAGAIN;
		if (p->use != VSTORE_NODE && p->use != VSTORE_DATA)
			continue;
		err = pages_make_free(store, VSTORE_RESERVE + 1);
		if (err)
			return err;
		if (store->map.leaving != unit)
			return -EAGAIN;
		/* That may have freed this page, too; or it was found bad, and is used no more. */
		if (p->use != VSTORE_NODE && p->use != VSTORE_DATA)
			continue;
		err = vstore_page_relocate(&store->map, page);
		if (err == -EIO)
			vstore_block_mark_bad(store, &store->pages[page], "cannot be read");
		if (err)
			return err;
		store->share.moved++;
	}
	return 0;
}

/* Lends the unit that is emptied most easily. The lock is released at times. */
static int unit_lend(struct vstore *store)
{
	int err = pages_make_free(store, VSTORE_UNIT + VSTORE_RESERVE);
	u32 unit = unit_emptiest(store);

	if (err || !unit)
		return err ?: -ENOSPC;
	vstore_unit_withdraw(&store->map, unit);
	err = unit_vacate(store, unit);
	/* One of its pages may have been found bad meanwhile. */
	if (!err && vstore_unit_has_bad(&store->map, unit))
		err = -EIO;
	/* That nothing leads to the unit is durable: it is memory's from here on. */
	if (!err)
		err = vstore_loan_lend(store->share.loan, unit);
	if (err) {
		vstore_unit_restore(&store->map, unit);
		return err;
	}
	store->share.lends++;
	vstore_share_shrinker_note_lent();
	return 0;
}

/* The next unit to claim, in turn, or 0. */
static u32 unit_next_lent(struct vstore *store)
{
	u32 nr = store->map.nr_pages >> VSTORE_UNIT_SHIFT, i, unit;

	for (i = 0; i < nr; i++) {
		unit = (store->share.cursor + i) % nr;
		if (vstore_loan_lent(store->share.loan, unit)) {
			store->share.cursor = unit + 1;
			return unit;
		}
	}
	return 0;
}

/* Claims one unit, of a few that are tried. The lock is released meanwhile. */
static int unit_claim(struct vstore *store)
{
	int attempt, err = -ENOSPC;
	u32 unit;

	for (attempt = 0; attempt < CLAIM_ATTEMPTS && err; attempt++) {
		unit = unit_next_lent(store);
		if (!unit)
			return -ENOSPC;
		mutex_unlock(&store->lock);
		err = vstore_loan_claim(store->share.loan, unit);
		mutex_lock(&store->lock);
		if (err)
			store->share.claims_failed++;
		else
			vstore_unit_restore(&store->map, unit);
		if (!READ_ONCE(store->share.on))
			break;
	}
	return err;
}

/*
 * What is in a unit that is claimed moves to other memory, also to such as the kernel itself needs.
 * Units that are lent later cannot replace that: they are movable memory.
 */
static bool memory_is_short(void)
{
	return si_mem_available() < (long)(totalram_pages() / SHORT_PART);
}

static void share_claim(struct vstore *store)
{
	bool due = vstore_quota_held(store) < vstore_quota_least(store);

	if ((due || !memory_is_short()) && !unit_claim(store)) {
		store->share.claims++;
		return;
	}
	store->share.wait_until = jiffies + REST_TIME;
	/* The store has less than it counted on: it may be time to write back. */
	if (vstore_writeback_wanted(store))
		mod_delayed_work(store->queue, &store->work, 0);
}

static void share_lend(struct vstore *store)
{
	bool asked = atomic_long_read(&store->share.asked) >= VSTORE_UNIT;

	if (asked)
		store->share.wait_until = jiffies + REST_TIME;
	if (unit_lend(store)) {
		atomic_long_set(&store->share.asked, 0);
		store->share.give_after = jiffies + REST_TIME;
	} else if (asked) {
		atomic_long_sub(VSTORE_UNIT, &store->share.asked);
	}
}

/* Lends all units that the store does not use, but for what it keeps to begin with. */
static void share_begin(struct vstore *store)
{
	struct vstore_map *map = &store->map;
	u32 unit, first = vstore_unit_first(map), nr = map->nr_pages >> VSTORE_UNIT_SHIFT;

	for (unit = nr; unit-- > first && vstore_quota_may_lend(store);) {
		/* What is online already, since a table before, is lent one by one. */
		if (store->share.used[unit] || vstore_loan_online(store->share.loan, unit) ||
		    map->nr_free < 2 * VSTORE_UNIT + VSTORE_RESERVE ||
		    vstore_loan_lent(store->share.loan, unit))
			continue;
		if (!vstore_loan_lendable(store->share.loan, unit))
			continue;
		vstore_unit_withdraw(map, unit);
		vstore_loan_offer(store->share.loan, unit);
	}
	mutex_unlock(&store->lock);
	vstore_loan_blocks_begin(store->share.loan);
	mutex_lock(&store->lock);
	for (unit = first; unit < nr; unit++)
		if (!vstore_loan_lent(store->share.loan, unit))
			vstore_unit_restore(map, unit);
	store->share.begun = true;
	store->share.retry_after = jiffies + RETRY_TIME;
	DMINFO("PRAM %s: %u of %u pages lent to memory", store->pram_name,
	       map->nr_away, map->nr_pages);
}

/* Asks again for blocks that the kernel did not take; not while memory waits for this work. */
static void share_retry(struct vstore *store)
{
	if (!READ_ONCE(store->share.on) || atomic_long_read(&store->share.asked) ||
	    time_before(jiffies, store->share.retry_after) ||
	    !vstore_loan_blocks_missing(store->share.loan))
		return;
	mutex_unlock(&store->lock);
	vstore_loan_blocks_retry(store->share.loan);
	mutex_lock(&store->lock);
	store->share.retry_after = jiffies + RETRY_TIME;
}

static void share_work(struct work_struct *work)
{
	struct vstore *store = container_of(to_delayed_work(work), struct vstore, share.work);
	enum step step;

	mutex_lock(&store->lock);
	if (READ_ONCE(store->share.on) && !store->share.begun)
		share_begin(store);
	share_retry(store);
	while (READ_ONCE(store->share.on)) {
		step = next_step(store);
		if (step == STEP_CLAIM)
			share_claim(store);
		else if (step == STEP_LEND)
			share_lend(store);
		else
			break;
		lock_break(store);
	}
	if (!vstore_quota_may_lend(store))
		atomic_long_set(&store->share.asked, 0);
	/* Memory may be willing later, or the disk. */
	if (READ_ONCE(store->share.on) &&
	    (vstore_quota_is_resting(store) || lending_gave_up(store) ||
	     vstore_loan_blocks_missing(store->share.loan)))
		queue_delayed_work(store->share.queue, &store->share.work, REST_TIME);
	mutex_unlock(&store->lock);
}

/**
 * vstore_share_alloc() - allocate what sharing takes, for a table
 * @store: it, with a loan
 *
 * Return: 0 or -ENOMEM.
 */
int vstore_share_alloc(struct vstore *store)
{
	INIT_DELAYED_WORK(&store->share.work, share_work);
	store->share.used = vzalloc(array_size(DIV_ROUND_UP(store->nr_pages, VSTORE_UNIT),
					       sizeof(*store->share.used)));
	/* It is what memory waits for when there is none left for a worker. */
	store->share.queue = alloc_workqueue("vstore-share", WQ_MEM_RECLAIM | WQ_UNBOUND, 1);
	return store->share.used && store->share.queue ? 0 : -ENOMEM;
}

/**
 * vstore_share_free() - the table goes; the last table of a loan takes back all that is lent
 * @store: it, not in use
 */
void vstore_share_free(struct vstore *store)
{
	if (store->share.queue)
		destroy_workqueue(store->share.queue);
	vfree(store->share.used);
	if (store->share.loan)
		vstore_loan_put(store->share.loan);
}

/**
 * vstore_share_open() - withdraw the units that are lent already, by the table before
 * @store: it, locked, its tree just read
 *
 * Return: 0, or -EINVAL if the tree leads there.
 */
int vstore_share_open(struct vstore *store)
{
	u32 unit, nr = store->map.nr_pages >> VSTORE_UNIT_SHIFT;

	store->share.begun = false;
	store->share.wait_until = jiffies;
	store->share.give_after = jiffies;
	if (!store->share.loan)
		return 0;
	vstore_unit_count_used(&store->map, store->share.used);
	for (unit = 0; unit < nr; unit++) {
		if (!vstore_loan_lent(store->share.loan, unit))
			continue;
		if (store->share.used[unit])
			return -EINVAL;
		vstore_unit_withdraw(&store->map, unit);
	}
	return 0;
}

/**
 * vstore_share_start() - begin to share, or go on
 * @store: it, open
 */
void vstore_share_start(struct vstore *store)
{
	if (!store->share.loan || store->share.on)
		return;
	WRITE_ONCE(store->share.on, true);
	vstore_share_shrinker_add(store);
	queue_delayed_work(store->share.queue, &store->share.work, 0);
}

/**
 * vstore_share_stop() - what is lent stays so; nothing is lent or claimed
 * @store: it; its requests are still done, for this may wait for some
 */
void vstore_share_stop(struct vstore *store)
{
	if (!store->share.loan || !store->share.on)
		return;
	WRITE_ONCE(store->share.on, false);
	wake_up_all(&store->batch_done);
	vstore_share_shrinker_remove(store);
	cancel_delayed_work_sync(&store->share.work);
}
