// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: copies of what small reads brought from the disk, in pages of a region.
 * They are never the only ones: so they may be gone after a power cut, and whenever
 * memory is short. A block that is written, or discarded, has none from then on.
 */

#include <linux/gfp.h>
#include <linux/mm.h>

#include <memsuite/pool.h>
#include <memsuite/region.h>

#include "compat/shrinker.h"
#include "store/blocks.h"
#include "store/read_cache.h"
#include "store/vstore.h"

/* A cache has a CACHE_PARTth of its region, unless told otherwise. */
#define CACHE_PART	8

static LIST_HEAD(caches);
static DEFINE_MUTEX(caches_lock);

static u32 cache_limit(const struct vstore_read_cache *cache)
{
	return cache->region ? cache->max_kib >> (VSTORE_BLOCK_SHIFT - 10) : 0;
}

/* Takes free memory only: a copy is not worth reclaim. */
static struct page *cache_page_alloc(struct vstore_read_cache *cache)
{
	const gfp_t gfp = __GFP_THISNODE | __GFP_NORETRY | __GFP_NOMEMALLOC | __GFP_NOWARN;
	unsigned long looks = MEMSUITE_POOL_LOOKS;
	struct page *page;

	if (!cache->pool)
		return alloc_pages_node(memsuite_region_spec(cache->region)->nid, gfp, 0);
	page = memsuite_pool_pop(cache->pool, 0, &looks);
	/* Whoever takes memory offline counts on all that is there being moved. */
	if (page && page_zonenum(page) == ZONE_MOVABLE) {
		__free_page(page);
		return NULL;
	}
	return page;
}

/* The page is the caller's. */
static void cache_page_detach(struct vstore_read_cache *cache, struct page *page)
{
	xa_erase(&cache->pages, page_private(page));
	list_del(&page->lru);
	set_page_private(page, 0);
	WRITE_ONCE(cache->nr, cache->nr - 1);
}

static void cache_page_drop(struct vstore_read_cache *cache, struct page *page)
{
	cache_page_detach(cache, page);
	__free_page(page);
}

static struct page *cache_page_oldest(struct vstore_read_cache *cache)
{
	return list_first_entry_or_null(&cache->use, struct page, lru);
}

static void cache_page_insert(struct vstore_read_cache *cache, const void *from, u64 block)
{
	struct page *page = cache->nr < cache_limit(cache) ? cache_page_alloc(cache) : NULL;

	if (!page) {
		page = cache_page_oldest(cache);
		if (!page)
			return;
		cache_page_detach(cache, page);
	}
	memcpy(page_address(page), from, VSTORE_BLOCK_SIZE);
	if (xa_is_err(xa_store(&cache->pages, block, page, GFP_NOWAIT | __GFP_NOWARN))) {
		__free_page(page);
		return;
	}
	set_page_private(page, block);
	list_add_tail(&page->lru, &cache->use);
	WRITE_ONCE(cache->nr, cache->nr + 1);
}

/**
 * vstore_read_cache_wanted() - whether what is read is to be kept
 * @store: it, locked
 *
 * Return: true if the store has a cache.
 */
bool vstore_read_cache_wanted(const struct vstore *store)
{
	return cache_limit(&store->cache);
}

/**
 * vstore_read_cache_insert() - blocks as the disk has them
 * @store: it, locked
 * @from: their contents
 * @block: the first one
 * @nr: how many; PRAM has none of them
 */
void vstore_read_cache_insert(struct vstore *store, const void *from, u64 block, u32 nr)
{
	struct vstore_read_cache *cache = &store->cache;
	u32 i;

	for (i = 0; i < nr && cache_limit(cache); i++)
		if (!xa_load(&cache->pages, block + i))
			cache_page_insert(cache, from + ((size_t)i << VSTORE_BLOCK_SHIFT),
					  block + i);
}

/**
 * vstore_read_cache_read() - answer a read, as far as there are copies
 * @store: it, locked
 * @bio: the request
 * @block: the first one
 * @nr: how many; PRAM has none of them
 *
 * Return: how many blocks from the first on are answered.
 */
u32 vstore_read_cache_read(struct vstore *store, struct bio *bio, u64 block, u32 nr)
{
	struct vstore_read_cache *cache = &store->cache;
	struct bvec_iter iter = bio->bi_iter;
	struct page *page;
	u32 done;

	for (done = 0; done < nr; done++) {
		page = xa_load(&cache->pages, block + done);
		if (!page)
			break;
		/* The disk has what is in memory that went bad. */
		if (vstore_bio_copy(bio, &iter, page_address(page), VSTORE_BLOCK_SIZE)) {
			cache_page_drop(cache, page);
			break;
		}
		list_move_tail(&page->lru, &cache->use);
	}
	return done;
}

/**
 * vstore_read_cache_drop() - blocks are written, or discarded
 * @store: it, locked
 * @block: the first one
 * @nr: how many
 */
