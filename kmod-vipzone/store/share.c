// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: PRAM that the store and memory share. A work of its own claims units
 * when the store has few pages left, and lends them when it has many, or when memory
 * is short. No request ever waits for it: a small write that finds no page goes to the
 * disk. So it may wait for I/O, also for this store's.
 */

#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "compat/shrinker.h"
#include "store/loan.h"
#include "store/store.h"

/* Free or clean pages: below, one more unit is claimed ... */
#define FEW		(STORE_UNIT + STORE_UNIT / 2)
/* ... and free ones: above, a unit is lent. */
#define MANY		(4 * STORE_UNIT)
/* After memory asked, or did not give, the store does not take for so long. */
#define REST		HZ
/* Between attempts to give the kernel a memory block that it did not take. */
#define RETRY		(10 * HZ)
#define OOM_PATIENCE	(5 * HZ)
/* Part of memory that is to be available, or the store does not take of it. */
#define SHORT		16
/* Units to try before it is said that memory does not give. */
#define ATTEMPTS	8

static LIST_HEAD(sharing);
static DEFINE_MUTEX(sharing_lock);

/* Units that all stores have lent, for who waits for some. */
static atomic_long_t lent = ATOMIC_LONG_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(lent_wait);

static u32 held(const struct store *store)
{
	return store->map.nr_pages - store->map.nr_away;
}

static u32 limit(const struct store *store, u32 pct)
{
	return max_t(u32, (u64)store->map.nr_pages * READ_ONCE(pct) / 100, 2 * STORE_UNIT);
}

static u32 most(const struct store *store)
{
	return limit(store, store->share.max_pct);
}

static u32 least(const struct store *store)
{
	return limit(store, min(store->share.min_pct, store->share.max_pct));
}

static bool may_give(const struct store *store)
{
	return held(store) >= least(store) + STORE_UNIT;
}

static bool resting(const struct store *store)
{
	return time_before(jiffies, store->share.wait_until);
}

/**
 * store_share_room() - how many pages the store can count on
 * @store: it, locked
 *
 * As long as memory gives, all that it may have.
 */
u32 store_share_room(const struct store *store)
{
	if (!store->share.loan)
		return store->map.nr_pages;
	return resting(store) ? held(store) : max(held(store), most(store));
}

/* It could not a moment ago, and nothing has changed. */
static bool gave_up(const struct store *store)
{
	return time_before(jiffies, store->share.give_after);
}

static bool should_give(const struct store *store)
{
	return may_give(store) && !gave_up(store) &&
	       (held(store) > most(store) || store->map.nr_free > MANY ||
		atomic_long_read(&store->share.asked) >= STORE_UNIT);
}

enum step { NOTHING, GIVE, CLAIM };

static enum step next_step(const struct store *store)
{
	const struct store_map *map = &store->map;
	u32 has = held(store), spare = map->nr_free + store_nr_clean(store);

	if (should_give(store))
		return GIVE;
	if (resting(store))
		return NOTHING;
	if (has < least(store) || (spare < FEW && has + STORE_UNIT <= most(store)))
		return CLAIM;
	return NOTHING;
}

/**
 * store_share_poke() - see whether there is something to claim or to lend
 * @store: it, locked
 */
void store_share_poke(struct store *store)
{
	if (store->share.on && store->share.begun && next_step(store) != NOTHING)
		queue_delayed_work(store->share.queue, &store->share.work, 0);
}

/* Lets others have the lock for a moment; false if the store is to stop sharing. */
static bool breathe(struct store *store)
{
	store_mend(store);
	mutex_unlock(&store->lock);
	cond_resched();
	mutex_lock(&store->lock);
	return READ_ONCE(store->share.on);
}

/* The unit with the fewest pages in use that can be emptied, or 0. The first has the root. */
static u32 lightest(const struct store *store)
{
	u32 unit, best = 0, nr = store->map.nr_pages >> STORE_UNIT_SHIFT;

	for (unit = 1; unit < nr; unit++) {
		if (!store_loan_online(store->share.loan, unit) ||
		    store_loan_lent(store->share.loan, unit) ||
		    store_map_spoilt(&store->map, unit))
			continue;
		if (!best || store->share.used[unit] < store->share.used[best])
			best = unit;
	}
	return best;
}

