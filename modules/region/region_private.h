/* SPDX-License-Identifier: GPL-2.0-only */
/* What regions.c, the table, and region_sysfs.c, the files of one, share. */
#ifndef MEMSUITE_REGION_INNER_H
#define MEMSUITE_REGION_INNER_H

#include <linux/kobject.h>
#include <linux/list.h>

#include "frame/bank_map.h"
#include "pool/pool.h"
#include "region/region.h"
#include "region/region_parse.h"

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
};

static inline struct memsuite_region *to_region(struct kobject *kobj)
{
	return container_of(kobj, struct memsuite_region, kobj);
}

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

/* region_sysfs.c: the files of its directory, once they are made. */
extern const struct attribute_group *memsuite_region_groups[];
void memsuite_region_sysfs_init(void);

#endif
