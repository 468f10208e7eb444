// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: memory that is short asks the stores that share PRAM with it: by a shrinker, and
 * when nothing else is left, by the OOM notifier. Neither takes a store's lock: the work of
 * share.c does what they ask for.
 */

#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/sched.h>

#include "compat/shrinker.h"
#include "store/quota.h"
#include "store/share_shrinker.h"
#include "store/vstore.h"

/* So long the OOM killer waits for a unit. */
#define OOM_PATIENCE	(5 * HZ)

/* The stores that memory may ask. */
static LIST_HEAD(sharing);
static DEFINE_MUTEX(sharing_lock);

/* Units that all stores have lent, for who waits for some. */
static atomic_long_t lent_units = ATOMIC_LONG_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(lent_wait);

/* What memory could get: all but what the store keeps, though it take writing to disk. */
static unsigned long store_could_lend(const struct vstore *store)
{
	u32 has = vstore_quota_held(store), keeps = vstore_quota_least(store);

	return has > keeps && !vstore_is_read_only(store) ? has - keeps : 0;
}

/* Returns whether any store has something to lend; @more: and was asked for more than before. */
static bool stores_ask(unsigned long nr, bool *more)
{
	struct vstore *store;
	bool could_lend = false;

	*more = false;
	mutex_lock(&sharing_lock);
	list_for_each_entry(store, &sharing, share.list) {
		if (store_could_lend(store) < VSTORE_UNIT)
			continue;
		could_lend = true;
		/* Of what it asked before, it gets no more than it will still want. */
		if (atomic_long_read(&store->share.asked) > VSTORE_PAGES_MANY)
			continue;
		*more = true;
		if (atomic_long_add_return(nr, &store->share.asked) >= VSTORE_UNIT)
			queue_delayed_work(store->share.queue, &store->share.work, 0);
	}
	mutex_unlock(&sharing_lock);
	return could_lend;
}

static unsigned long sharing_count(struct shrinker *shrinker, struct shrink_control *control)
{
	unsigned long nr = 0;
	struct vstore *store;

	mutex_lock(&sharing_lock);
	list_for_each_entry(store, &sharing, share.list)
		nr += store_could_lend(store);
	mutex_unlock(&sharing_lock);
	return nr ?: SHRINK_EMPTY;
}

/* Nothing is free yet: it may take I/O, for which reclaim is no place. */
static unsigned long sharing_scan(struct shrinker *shrinker, struct shrink_control *control)
{
	bool more;

	/* Else it would be called again and again, for all that it has counted. */
	stores_ask(control->nr_to_scan, &more);
	return more ? 0 : SHRINK_STOP;
}

/* The last occasion: waits, but not for ever, for the disk may wait for this memory. */
static int out_of_memory_notify(struct notifier_block *block, unsigned long unused, void *freed)
{
	long before = atomic_long_read(&lent_units);
	bool more;

	if (stores_ask(VSTORE_PAGES_MANY, &more))
		wait_event_timeout(lent_wait, atomic_long_read(&lent_units) != before,
				   OOM_PATIENCE);
	*(unsigned long *)freed += (atomic_long_read(&lent_units) - before) * VSTORE_UNIT;
	return NOTIFY_OK;
}

static struct notifier_block oom_block = {
	.notifier_call = out_of_memory_notify,
};

/**
 * vstore_share_shrinker_add() - memory may ask a store from now on
 * @store: it
 */
void vstore_share_shrinker_add(struct vstore *store)
{
	mutex_lock(&sharing_lock);
	list_add(&store->share.list, &sharing);
	mutex_unlock(&sharing_lock);
}

/**
 * vstore_share_shrinker_remove() - memory asks a store no more
 * @store: it
 */
void vstore_share_shrinker_remove(struct vstore *store)
{
	mutex_lock(&sharing_lock);
	list_del(&store->share.list);
	mutex_unlock(&sharing_lock);
}

/**
 * vstore_share_shrinker_note_lent() - a unit was lent: tell those who wait for it
 */
void vstore_share_shrinker_note_lent(void)
{
	atomic_long_inc(&lent_units);
	wake_up_all(&lent_wait);
}

/**
 * vstore_share_shrinker_init() - have memory ask
 *
 * Return: 0 or an error.
 */
int vstore_share_shrinker_init(void)
{
	int err = register_oom_notifier(&oom_block);

	if (err)
		return err;
	err = memsuite_shrinker_register(sharing_count, sharing_scan, 4 * DEFAULT_SEEKS, 0);
	if (err)
		unregister_oom_notifier(&oom_block);
	return err;
}

/**
 * vstore_share_shrinker_exit() - memory asks no more
 */
void vstore_share_shrinker_exit(void)
{
	memsuite_shrinker_unregister();
	unregister_oom_notifier(&oom_block);
}
