// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: the device-mapper target.
 *
 *	START LENGTH vstore DISK PRAM [NUMBER FEATURE...]
 *
 * The features are "format", "shared", "uuid" UUID, "cache" REGION, and the settings of
 * store_set(), each with its value. PRAM is a block device with DAX, which the target has
 * to itself; or, with the feature "shared", the addresses START-END of a PRAM that no
 * driver has.
 */

#include <linux/dm-io.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat/block.h"
#include "store/loan.h"
#include "store/store.h"

/* Stores in use: no two share a PRAM. device-mapper itself would let them. */
static LIST_HEAD(active);
static DEFINE_MUTEX(active_lock);

/* Features that are no settings. */
struct modes {
	bool format;
	bool shared;
	const char *cache;	/* name of a region, or NULL */
	uuid_t uuid;		/* null: any */
};

static int parse_features(struct store *store, struct dm_arg_set *args, struct modes *modes,
			  char **error)
{
	static const struct dm_arg number = { 0, 24, "Invalid number of features" };
	unsigned int left;
	const char *name, *value;

	if (!args->argc)
		return 0;
	if (dm_read_arg_group(&number, args, &left, error))
		return -EINVAL;
	while (left) {
		name = dm_shift_arg(args);
		left--;
		if (!strcasecmp(name, "format")) {
			modes->format = true;
			continue;
		}
		if (!strcasecmp(name, "shared")) {
			modes->shared = true;
			continue;
		}
		value = left ? dm_shift_arg(args) : NULL;
		if (value && !strcasecmp(name, "cache")) {
			modes->cache = value;
			left--;
			continue;
		}
		if (!value || (strcasecmp(name, "uuid") ? store_set(store, name, value) :
							  uuid_parse(value, &modes->uuid))) {
			*error = "Invalid feature";
			return -EINVAL;
		}
		left--;
	}
	return 0;
}

/* Where the first @nr pages of the PRAM are now, in one piece. */
static int find_dax(const struct store *store, u32 nr, void **base)
{
	sector_t start = get_start_sect(store->pram->bdev);
	long got;
	int id;

	id = dax_read_lock();
	got = memsuite_dax_address(store->pram->dax_dev, start >> PAGE_SECTORS_SHIFT, nr, base);
	dax_read_unlock(id);
	if (got < 0)
		return got;
	return got < nr ? -EOPNOTSUPP : 0;
}

/*
 * The PRAM has one address for all of it. A device of device-mapper may be moved
 * elsewhere: while the store is suspended, which its resume finds out.
 */
static int map_dax(struct store *store, char **error)
{
	struct block_device *bdev = store->pram->bdev;
	u32 nr = min_t(sector_t, memsuite_bdev_nr_sectors(bdev) >> PAGE_SECTORS_SHIFT, U32_MAX);
	int err;

	if (!store->pram->dax_dev || get_start_sect(bdev) & (BIT(PAGE_SECTORS_SHIFT) - 1)) {
		*error = "The PRAM has no DAX";
		return -EOPNOTSUPP;
	}
	if (!dax_synchronous(store->pram->dax_dev)) {
		*error = "The PRAM is durable only after a flush by its host";
		return -EOPNOTSUPP;
	}
	err = find_dax(store, nr, &store->base);
	if (err) {
		*error = "The PRAM is not in one piece";
		return err;
	}
	store->nr_pages = nr;
	store->address = slow_virt_to_phys(store->base);
	return 0;
}

/* Whether what is at the address that was found is still the PRAM. */
static bool is_in_place(const struct store *store)
{
	void *base;

	if (!store->pram)
		return true;
	return !find_dax(store, store->nr_pages, &base) && base == store->base &&
	       slow_virt_to_phys(base) == store->address;
}

/* START-END, as memsuite has ranges: bytes, with K, M, G or T. */
static int map_range(struct store *store, const char *range, char **error)
{
	char *at;
	u64 start = memparse(range, &at), end = *at == '-' ? memparse(at + 1, &at) : 0;
	struct store_loan *loan;
	const char *why;

	*error = "PRAM is no range START-END";
	if (*at || end <= start)
		return -EINVAL;
	loan = store_loan_get(start, end - start, &why);
	if (IS_ERR(loan)) {
		*error = (char *)why;
		return PTR_ERR(loan);
	}
	store->share.loan = loan;
	store->base = store_loan_base(loan);
	store->address = start;
	store->nr_pages = (end - start) >> PAGE_SHIFT;
	*error = "Out of memory";
	store->pram_name = kasprintf(GFP_KERNEL, "%#llx-%#llx", start, end);
	return store->pram_name ? store_share_allocate(store) : -ENOMEM;
}

