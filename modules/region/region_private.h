/* SPDX-License-Identifier: GPL-2.0-only */
/* A region, for the files of this folder; what others may do with one is in memsuite/region.h. */
#ifndef MEMSUITE_REGION_REGION_PRIVATE_H
#define MEMSUITE_REGION_REGION_PRIVATE_H

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>

#include <memsuite/region.h>

#include "frame/bank_map.h"
#include "pool/pool_drain.h"

/**
 * struct memsuite_region - a region
 * @kobj: its directory; its reference count is the region's
 * @spec: what describes it; only numbers of region_parse.h change
 * @banks: the banks that it is a set of; without a map, all
 * @link: in all regions, under regions_lock
 * @users: how many rely on it, under regions_lock
 * @gone: it was removed, and is there only for who holds it
 * @pool: its pool, or NULL; under pools_lock
 * @pool_users: how many opened the pool, under pools_lock
 * @pool_target: pages that a pool keeps, under pools_lock
 * @container: pages that it hands out in a random order, under pools_lock
 * @sample_lock: of the last sample of its frames
 * @sample: that
 * @sampled: when, in jiffies; 0: never
 */
struct memsuite_region {
	struct kobject kobj;
	struct memsuite_region_spec spec;
	struct memsuite_bank_set banks;
	struct list_head link;
	unsigned int users;
	bool gone;
	struct memsuite_pool *pool;
	unsigned int pool_users;
	unsigned long pool_target;
	unsigned int container;
	struct mutex sample_lock;	/* see above */
	struct memsuite_occupancy sample;
	unsigned long sampled;
};

static inline struct memsuite_region *memsuite_region_of(struct kobject *kobj)
{
	return container_of(kobj, struct memsuite_region, kobj);
}

static inline unsigned long memsuite_region_start_pfn(const struct memsuite_region *region)
{
	return PHYS_PFN(region->spec.start);
}

static inline unsigned long memsuite_region_end_pfn(const struct memsuite_region *region)
{
	return PHYS_PFN(region->spec.end);
}

/* Whether a frame within its range is of the region. */
bool memsuite_region_owns(const struct memsuite_region *region, struct page *page);

/* What describes it, with the technology as it is just now. May sleep. */
void memsuite_region_copy_spec(const struct memsuite_region *region,
			       struct memsuite_region_spec *spec);

/* Bytes of it, of all its banks. */
u64 memsuite_region_size(const struct memsuite_region *region);

/* What its pool keeps and hands out at random, if it has one and from now on. */
void memsuite_region_set_target(struct memsuite_region *region, unsigned long pages);
void memsuite_region_set_container(struct memsuite_region *region, unsigned int pages);

/* Of MEMSUITE_REGION_TEXT bytes. May sleep. */
void memsuite_region_get_technology(struct memsuite_region *region, char *name);
void memsuite_region_set_technology(struct memsuite_region *region, const char *name);

/* Of its pool; zeros without one. */
void memsuite_region_pool_stats(struct memsuite_region *region,
				struct memsuite_pool_stats *stats);

#endif
