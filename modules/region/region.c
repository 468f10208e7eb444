// SPDX-License-Identifier: GPL-2.0-only
/* A region: what it is, which frames are its own, and its pool. */

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "pool/pool_admin.h"
#include "region/region_private.h"

/* Of all technologies. Not regions_lock: under that, adding a region may wait for a reader. */
static DEFINE_SPINLOCK(technology_lock);
/* Held while a pool's threads are stopped, which may look regions up. */
static DEFINE_MUTEX(pools_lock);

void memsuite_region_hold(struct memsuite_region *region)
{
	kobject_get(&region->kobj);
}
EXPORT_SYMBOL_GPL(memsuite_region_hold);

void memsuite_region_let_go(struct memsuite_region *region)
{
	kobject_put(&region->kobj);
}
EXPORT_SYMBOL_GPL(memsuite_region_let_go);

bool memsuite_region_is_gone(const struct memsuite_region *region)
{
	return READ_ONCE(region->gone);
}
EXPORT_SYMBOL_GPL(memsuite_region_is_gone);

const struct memsuite_region_spec *memsuite_region_spec(const struct memsuite_region *region)
{
	return &region->spec;
}
EXPORT_SYMBOL_GPL(memsuite_region_spec);

bool memsuite_region_owns(const struct memsuite_region *region, struct page *page)
{
	return (region->spec.nid < 0 ||
		region->spec.nid == page_to_nid(page)) &&
	       (!region->banks.map ||
		memsuite_bank_set_has(&region->banks, page_to_pfn(page)));
}

bool memsuite_region_has(const struct memsuite_region *region, struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	/* Also what came to it since it was found. */
	if (region->spec.source == MEMSUITE_REGION_NODE)
		return page_to_nid(page) == region->spec.nid;
	return pfn >= memsuite_region_start_pfn(region) && pfn < memsuite_region_end_pfn(region) &&
	       memsuite_region_owns(region, page);
}
EXPORT_SYMBOL_GPL(memsuite_region_has);

const struct memsuite_bank_set *memsuite_region_banks(const struct memsuite_region *region)
{
	return region->banks.map ? &region->banks : NULL;
}
EXPORT_SYMBOL_GPL(memsuite_region_banks);

static unsigned int region_nr_banks(const struct memsuite_region *region)
{
	return bitmap_weight(region->spec.banks, MEMSUITE_MAX_BANKS);
}

/* Of a set of banks, what its share of the range comes to on average. */
u64 memsuite_region_size(const struct memsuite_region *region)
{
	u64 size = region->spec.end - region->spec.start;

	return region->banks.map ?
		div_u64(size, region->banks.map->nr_banks) *
		region_nr_banks(region) : size;
}

void memsuite_region_copy_spec(const struct memsuite_region *region,
			       struct memsuite_region_spec *spec)
{
	spin_lock(&technology_lock);
	*spec = region->spec;
	spin_unlock(&technology_lock);
}

void memsuite_region_get_technology(struct memsuite_region *region, char *name)
{
	spin_lock(&technology_lock);
	strscpy(name, region->spec.technology, MEMSUITE_REGION_TEXT);
	spin_unlock(&technology_lock);
}

void memsuite_region_set_technology(struct memsuite_region *region, const char *name)
{
	spin_lock(&technology_lock);
	strscpy(region->spec.technology, name, MEMSUITE_REGION_TEXT);
	spin_unlock(&technology_lock);
}

struct memsuite_pool *memsuite_region_pool_open(struct memsuite_region *region)
{
	struct memsuite_pool *pool;

	mutex_lock(&pools_lock);
	pool = region->pool;
	if (!pool)
		pool = memsuite_pool_create(region->spec.name, memsuite_region_start_pfn(region),
					    memsuite_region_end_pfn(region), region->spec.nid,
					    memsuite_region_banks(region),
					    region->pool_target,
					    region->container);
	if (!IS_ERR(pool)) {
		region->pool = pool;
		region->pool_users++;
	}
	mutex_unlock(&pools_lock);
	return pool;
}
EXPORT_SYMBOL_GPL(memsuite_region_pool_open);

void memsuite_region_pool_close(struct memsuite_region *region)
{
	mutex_lock(&pools_lock);
	if (!--region->pool_users) {
		memsuite_pool_destroy(region->pool);
		region->pool = NULL;
	}
	mutex_unlock(&pools_lock);
}
EXPORT_SYMBOL_GPL(memsuite_region_pool_close);

void memsuite_region_set_target(struct memsuite_region *region, unsigned long pages)
{
	mutex_lock(&pools_lock);
	region->pool_target = pages;
	if (region->pool)
		memsuite_pool_set_target(region->pool, pages);
	mutex_unlock(&pools_lock);
}

void memsuite_region_set_container(struct memsuite_region *region, unsigned int pages)
{
	mutex_lock(&pools_lock);
	region->container = pages;
	if (region->pool)
		memsuite_pool_set_container(region->pool, pages);
	mutex_unlock(&pools_lock);
}

void memsuite_region_pool_stats(struct memsuite_region *region,
				struct memsuite_pool_stats *stats)
{
	*stats = (struct memsuite_pool_stats){};
	mutex_lock(&pools_lock);
	if (region->pool)
		memsuite_pool_read_stats(region->pool, stats);
	mutex_unlock(&pools_lock);
}