/* Has a batch written to the disk, whose blocks then are clean. */
static int squeeze(struct store *store)
{
	u64 errors = store->counts.errors, moved = store->counts.moved, rounds = store->rounds;

	store->squeezed = true;
	mutex_unlock(&store->lock);
	mod_delayed_work(store->queue, &store->work, 0);
	/* Not for the end of the work: while somebody writes, it may go on and on. */
	wait_event(store->batch_done,
		   READ_ONCE(store->counts.moved) != moved ||
		   READ_ONCE(store->rounds) != rounds || !READ_ONCE(store->share.on));
	mutex_lock(&store->lock);
	if (!READ_ONCE(store->share.on))
		return -EAGAIN;
	return store->counts.errors == errors || store->counts.moved != moved ? 0 : -EIO;
}

/* @nr free pages: clean blocks give way, and dirty ones once the disk has them. */
static int make_room(struct store *store, u32 nr)
{
	int err;

	while (store->map.nr_free < nr) {
		if (store_evict(store)) {
			if (!breathe(store))
				return -EAGAIN;
			continue;
		}
		if (!store->nr_dirty)
			return -ENOSPC;
		err = squeeze(store);
		if (err)
			return err;
	}
	return 0;
}

/**
 * store_share_keep() - requests need the pages of the unit that is being emptied
 * @store: it, locked
 *
 * What is overwritten there does not come back as a free page.
 */
void store_share_keep(struct store *store)
{
	u32 unit = store->map.leaving;

	if (unit && !store_loan_lent(store->share.loan, unit))
		store_map_restore(&store->map, unit);
}

/* Moves all that is in a unit elsewhere within PRAM, unless the store keeps it. */
static int vacate(struct store *store, u32 unit)
{
	u32 page = unit << STORE_UNIT_SHIFT, end = page + STORE_UNIT;
	int err;

	for (; page < end; page++) {
		const struct store_page *p = &store->pages[page];

		if (!(page % STORE_CHUNK) && !breathe(store))
			return -EAGAIN;
		if (store->map.leaving != unit)
			return -EAGAIN;
		if (p->use != STORE_NODE && p->use != STORE_DATA)
			continue;
		err = make_room(store, STORE_RESERVE + 1);
		if (err)
			return err;
		if (store->map.leaving != unit)
			return -EAGAIN;
		/* It may have made room here, too, or this was found bad, and is used no more. */
		if (p->use != STORE_NODE && p->use != STORE_DATA)
			continue;
		err = store_map_move(&store->map, page);
		if (err == -EIO)
			store_spoil(store, &store->pages[page]);
		if (err)
			return err;
		store->share.moved++;
	}
	return 0;
}

/* Locked, but not all the time. */
static int give(struct store *store)
{
	int err = make_room(store, STORE_UNIT + STORE_RESERVE);
	u32 unit = lightest(store);

	if (err || !unit)
		return err ?: -ENOSPC;
	store_map_withdraw(&store->map, unit);
	err = vacate(store, unit);
	/* It may have been found bad meanwhile. */
	if (!err && store_map_spoilt(&store->map, unit))
		err = -EIO;
	/* That nothing leads there is durable: it is memory's from here on. */
	if (!err)
		err = store_loan_lend(store->share.loan, unit);
	if (err) {
		store_map_restore(&store->map, unit);
		return err;
	}
	store->share.lends++;
	atomic_long_inc(&lent);
	wake_up_all(&lent_wait);
	return 0;
}

static u32 next_lent(struct store *store)
{
	u32 nr = store->map.nr_pages >> STORE_UNIT_SHIFT, i, unit;

	for (i = 0; i < nr; i++) {
		unit = (store->share.cursor + i) % nr;
		if (store_loan_lent(store->share.loan, unit)) {
			store->share.cursor = unit + 1;
			return unit;
		}
	}
	return 0;
}

static int claim_one(struct store *store)
{
	int attempt, err = -ENOSPC;
	u32 unit;

	for (attempt = 0; attempt < ATTEMPTS && err; attempt++) {
		unit = next_lent(store);
		if (!unit)
			return -ENOSPC;
		mutex_unlock(&store->lock);
		err = store_loan_claim(store->share.loan, unit);
		mutex_lock(&store->lock);
		if (err)
			store->share.claims_failed++;
		else
			store_map_restore(&store->map, unit);
		if (!READ_ONCE(store->share.on))
			break;
	}
	return err;
}

/*
 * What is in a unit that is claimed moves into other memory, also such as the kernel
 * itself needs, which what is lent again later cannot make up for: it is movable.
 */
