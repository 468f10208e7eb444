// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: copies of what small reads brought from the disk, in pages of a region.
 * They are never the only ones, so that they are gone after a power cut, and whenever
 * memory is short. A block that is written, or discarded, has none from then on.
 */

#include <linux/gfp.h>
#include <linux/mm.h>

#include <memsuite/pool.h>
#include <memsuite/region.h>

#include "compat/shrinker.h"
#include "store/store.h"

/* Part of its region that a cache has, unless told otherwise. */
#define SHARE		8

static LIST_HEAD(caches);
static DEFINE_MUTEX(caches_lock);

static u32 limit(const struct store_cache *cache)
{
	return cache->region ? cache->max_kib >> (STORE_BLOCK_SHIFT - 10) : 0;
}

/* Only what is free: a copy is not worth reclaim. */
static struct page *take(struct store_cache *cache)
{
	const gfp_t gfp = __GFP_THISNODE | __GFP_NORETRY | __GFP_NOMEMALLOC | __GFP_NOWARN;
	struct page *page;

	if (!cache->pool)
		return alloc_pages_node(memsuite_region_spec(cache->region)->nid, gfp, 0);
	page = memsuite_pool_pop(cache->pool, 0);
	/* Whoever takes memory offline counts on all that is there being moved. */
	if (page && page_zonenum(page) == ZONE_MOVABLE) {
		__free_page(page);
		return NULL;
	}
	return page;
}

/* The page is the caller's. */
static void detach(struct store_cache *cache, struct page *page)
{
	xa_erase(&cache->pages, page_private(page));
	list_del(&page->lru);
	set_page_private(page, 0);
	WRITE_ONCE(cache->nr, cache->nr - 1);
}

static void drop(struct store_cache *cache, struct page *page)
{
	detach(cache, page);
	__free_page(page);
}

static struct page *oldest(struct store_cache *cache)
{
	return list_first_entry_or_null(&cache->use, struct page, lru);
}

static void keep(struct store_cache *cache, const void *from, u64 block)
{
	struct page *page = cache->nr < limit(cache) ? take(cache) : NULL;

	if (!page) {
		page = oldest(cache);
		if (!page)
			return;
		detach(cache, page);
	}
	memcpy(page_address(page), from, STORE_BLOCK_SIZE);
	if (xa_is_err(xa_store(&cache->pages, block, page, GFP_NOWAIT | __GFP_NOWARN))) {
		__free_page(page);
		return;
	}
	set_page_private(page, block);
	list_add_tail(&page->lru, &cache->use);
	WRITE_ONCE(cache->nr, cache->nr + 1);
}

/**
 * store_cache_wanted() - whether what is read is to be kept
 * @store: it, locked
 */
bool store_cache_wanted(const struct store *store)
{
	return limit(&store->cache);
}

/**
 * store_cache_enter() - blocks as the disk has them
 * @store: it, locked
 * @from: their contents
 * @block: the first one
 * @nr: how many; PRAM has none of them
 */
void store_cache_enter(struct store *store, const void *from, u64 block, u32 nr)
{
	struct store_cache *cache = &store->cache;
	u32 i;

	for (i = 0; i < nr && limit(cache); i++)
		if (!xa_load(&cache->pages, block + i))
			keep(cache, from + ((size_t)i << STORE_BLOCK_SHIFT), block + i);
}

/**
 * store_cache_read() - answer a read, as far as there are copies
 * @store: it, locked
 * @bio: the request
 * @block: the first one
 * @nr: how many; PRAM has none of them
 *
 * Return: how many blocks from the first on are answered.
 */
u32 store_cache_read(struct store *store, struct bio *bio, u64 block, u32 nr)
{
	struct store_cache *cache = &store->cache;
	struct bvec_iter iter = bio->bi_iter;
	struct page *page;
	u32 done;

	for (done = 0; done < nr; done++) {
		page = xa_load(&cache->pages, block + done);
		if (!page)
			break;
		/* The disk has what is in memory that went bad. */
		if (store_copy_out(bio, &iter, page_address(page), STORE_BLOCK_SIZE)) {
			drop(cache, page);
			break;
		}
		list_move_tail(&page->lru, &cache->use);
	}
	return done;
}

