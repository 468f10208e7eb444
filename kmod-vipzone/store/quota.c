// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: how many pages of PRAM the store may have, where it shares PRAM with memory.
 */

#include <linux/jiffies.h>
#include <linux/minmax.h>

#include "store/quota.h"
#include "store/vstore.h"

/**
 * vstore_quota_held() - how many pages the store has
 * @store: it
 *
 * Return: those that memory does not have.
 */
u32 vstore_quota_held(const struct vstore *store)
{
	return store->map.nr_pages - store->map.nr_away;
}

static u32 quota_pages(const struct vstore *store, u32 pct)
{
	return max_t(u32, (u64)store->map.nr_pages * READ_ONCE(pct) / 100, 2 * VSTORE_UNIT);
}

/**
 * vstore_quota_most() - how many pages the store may have
 * @store: it
 *
 * Return: them, by the setting storage_max.
 */
u32 vstore_quota_most(const struct vstore *store)
{
	return quota_pages(store, store->share.max_pct);
}

/**
 * vstore_quota_least() - how many pages the store keeps whatever memory asks for
 * @store: it
 *
 * Return: them, by the setting storage_min.
 */
u32 vstore_quota_least(const struct vstore *store)
{
	return quota_pages(store, min(store->share.min_pct, store->share.max_pct));
}

/**
 * vstore_quota_may_lend() - whether the store keeps enough if it lends one more unit
 * @store: it, locked
 *
 * Return: true if it does.
 */
bool vstore_quota_may_lend(const struct vstore *store)
{
	return vstore_quota_held(store) >= vstore_quota_least(store) + VSTORE_UNIT;
}

/**
 * vstore_quota_is_resting() - whether memory asked, or did not give, a moment ago
 * @store: it, locked
 *
 * Return: true if the store takes nothing from memory for now.
 */
bool vstore_quota_is_resting(const struct vstore *store)
{
	return time_before(jiffies, store->share.wait_until);
}

/**
 * vstore_quota_usable() - how many pages the store can count on
 * @store: it, locked
 *
 * Return: as long as memory gives, all that it may have.
 */
u32 vstore_quota_usable(const struct vstore *store)
{
	u32 held = vstore_quota_held(store);

	if (!store->share.loan)
		return store->map.nr_pages;
	return vstore_quota_is_resting(store) ? held : max(held, vstore_quota_most(store));
}