static bool memory_is_short(void)
{
	return si_mem_available() < (long)(totalram_pages() / SHORT);
}

static void claim(struct store *store)
{
	bool due = held(store) < least(store);

	if ((due || !memory_is_short()) && !claim_one(store)) {
		store->share.claims++;
		return;
	}
	store->share.wait_until = jiffies + REST;
	/* What it counted on is not there: it may be time to write back. */
	if (store_writeback_wanted(store))
		mod_delayed_work(store->queue, &store->work, 0);
}

static void give_and_note(struct store *store)
{
	bool asked = atomic_long_read(&store->share.asked) >= STORE_UNIT;

	if (asked)
		store->share.wait_until = jiffies + REST;
	if (give(store)) {
		atomic_long_set(&store->share.asked, 0);
		store->share.give_after = jiffies + REST;
	} else if (asked) {
		atomic_long_sub(STORE_UNIT, &store->share.asked);
	}
}

/* What the store does not use is lent, but for what it keeps to begin with. */
static void begin(struct store *store)
{
	struct store_map *map = &store->map;
	u32 unit, nr = map->nr_pages >> STORE_UNIT_SHIFT;

	for (unit = nr - 1; unit && may_give(store); unit--) {
		/* What is online already, since a table before, is lent one by one. */
		if (store->share.used[unit] || store_loan_online(store->share.loan, unit) ||
		    map->nr_free < 2 * STORE_UNIT + STORE_RESERVE ||
		    store_loan_lent(store->share.loan, unit))
			continue;
		if (!store_loan_lendable(store->share.loan, unit))
			continue;
		store_map_withdraw(map, unit);
		store_loan_offer(store->share.loan, unit);
	}
	mutex_unlock(&store->lock);
	store_loan_begin(store->share.loan);
	mutex_lock(&store->lock);
	for (unit = 1; unit < nr; unit++)
		if (!store_loan_lent(store->share.loan, unit))
			store_map_restore(map, unit);
	store->share.begun = true;
	store->share.retry_after = jiffies + RETRY;
	DMINFO("PRAM %s: %u of %u pages lent to memory", store->pram_name,
	       map->nr_away, map->nr_pages);
}

/* One that comes online is lent unit by unit. Not while memory waits for this work. */
static void retry(struct store *store)
{
	if (!READ_ONCE(store->share.on) || atomic_long_read(&store->share.asked) ||
	    time_before(jiffies, store->share.retry_after) ||
	    !store_loan_waits(store->share.loan))
		return;
	mutex_unlock(&store->lock);
	store_loan_retry(store->share.loan);
	mutex_lock(&store->lock);
	store->share.retry_after = jiffies + RETRY;
}

static void share_work(struct work_struct *work)
{
	struct store *store = container_of(to_delayed_work(work), struct store, share.work);
	enum step step;

	mutex_lock(&store->lock);
	if (READ_ONCE(store->share.on) && !store->share.begun)
		begin(store);
	retry(store);
	while (READ_ONCE(store->share.on)) {
		step = next_step(store);
		if (step == CLAIM)
			claim(store);
		else if (step == GIVE)
			give_and_note(store);
		else
			break;
		breathe(store);
	}
	if (!may_give(store))
		atomic_long_set(&store->share.asked, 0);
	/* Memory may be willing later, or the disk. */
	if (READ_ONCE(store->share.on) &&
	    (resting(store) || gave_up(store) || store_loan_waits(store->share.loan)))
		queue_delayed_work(store->share.queue, &store->share.work, REST);
	mutex_unlock(&store->lock);
}

/* What memory could get: all but what the store keeps, though it take writing to disk. */
static unsigned long could_give(const struct store *store)
{
	u32 has = held(store), keeps = least(store);

	return has > keeps ? has - keeps : 0;
}

static bool ask(unsigned long nr)
{
	struct store *store;
	bool asked = false;

	mutex_lock(&sharing_lock);
	list_for_each_entry(store, &sharing, share.list) {
		if (could_give(store) < STORE_UNIT)
			continue;
		asked = true;
		/* Of what it asked before, it gets no more than it will still want. */
		if (atomic_long_read(&store->share.asked) > MANY)
			continue;
		if (atomic_long_add_return(nr, &store->share.asked) >= STORE_UNIT)
			queue_delayed_work(store->share.queue, &store->share.work, 0);
	}
	mutex_unlock(&sharing_lock);
	return asked;
}