static int map_device(struct store *store, const char *path, char **error)
{
	int err = dm_get_device(store->ti, path, dm_table_get_mode(store->ti->table), &store->pram);

	*error = "Cannot open the PRAM";
	if (err)
		return err;
	store->pram_name = kstrdup(store->pram->name, GFP_KERNEL);
	*error = "Out of memory";
	return store->pram_name ? map_dax(store, error) : -ENOMEM;
}

/* Whether another store uses some of the PRAM, be it by another device, or as a range. */
static bool is_taken(const struct store *store)
{
	const struct store *other;

	lockdep_assert_held(&active_lock);
	list_for_each_entry(other, &active, active)
		if (store->address < other->address + ((u64)other->nr_pages << PAGE_SHIFT) &&
		    other->address < store->address + ((u64)store->nr_pages << PAGE_SHIFT))
			return true;
	return false;
}

static int format_pram(struct store *store, u64 nr_blocks, const uuid_t *uuid, char **error)
{
	bool taken;
	int err;

	/* In one that is in use, some of what it has may be blank. */
	mutex_lock(&active_lock);
	taken = is_taken(store);
	mutex_unlock(&active_lock);
	*error = "Another store uses the PRAM";
	if (taken)
		return -EBUSY;
	store->uuid = *uuid;
	if (uuid_is_null(uuid))
		uuid_gen(&store->uuid);
	*error = "The PRAM is too small, or the disk too large";
	err = store_map_format(store->base, store->nr_pages, nr_blocks, store->uuid.b);
	if (!err)
		DMINFO("PRAM %s: formatted", store->pram_name);
	return err;
}

/*
 * Only what is blank is ever formatted, and only if that was asked for. A disk has
 * nothing by which it could be known but its size: which PRAM goes with it, the table
 * may say.
 */
static int check_pram(struct store *store, const struct modes *modes, char **error)
{
	u64 nr_blocks = store->ti->len >> (STORE_BLOCK_SHIFT - SECTOR_SHIFT);
	struct store_report report = {};
	int err;

	if (modes->format && store_map_blank(store->base, store->nr_pages))
		return format_pram(store, nr_blocks, &modes->uuid, error);
	err = store_map_check(store->base, store->nr_pages, nr_blocks, &report);
	if (!err) {
		store_map_uuid(store->base, store->uuid.b);
		if (!uuid_is_null(&modes->uuid) && !uuid_equal(&modes->uuid, &store->uuid)) {
			report.why = "the store is another than the table's";
			err = -EINVAL;
		}
	}
	if (err) {
		DMERR("PRAM %s: refused: %s", store->pram_name, report.why);
		*error = (char *)report.why;
	}
	return err;
}

static void store_free(struct store *store)
{
	if (store->queue)
		destroy_workqueue(store->queue);
	if (store->io)
		dm_io_client_destroy(store->io);
	store_share_free(store);
	store_cache_close(store);
	kfree(store->pram_name);
	vfree(store->buffer);
	vfree(store->pages);
	if (store->pram)
		dm_put_device(store->ti, store->pram);
	if (store->disk)
		dm_put_device(store->ti, store->disk);
	mutex_destroy(&store->lock);
	kfree(store);
}

static struct store *store_new(struct dm_target *ti)
{
	struct store *store = kzalloc(sizeof(*store), GFP_KERNEL);

	if (!store)
		return NULL;
	store->ti = ti;
	store->policy = STORE_MERGING;
	store->threshold = SZ_64K;
	store->high_pct = 75;
	store->low_pct = 65;
	store->share.min_pct = 5;
	store->share.max_pct = 90;
	mutex_init(&store->lock);
	init_waitqueue_head(&store->batch_done);
	INIT_LIST_HEAD(&store->active);
	INIT_LIST_HEAD(&store->flushes);
	INIT_DELAYED_WORK(&store->work, store_writeback);
	store_promote_init(store);
	store_cache_init(store);
	return store;
}

/* All the memory that a request may need later. */
static int store_allocate(struct store *store)
{
	struct dm_io_client *io = dm_io_client_create();

	if (IS_ERR(io))
		return PTR_ERR(io);
	store->io = io;
	store->pages = vzalloc(array_size(store->nr_pages, sizeof(*store->pages)));
	store->buffer = vmalloc(STORE_BATCH * STORE_BLOCK_SIZE);
	store->queue = alloc_workqueue("vstore", WQ_MEM_RECLAIM | WQ_UNBOUND, 2);
	return store->pages && store->buffer && store->queue ? 0 : -ENOMEM;
}

