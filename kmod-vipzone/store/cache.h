/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies of what the disk has, in volatile memory. */
#ifndef STORE_CACHE_H
#define STORE_CACHE_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct bio;
struct memsuite_pool;
struct memsuite_region;
struct store;

/* No limit was set. */
#define STORE_CACHE_UNSET	U32_MAX

/* Part of struct store, and protected by its lock. */
struct store_cache {
	struct memsuite_region *region;	/* NULL: no cache */
	struct memsuite_pool *pool;		/* NULL: the region is a node */
	struct xarray pages;		/* by block */
	struct list_head use;		/* the same, the oldest first */
	struct list_head link;		/* of all caches */
	u32 nr;
	u32 max_kib;
};

void store_cache_init(struct store *store);
int store_cache_open(struct store *store, const char *region, char **error);
void store_cache_close(struct store *store);
bool store_cache_wanted(const struct store *store);
u32 store_cache_read(struct store *store, struct bio *bio, u64 block, u32 nr);
void store_cache_enter(struct store *store, const void *from, u64 block, u32 nr);
void store_cache_drop(struct store *store, u64 block, u32 nr);
void store_cache_trim(struct store *store);
void store_cache_clear(struct store *store);

int store_caches_init(void);
void store_caches_exit(void);

#endif