/**
 * store_cache_drop() - blocks are written, or discarded
 * @store: it, locked
 * @block: the first one
 * @nr: how many
 */
void store_cache_drop(struct store *store, u64 block, u32 nr)
{
	struct store_cache *cache = &store->cache;
	struct page *page;
	unsigned long at;

	if (!cache->nr)
		return;
	xa_for_each_range(&cache->pages, at, page, block, block + nr - 1)
		drop(cache, page);
}

static unsigned long shrink_to(struct store_cache *cache, u32 nr)
{
	u32 before = cache->nr;

	while (cache->nr > nr)
		drop(cache, oldest(cache));
	return before - cache->nr;
}

/**
 * store_cache_trim() - the limit is another
 * @store: it, locked
 */
void store_cache_trim(struct store *store)
{
	shrink_to(&store->cache, limit(&store->cache));
}

/**
 * store_cache_clear() - the disk may have other contents from now on
 * @store: it, locked, or not in use
 */
void store_cache_clear(struct store *store)
{
	shrink_to(&store->cache, 0);
}

void store_cache_init(struct store *store)
{
	struct store_cache *cache = &store->cache;

	xa_init(&cache->pages);
	INIT_LIST_HEAD(&cache->use);
	INIT_LIST_HEAD(&cache->link);
	cache->max_kib = STORE_CACHE_UNSET;
}

/**
 * store_cache_open() - for a new store, whose settings are known
 * @store: it
 * @name: of the region; NULL: it has no cache
 * @error: gets a reason
 *
 * Return: 0, -EINVAL, -ENOENT or -ENOMEM.
 */
int store_cache_open(struct store *store, const char *name, char **error)
{
	struct store_cache *cache = &store->cache;
	const struct memsuite_region_spec *spec;
	struct memsuite_region *region;

	if (!name) {
		*error = "cache_kib needs a cache";
		return cache->max_kib == STORE_CACHE_UNSET ? 0 : -EINVAL;
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
	if (cache->max_kib == STORE_CACHE_UNSET)
		cache->max_kib = min_t(u64, (spec->end - spec->start) / SHARE >> 10, SZ_1G);
	cache->region = region;
	mutex_lock(&caches_lock);
	list_add(&cache->link, &caches);
	mutex_unlock(&caches_lock);
	return 0;
}

/**
 * store_cache_close() - the store goes
 * @store: it, not in use
 */
void store_cache_close(struct store *store)
{
	struct store_cache *cache = &store->cache;

	if (!cache->region)
		return;
	mutex_lock(&caches_lock);
	list_del(&cache->link);
	mutex_unlock(&caches_lock);
	store_cache_clear(store);
	if (cache->pool)
		memsuite_region_pool_close(cache->region);
	memsuite_region_put(cache->region);
}

static unsigned long shrink_count(struct shrinker *shrinker, struct shrink_control *control)
{
	const struct store_cache *cache;
	unsigned long nr = 0;

	if (!mutex_trylock(&caches_lock))
		return 0;
	list_for_each_entry(cache, &caches, link)
		nr += READ_ONCE(cache->nr);
	mutex_unlock(&caches_lock);
	return nr;
}

static unsigned long shrink_scan(struct shrinker *shrinker, struct shrink_control *control)
{
	unsigned long freed = 0;
	struct store *store;

	/* Whoever has a lock may be who needs memory. */
	if (!mutex_trylock(&caches_lock))
		return SHRINK_STOP;
	list_for_each_entry(store, &caches, cache.link) {
		u32 left = control->nr_to_scan - freed;

		if (!left)
			break;
		if (!mutex_trylock(&store->lock))
			continue;
		freed += shrink_to(&store->cache, store->cache.nr - min(store->cache.nr, left));
		mutex_unlock(&store->lock);
	}
	mutex_unlock(&caches_lock);
	return freed;
}

/**
 * store_caches_init() - have memory ask
 *
 * Return: 0 or an error.
 */
int store_caches_init(void)
{
	return memsuite_shrinker_register(shrink_count, shrink_scan, DEFAULT_SEEKS);
}

void store_caches_exit(void)
{
	memsuite_shrinker_unregister();
}