static int store_build(struct store *store, unsigned int argc, char **argv,
		       char **error)
{
	struct dm_target *ti = store->ti;
	struct dm_arg_set args = { .argc = argc, .argv = argv };
	struct modes modes = {};
	const char *pram;
	int err;

	if (argc < 2) {
		*error = "DISK and PRAM are needed";
		return -EINVAL;
	}
	if (ti->begin || !ti->len || ti->len & ((STORE_BLOCK_SIZE >> SECTOR_SHIFT) - 1)) {
		*error = "Not whole blocks of 4 KiB from 0 on";
		return -EINVAL;
	}
	*error = "Cannot open the disk";
	err = dm_get_device(ti, dm_shift_arg(&args), dm_table_get_mode(ti->table), &store->disk);
	if (err)
		return err;
	pram = dm_shift_arg(&args);
	err = parse_features(store, &args, &modes, error);
	if (err)
		return err;
	store->built = true;
	if (store->low_pct > store->high_pct) {
		*error = "low_watermark is above high_watermark";
		return -EINVAL;
	}
	if (memsuite_bdev_nr_sectors(store->disk->bdev) < ti->len) {
		*error = "The disk is smaller than the table says";
		return -EINVAL;
	}
	err = store_cache_open(store, modes.cache, error);
	if (err)
		return err;
	err = modes.shared ? map_range(store, pram, error) : map_device(store, pram, error);
	if (!err)
		err = check_pram(store, &modes, error);
	if (err)
		return err;
	*error = "Out of memory";
	return store_allocate(store);
}

static int vstore_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct store *store = store_new(ti);
	int err;

	if (!store) {
		ti->error = "Out of memory";
		return -ENOMEM;
	}
	err = store_build(store, argc, argv, &ti->error);
	if (err) {
		store_free(store);
		return err;
	}
	ti->private = store;
	ti->per_io_data_size = sizeof(struct store_transfer);
	ti->num_flush_bios = 1;
	ti->flush_supported = true;
	ti->num_discard_bios = 1;
	ti->discards_supported = true;
	return 0;
}

static void vstore_dtr(struct dm_target *ti)
{
	store_free(ti->private);
}

static int claim(struct store *store)
{
	bool taken;

	mutex_lock(&active_lock);
	taken = is_taken(store);
	if (!taken)
		list_add(&store->active, &active);
	mutex_unlock(&active_lock);
	return taken ? -EBUSY : 0;
}

static void unclaim(struct store *store)
{
	mutex_lock(&active_lock);
	list_del_init(&store->active);
	mutex_unlock(&active_lock);
}

/*
 * The tree is read here, not by the constructor: when a table is replaced, the
 * one before still writes while the new one is built.
 */
static int vstore_preresume(struct dm_target *ti)
{
	u64 nr_blocks = ti->len >> (STORE_BLOCK_SHIFT - SECTOR_SHIFT);
	struct store *store = ti->private;
	const char *name = store->pram_name;
	struct store_report report;
	ktime_t began;
	s64 took_us;
	int err;

	if (store->open)
		return 0;
	if (!is_in_place(store)) {
		DMERR("PRAM %s: refused: it is not where it was when the table was loaded", name);
		return -ENXIO;
	}
	err = claim(store);
	if (err) {
		DMERR("PRAM %s: refused: another store uses it", name);
		return err;
	}
	mutex_lock(&store->lock);
	began = ktime_get();
	err = store_map_open(&store->map, store->base, store->pages, store->nr_pages,
			     nr_blocks, &report);
	if (!err && store_share_open(store)) {
		report.why = "an entry leads to what was lent to memory";
		err = -EINVAL;
	}
	if (!err) {
		store_relist(store, report.dirty);
		store->open = true;
	}
	took_us = ktime_us_delta(ktime_get(), began);
	mutex_unlock(&store->lock);
	if (err) {
		DMERR("PRAM %s: refused: %s (block %llu)", name, report.why, report.block);
		unclaim(store);
		return err;
	}
	DMINFO("PRAM %s: %u blocks for the disk, %u clean, %u nodes, %u left empty by a power cut",
	       name, report.dirty, report.clean, store->map.nr_nodes, report.pruned);
	DMINFO("PRAM %s: the tree was read in %lld us", name, took_us);
	return 0;
}

static void vstore_resume(struct dm_target *ti)
{
	struct store *store = ti->private;

	mutex_lock(&store->lock);
	if (store_writeback_wanted(store))
		queue_delayed_work(store->queue, &store->work, 0);
	mutex_unlock(&store->lock);
	store_share_start(store);
	store_settings_show(store);
}

/* Requests are still done here, as claiming memory may need. */
static void vstore_presuspend(struct dm_target *ti)
{
	store_share_stop(ti->private);
}

static void vstore_presuspend_undo(struct dm_target *ti)
{
	store_share_start(ti->private);
}