static unsigned long shrink_count(struct shrinker *shrinker, struct shrink_control *control)
{
	unsigned long nr = 0;
	struct store *store;

	mutex_lock(&sharing_lock);
	list_for_each_entry(store, &sharing, share.list)
		nr += could_give(store);
	mutex_unlock(&sharing_lock);
	return nr ?: SHRINK_EMPTY;
}

/* Nothing is free yet: it may take I/O, for which reclaim is no place. */
static unsigned long shrink_scan(struct shrinker *shrinker, struct shrink_control *control)
{
	return ask(control->nr_to_scan) ? 0 : SHRINK_STOP;
}

/* The last occasion: waits, but not for ever, for the disk may wait for this memory. */
static int out_of_memory_notify(struct notifier_block *block, unsigned long unused, void *freed)
{
	long before = atomic_long_read(&lent);

	if (ask(MANY))
		wait_event_timeout(lent_wait, atomic_long_read(&lent) != before, OOM_PATIENCE);
	*(unsigned long *)freed += (atomic_long_read(&lent) - before) * STORE_UNIT;
	return NOTIFY_OK;
}

static struct notifier_block oom_block = {
	.notifier_call = out_of_memory_notify,
};

/**
 * store_share_init() - have memory ask
 *
 * Return: 0 or an error.
 */
int store_share_init(void)
{
	int err = register_oom_notifier(&oom_block);

	if (err)
		return err;
	err = memsuite_shrinker_register(shrink_count, shrink_scan, 4 * DEFAULT_SEEKS);
	if (err)
		unregister_oom_notifier(&oom_block);
	return err;
}

void store_share_exit(void)
{
	memsuite_shrinker_unregister();
	unregister_oom_notifier(&oom_block);
}

/**
 * store_share_allocate() - what sharing takes, for a table
 * @store: it, with a loan
 *
 * Return: 0 or -ENOMEM.
 */
int store_share_allocate(struct store *store)
{
	INIT_DELAYED_WORK(&store->share.work, share_work);
	store->share.used = vzalloc(array_size(DIV_ROUND_UP(store->nr_pages, STORE_UNIT),
					       sizeof(*store->share.used)));
	/* It is what memory waits for when there is none left for a worker. */
	store->share.queue = alloc_workqueue("vstore-share", WQ_MEM_RECLAIM | WQ_UNBOUND, 1);
	return store->share.used && store->share.queue ? 0 : -ENOMEM;
}

/**
 * store_share_free() - the table goes; the last one of its loan takes all back
 * @store: it, not in use
 */
void store_share_free(struct store *store)
{
	if (store->share.queue)
		destroy_workqueue(store->share.queue);
	vfree(store->share.used);
	if (store->share.loan)
		store_loan_put(store->share.loan);
}

/**
 * store_share_open() - what is lent already, as by the table before, is away
 * @store: it, locked, its tree just read
 *
 * Return: 0, or -EINVAL if the tree leads there.
 */
int store_share_open(struct store *store)
{
	u32 unit, nr = store->map.nr_pages >> STORE_UNIT_SHIFT;

	store->share.begun = false;
	store->share.wait_until = jiffies;
	store->share.give_after = jiffies;
	if (!store->share.loan)
		return 0;
	store_map_units(&store->map, store->share.used);
	for (unit = 0; unit < nr; unit++) {
		if (!store_loan_lent(store->share.loan, unit))
			continue;
		if (store->share.used[unit])
			return -EINVAL;
		store_map_withdraw(&store->map, unit);
	}
	return 0;
}

/**
 * store_share_start() - begin to share, or go on
 * @store: it, open
 */
void store_share_start(struct store *store)
{
	if (!store->share.loan || store->share.on)
		return;
	WRITE_ONCE(store->share.on, true);
	mutex_lock(&sharing_lock);
	list_add(&store->share.list, &sharing);
	mutex_unlock(&sharing_lock);
	queue_delayed_work(store->share.queue, &store->share.work, 0);
}

/**
 * store_share_stop() - what is lent stays so; nothing is lent or claimed
 * @store: it; its requests are still done, for this may wait for some
 */
void store_share_stop(struct store *store)
{
	if (!store->share.loan || !store->share.on)
		return;
	WRITE_ONCE(store->share.on, false);
	wake_up_all(&store->batch_done);
	mutex_lock(&sharing_lock);
	list_del(&store->share.list);
	mutex_unlock(&sharing_lock);
	cancel_delayed_work_sync(&store->share.work);
}
