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
 * struct ms_region - a region
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
struct ms_region {
	struct kobject kobj;
	struct ms_region_spec spec;
	struct ms_bank_set banks;
	struct list_head link;
	unsigned int users;
	bool gone;
	struct ms_pool *pool;
	unsigned int pool_users;
	unsigned long pool_target;
	unsigned int container;
};

static inline struct ms_region *to_region(struct kobject *kobj)
{
	return container_of(kobj, struct ms_region, kobj);
}

/* Bytes of it, of all its banks. */
u64 ms_region_size(const struct ms_region *region);

/* What its pool keeps and hands out at random, if it has one and from now on. */
void ms_region_set_target(struct ms_region *region, unsigned long pages);
void ms_region_set_container(struct ms_region *region, unsigned int pages);

/* Of MS_REGION_TEXT bytes. May sleep. */
void ms_region_get_technology(struct ms_region *region, char *name);
void ms_region_set_technology(struct ms_region *region, const char *name);

/* Of its pool; zeros without one. */
void ms_region_pool_stats(struct ms_region *region,
			  struct ms_pool_stats *stats);

/* region_sysfs.c: the files of its directory, once they are made. */
extern const struct attribute_group *ms_region_groups[];
void ms_region_files_init(void);

#endif
