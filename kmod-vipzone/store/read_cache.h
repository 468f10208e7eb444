/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies of what the disk has, in volatile memory. */
#ifndef VSTORE_READ_CACHE_H
#define VSTORE_READ_CACHE_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct bio;
struct memsuite_pool;
struct memsuite_region;
struct vstore;

/* No limit was set. */
#define VSTORE_READ_CACHE_UNSET	U32_MAX

/* Part of struct vstore, and protected by its lock. */
struct vstore_read_cache {
	struct memsuite_region *region;	/* NULL: no cache */
	struct memsuite_pool *pool;		/* NULL: the region is a node */
	struct xarray pages;		/* by block */
	struct list_head use;		/* the same, the oldest first */
	struct list_head link;		/* of all caches */
	u32 nr;
	u32 max_kib;
};

void vstore_read_cache_init(struct vstore *store);
int vstore_read_cache_open(struct vstore *store, const char *region, char **error);
void vstore_read_cache_close(struct vstore *store);
bool vstore_read_cache_wanted(const struct vstore *store);
u32 vstore_read_cache_read(struct vstore *store, struct bio *bio, u64 block, u32 nr);
void vstore_read_cache_insert(struct vstore *store, const void *from, u64 block, u32 nr);
void vstore_read_cache_drop(struct vstore *store, u64 block, u32 nr);
void vstore_read_cache_trim(struct vstore *store);
void vstore_read_cache_clear(struct vstore *store);

int vstore_read_cache_shrinker_init(void);
void vstore_read_cache_shrinker_exit(void);

#endif