/* Everything is in PRAM, durably: there is nothing to save. */
static void vstore_postsuspend(struct dm_target *ti)
{
	struct store *store = ti->private;

	store_settings_hide(store);
	/* From here on nothing that is queued does anything. */
	mutex_lock(&store->lock);
	store->open = false;
	mutex_unlock(&store->lock);
	cancel_delayed_work_sync(&store->work);
	store_promote_settle(store);
	mutex_lock(&store->lock);
	store_cache_clear(store);
	mutex_unlock(&store->lock);
	unclaim(store);
}

static void status_line(struct store *store, char *result, unsigned int maxlen)
{
	const struct store_counts *c = &store->counts;
	const struct store_share *share = &store->share;
	const struct store_map *map = &store->map;

	scnprintf(result, maxlen,
		  "pages %u free %u nodes %u dirty %u merged %u clean %u read_pram %llu read_disk %llu write_pram %llu write_disk %llu write_full %llu continued %llu moved %llu evicted %llu errors %llu lent %u lends %llu claims %llu claims_failed %llu shifted %llu promoted %llu bad_pages %u bad_blocks %u volatile %u read_volatile %llu",
		  map->nr_pages, map->nr_free, map->nr_nodes, store->nr_dirty,
		  store->nr_merged, store_nr_clean(store),
		  c->read_pram, c->read_disk, c->write_pram, c->write_disk,
		  c->write_full, c->merged, c->moved, c->evicted, c->errors,
		  map->nr_away, share->lends, share->claims, share->claims_failed, share->moved,
		  c->promoted, map->nr_bad, map->nr_lost, store->cache.nr, c->read_volatile);
}

static void vstore_status(struct dm_target *ti, status_type_t type, unsigned int flags,
			  char *result, unsigned int maxlen)
{
	struct store *store = ti->private;

	mutex_lock(&store->lock);
	if (type == STATUSTYPE_INFO)
		status_line(store, result, maxlen);
	else if (type == STATUSTYPE_TABLE)
		store_tell(store, result, maxlen);
	else if (maxlen)
		*result = '\0';
	mutex_unlock(&store->lock);
}

static int vstore_message(struct dm_target *ti, unsigned int argc, char **argv,
			  char *result, unsigned int maxlen)
{
	struct store *store = ti->private;
	int err;

	if (argc == 1 && !strcasecmp(argv[0], "flush"))
		return store_flush(store);
	if (argc != 2)
		return -EINVAL;
	mutex_lock(&store->lock);
	err = store_set(store, argv[0], argv[1]);
	store_share_poke(store);
	mutex_unlock(&store->lock);
	return err;
}

static int vstore_iterate(struct dm_target *ti, iterate_devices_callout_fn fn, void *data)
{
	struct store *store = ti->private;

	return fn(ti, store->disk, 0, ti->len, data);
}

static void vstore_hints(struct dm_target *ti, struct queue_limits *limits)
{
	const unsigned int block = STORE_BLOCK_SIZE;

	limits->logical_block_size = max_t(unsigned int, limits->logical_block_size, block);
	limits->physical_block_size = max_t(unsigned int, limits->physical_block_size, block);
	limits->io_min = max_t(unsigned int, limits->io_min, block);
	limits->discard_granularity = max_t(unsigned int, limits->discard_granularity, block);
	/* The disk takes none, and so has no limit: they end here. */
	if (!limits->max_discard_sectors) {
		limits->max_discard_sectors = SZ_1G >> SECTOR_SHIFT;
		limits->max_hw_discard_sectors = limits->max_discard_sectors;
	}
}

static struct target_type vstore_target = {
	.name = "vstore",
	.version = { 1, 0, 0 },
	.features = DM_TARGET_SINGLETON,
	.module = THIS_MODULE,
	.ctr = vstore_ctr,
	.dtr = vstore_dtr,
	.map = store_map_bio,
	.preresume = vstore_preresume,
	.resume = vstore_resume,
	.presuspend = vstore_presuspend,
	.presuspend_undo = vstore_presuspend_undo,
	.postsuspend = vstore_postsuspend,
	.status = vstore_status,
	.message = vstore_message,
	.iterate_devices = vstore_iterate,
	.io_hints = vstore_hints,
};

static int __init vstore_init(void)
{
	int err = store_share_init();

	if (err)
		return err;
	err = store_caches_init();
	if (err)
		goto err_caches;
	err = dm_register_target(&vstore_target);
	if (err)
		goto err_target;
	return 0;

err_target:
	store_caches_exit();
err_caches:
	store_share_exit();
	return err;
}

static void __exit vstore_exit(void)
{
	dm_unregister_target(&vstore_target);
	store_caches_exit();
	store_share_exit();
}

module_init(vstore_init);
module_exit(vstore_exit);

MODULE_DESCRIPTION("Device-mapper target that keeps small requests in PRAM and large ones on disk");
MODULE_LICENSE("GPL");