void vstore_read_cache_drop(struct vstore *store, u64 block, u32 nr)
{
	struct vstore_read_cache *cache = &store->cache;
	struct page *page;
	unsigned long at;

	if (!cache->nr)
		return;
	xa_for_each_range(&cache->pages, at, page, block, block + nr - 1)
		cache_page_drop(cache, page);
}

static unsigned long cache_shrink_to(struct vstore_read_cache *cache, u32 nr)
{
	u32 before = cache->nr;

	while (cache->nr > nr)
		cache_page_drop(cache, cache_page_oldest(cache));
	return before - cache->nr;
}

/**
 * vstore_read_cache_trim() - the limit is another
 * @store: it, locked
 */
void vstore_read_cache_trim(struct vstore *store)
{
	cache_shrink_to(&store->cache, cache_limit(&store->cache));
}

/**
 * vstore_read_cache_clear() - the disk may have other contents from now on
 * @store: it, locked, or not in use
 */
void vstore_read_cache_clear(struct vstore *store)
{
	cache_shrink_to(&store->cache, 0);
}

/**
 * vstore_read_cache_init() - for a new store
 * @store: it
 */
void vstore_read_cache_init(struct vstore *store)
{
	struct vstore_read_cache *cache = &store->cache;

	xa_init(&cache->pages);
	INIT_LIST_HEAD(&cache->use);
	INIT_LIST_HEAD(&cache->link);
	cache->max_kib = VSTORE_READ_CACHE_UNSET;
}

/**
 * vstore_read_cache_open() - for a new store, whose settings are known
 * @store: it
 * @name: of the region; NULL: it has no cache
 * @error: gets a reason
 *
 * Return: 0, -EINVAL, -ENOENT or -ENOMEM.
 */
int vstore_read_cache_open(struct vstore *store, const char *name, char **error)
{
	struct vstore_read_cache *cache = &store->cache;
	const struct memsuite_region_spec *spec;
	struct memsuite_region *region;

	if (!name) {
		*error = "cache_kib needs a cache";
		return cache->max_kib == VSTORE_READ_CACHE_UNSET ? 0 : -EINVAL;
	}
	region = memsuite_region_get(name);
	*error = "No such region";
	if (IS_ERR(region))
		return PTR_ERR(region);
	spec = memsuite_region_spec(region);
	if (spec->nid < 0) {
		struct memsuite_pool *pool = memsuite_region_pool_open(region);

		if (IS_ERR(pool)) {
			memsuite_region_put(region);
			*error = "The region has no pool";
			return PTR_ERR(pool);
		}
		cache->pool = pool;
	}
	if (cache->max_kib == VSTORE_READ_CACHE_UNSET)
		cache->max_kib = min_t(u64, (spec->end - spec->start) / CACHE_PART >> 10, SZ_1G);
	cache->region = region;
	mutex_lock(&caches_lock);
	list_add(&cache->link, &caches);
	mutex_unlock(&caches_lock);
	return 0;
}

/**
 * vstore_read_cache_close() - the store goes
 * @store: it, not in use
 */
void vstore_read_cache_close(struct vstore *store)
{
	struct vstore_read_cache *cache = &store->cache;

	if (!cache->region)
		return;
	mutex_lock(&caches_lock);
	list_del(&cache->link);
	mutex_unlock(&caches_lock);
	vstore_read_cache_clear(store);
	if (cache->pool)
		memsuite_region_pool_close(cache->region);
	memsuite_region_put(cache->region);
}

static unsigned long caches_count(struct shrinker *shrinker, struct shrink_control *control)
{
	const struct vstore_read_cache *cache;
	unsigned long nr = 0;

	if (!mutex_trylock(&caches_lock))
		return 0;
	list_for_each_entry(cache, &caches, link)
		nr += READ_ONCE(cache->nr);
	mutex_unlock(&caches_lock);
	return nr;
}

static unsigned long caches_scan(struct shrinker *shrinker, struct shrink_control *control)
{
	unsigned long freed = 0;
	struct vstore *store;

	/* Whoever has a lock may be who needs memory. */
	if (!mutex_trylock(&caches_lock))
		return SHRINK_STOP;
	list_for_each_entry(store, &caches, cache.link) {
		u32 left = control->nr_to_scan - freed;

		if (!left)
			break;
		if (!mutex_trylock(&store->lock))
			continue;
		freed += cache_shrink_to(&store->cache,
					 store->cache.nr - min(store->cache.nr, left));
		mutex_unlock(&store->lock);
	}
	mutex_unlock(&caches_lock);
	return freed;
}

/**
 * vstore_read_cache_shrinker_init() - have memory ask
 *
 * Return: 0 or an error.
 */
int vstore_read_cache_shrinker_init(void)
{
	return memsuite_shrinker_register(caches_count, caches_scan, DEFAULT_SEEKS, 0);
}

/**
 * vstore_read_cache_shrinker_exit() - memory asks no more
 */
void vstore_read_cache_shrinker_exit(void)
{
	memsuite_shrinker_unregister();
}
