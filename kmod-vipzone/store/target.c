// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: the device-mapper target.
 *
 *	START LENGTH vstore DISK PRAM [NUMBER FEATURE...]
 *
 * The features are "format", "shared", "uuid" UUID, "trust" disk or pram, "cache" REGION, and the
 * settings of settings.c, each with its value. PRAM is a block device with DAX, which the target
 * has to itself; or, with the feature "shared", the addresses START-END of a PRAM that no driver
 * has.
 */

#include <linux/dm-io.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat/dm.h"
#include "store/blocks.h"
#include "store/claim.h"
#include "store/io.h"
#include "store/map/recovery.h"
#include "store/pram_device.h"
#include "store/promote.h"
#include "store/read_cache.h"
#include "store/sealing.h"
#include "store/settings.h"
#include "store/share.h"
#include "store/share_shrinker.h"
#include "store/vstore.h"
#include "store/writeback.h"

/* Of a larger one the parts come one after another: others have the store's lock in between. */
#define REQUEST_MAX	(4UL << 20)

/* Features that are no settings. */
struct modes {
	bool format;
	bool shared;
	const char *cache;	/* name of a region, or NULL */
	uuid_t uuid;		/* null: any */
};

static int trust_set(struct vstore *store, const char *value)
{
	if (!strcasecmp(value, "disk"))
		store->sealing.trust = VSTORE_TRUST_DISK;
	else if (!strcasecmp(value, "pram"))
		store->sealing.trust = VSTORE_TRUST_PRAM;
	else
		return -EINVAL;
	return 0;
}

static int parse_features(struct vstore *store, struct dm_arg_set *args, struct modes *modes,
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
		if (value && !strcasecmp(name, "trust") && !trust_set(store, value)) {
			left--;
			continue;
		}
		if (value && !strcasecmp(name, "cache")) {
			modes->cache = value;
			left--;
			continue;
		}
		if (!value || (strcasecmp(name, "uuid") ? vstore_settings_set(store, name, value) :
							  uuid_parse(value, &modes->uuid))) {
			*error = "Invalid feature";
			return -EINVAL;
		}
		left--;
	}
	return 0;
}

static void store_free(struct vstore *store)
{
	if (store->queue)
		destroy_workqueue(store->queue);
	vstore_promote_free(store);
	if (store->io)
		dm_io_client_destroy(store->io);
	vstore_share_free(store);
	vstore_read_cache_close(store);
	kfree(store->pram_name);
	vfree(store->buffer);
	kfree(store->block);
	vfree(store->pages);
	if (store->pram)
		dm_put_device(store->ti, store->pram);
	if (store->disk)
		dm_put_device(store->ti, store->disk);
	mutex_destroy(&store->lock);
	kfree(store);
}

static struct vstore *store_new(struct dm_target *ti)
{
	struct vstore *store = kzalloc(sizeof(*store), GFP_KERNEL);

	if (!store)
		return NULL;
	store->ti = ti;
	store->policy = VSTORE_MERGING;
	store->threshold = SZ_64K;
	store->high_pct = 75;
	store->low_pct = 65;
	store->share.min_pct = 5;
	store->share.max_pct = 90;
	mutex_init(&store->lock);
	init_waitqueue_head(&store->batch_done);
	INIT_LIST_HEAD(&store->active);
	INIT_LIST_HEAD(&store->flushes);
	INIT_DELAYED_WORK(&store->work, vstore_writeback_work);
	vstore_promote_init(store);
	vstore_read_cache_init(store);
	return store;
}

/* All the memory that a request may need later. */
static int store_alloc_io(struct vstore *store)
{
	struct dm_io_client *io = dm_io_client_create();

	if (IS_ERR(io))
		return PTR_ERR(io);
	store->io = io;
	store->pages = vzalloc(array_size(store->nr_pages, sizeof(*store->pages)));
	store->block = kmalloc(VSTORE_BLOCK_SIZE, GFP_KERNEL);
	store->buffer = vmalloc(VSTORE_BATCH * VSTORE_BLOCK_SIZE);
	store->queue = alloc_workqueue("vstore", WQ_MEM_RECLAIM | WQ_UNBOUND, 1);
	if (!store->pages || !store->block || !store->buffer || !store->queue)
		return -ENOMEM;
	return vstore_promote_alloc(store);
}

static int store_build(struct vstore *store, unsigned int argc, char **argv,
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
	if (ti->begin || !ti->len || ti->len & ((VSTORE_BLOCK_SIZE >> SECTOR_SHIFT) - 1)) {
		*error = "Not whole blocks of 4 KiB from 0 on";
		return -EINVAL;
	}
	*error = "Cannot open the disk";
	err = dm_get_device(ti, dm_shift_arg(&args), dm_table_get_mode(ti->table), &store->disk);
	if (err)
		return err;
	if (bdev_logical_block_size(store->disk->bdev) > VSTORE_BLOCK_SIZE) {
		*error = "The disk's blocks are larger than 4 KiB";
		return -EINVAL;
	}
	store->read_only = !memsuite_dm_is_writable(ti->table) ||
			   bdev_read_only(store->disk->bdev);
	pram = dm_shift_arg(&args);
	err = parse_features(store, &args, &modes, error);
	if (err)
		return err;
	if (store->read_only && (modes.format || modes.shared)) {
		*error = "What is read-only is neither formatted nor shared";
		return -EROFS;
	}
	store->built = true;
	if (store->low_pct > store->high_pct) {
		*error = "low_watermark is above high_watermark";
		return -EINVAL;
	}
	if (memsuite_bdev_nr_sectors(store->disk->bdev) < ti->len) {
		*error = "The disk is smaller than the table says";
		return -EINVAL;
	}
	err = vstore_read_cache_open(store, modes.cache, error);
	if (err)
		return err;
	err = modes.shared ? vstore_pram_device_map_range(store, pram, error) :
			     vstore_pram_device_map(store, pram, error);
	if (!err && vstore_claim_is_one_device(store)) {
		*error = "Disk and PRAM are one device";
		return -EINVAL;
	}
	if (!err && store->pram)
		store->read_only |= bdev_read_only(store->pram->bdev);
	if (!err)
		err = vstore_pram_device_check(store, modes.format, &modes.uuid, error);
	if (err)
		return err;
	*error = "Out of memory";
	return store_alloc_io(store);
}

static int vstore_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct vstore *store = store_new(ti);
	int err;

	if (!store) {
		ti->error = "Out of memory";
		return -ENOMEM;
	}
	err = dm_set_target_max_io_len(ti, REQUEST_MAX >> SECTOR_SHIFT) ?:
	      store_build(store, argc, argv, &ti->error);
	if (err) {
		store_free(store);
		return err;
	}
	ti->private = store;
	ti->per_io_data_size = sizeof(struct vstore_transfer);
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

static int tree_read(struct vstore *store, struct vstore_report *report)
{
	u64 nr_blocks = store->ti->len >> (VSTORE_BLOCK_SHIFT - SECTOR_SHIFT);
	int err = vstore_map_open(&store->map, store->base, store->pages, store->nr_pages,
				  nr_blocks, !store->read_only, report);

	if (err || !vstore_share_open(store))
		return err;
	return vstore_refuse(report, "an entry leads to what was lent to memory", 0);
}

static int store_read(struct vstore *store, struct vstore_report *report)
{
	int err = vstore_pram_device_check_again(store, report) ?:
		  vstore_sealing_check(store, report) ?: tree_read(store, report) ?:
		  vstore_sealing_resume(store, report);

	/* The disk counts: what was read is dropped. */
	return err == -EAGAIN ? tree_read(store, report) : err;
}

/*
 * The tree is read here, not by the constructor: when a table is replaced, the
 * one before still writes while the new one is built.
 */
static int vstore_preresume(struct dm_target *ti)
{
	struct vstore *store = ti->private;
	const char *name = store->pram_name, *taken;
	struct vstore_report report = {};
	ktime_t began;
	s64 took_us;
	int err;

	if (store->open)
		return 0;
	if (vstore_is_read_only(store) && !store->read_only) {
		DMERR("PRAM %s: refused: it, or the disk, is read-only by now: load the table anew",
		      name);
		return -EROFS;
	}
	if (!vstore_pram_device_in_place(store)) {
		DMERR("PRAM %s: refused: it is not where it was when the table was loaded", name);
		return -ENXIO;
	}
	err = vstore_claim_take(store, &taken);
	if (err) {
		DMERR("PRAM %s: refused: another store uses the %s", name, taken);
		return err;
	}
	mutex_lock(&store->lock);
	began = ktime_get();
	err = store_read(store, &report);
	if (!err) {
		vstore_blocks_init(store);
		store->sealing.trust = VSTORE_TRUST_NEITHER;
		store->open = true;
	}
	took_us = ktime_us_delta(ktime_get(), began);
	mutex_unlock(&store->lock);
	if (err) {
		DMERR("PRAM %s: refused: %s (block %llu): %d", name, report.why, report.block, err);
		vstore_claim_release(store);
		return err;
	}
	DMINFO("PRAM %s: %u blocks for the disk, %u clean, %u nodes, %u left empty by a power cut",
	       name, store->nr_dirty, report.clean, store->map.nr_nodes, report.pruned);
	DMINFO("PRAM %s: the tree was read in %lld us", name, took_us);
	return 0;
}

static void vstore_resume(struct dm_target *ti)
{
	struct vstore *store = ti->private;

	mutex_lock(&store->lock);
	if (vstore_writeback_wanted(store))
		queue_delayed_work(store->queue, &store->work, 0);
	mutex_unlock(&store->lock);
	vstore_share_start(store);
	vstore_settings_add(store);
}

/* Requests are still done here, as claiming memory may need. */
static void vstore_presuspend(struct dm_target *ti)
{
	vstore_share_stop(ti->private);
}

static void vstore_presuspend_undo(struct dm_target *ti)
{
	vstore_share_start(ti->private);
}

/* Everything is in PRAM, durably: there is nothing to save. */
static void vstore_postsuspend(struct dm_target *ti)
{
	struct vstore *store = ti->private;

	vstore_settings_remove(store);
	/* From here on nothing that is queued does anything. */
	mutex_lock(&store->lock);
	store->open = false;
	mutex_unlock(&store->lock);
	vstore_writeback_stop(store);
	vstore_promote_drain(store);
	mutex_lock(&store->lock);
	vstore_read_cache_clear(store);
	mutex_unlock(&store->lock);
	vstore_claim_release(store);
}

static void status_line(struct vstore *store, char *result, unsigned int maxlen)
{
	const struct vstore_counts *c = &store->counts;
	const struct vstore_share *share = &store->share;
	const struct vstore_map *map = &store->map;

	scnprintf(result, maxlen,
		  "pages %u free %u nodes %u dirty %u merged %u clean %u read_pram %llu read_disk %llu write_pram %llu write_disk %llu write_full %llu continued %llu moved %llu evicted %llu errors %llu lent %u lends %llu claims %llu claims_failed %llu shifted %llu promoted %llu bad_pages %u bad_blocks %u volatile %u read_volatile %llu sealed %u",
		  map->nr_pages, map->nr_free, map->nr_nodes, store->nr_dirty,
		  store->nr_merged, vstore_blocks_nr_clean(store),
		  c->read_pram, c->read_disk, c->write_pram, c->write_disk,
		  c->write_full, c->merged, c->moved, c->evicted, c->errors,
		  map->nr_away, share->lends, share->claims, share->claims_failed, share->moved,
		  c->promoted, map->nr_bad, map->nr_lost, store->cache.nr, c->read_volatile,
		  store->sealing.seal.state != VSTORE_DISK_WHOLE);
}

static void vstore_status(struct dm_target *ti, status_type_t type, unsigned int flags,
			  char *result, unsigned int maxlen)
{
	struct vstore *store = ti->private;

	mutex_lock(&store->lock);
	if (type == STATUSTYPE_INFO)
		status_line(store, result, maxlen);
	else if (type == STATUSTYPE_TABLE)
		vstore_settings_print(store, result, maxlen);
	else if (maxlen)
		*result = '\0';
	mutex_unlock(&store->lock);
}

static int vstore_message(struct dm_target *ti, unsigned int argc, char **argv,
			  char *result, unsigned int maxlen)
{
	struct vstore *store = ti->private;
	int err;

	if (argc == 1 && !strcasecmp(argv[0], "flush"))
		return vstore_writeback_flush(store);
	if (argc != 2)
		return -EINVAL;
	mutex_lock(&store->lock);
	err = vstore_settings_set(store, argv[0], argv[1]);
	vstore_share_kick(store);
	mutex_unlock(&store->lock);
	return err;
}

static int vstore_iterate(struct dm_target *ti, iterate_devices_callout_fn fn, void *data)
{
	struct vstore *store = ti->private;

	return fn(ti, store->disk, 0, ti->len, data);
}

/* Of one discard, which has the store's lock meanwhile. */
#define DISCARD_SECTORS	((unsigned int)(SZ_64M >> SECTOR_SHIFT))

static void vstore_hints(struct dm_target *ti, struct queue_limits *limits)
{
	const unsigned int block = VSTORE_BLOCK_SIZE;

	limits->logical_block_size = max_t(unsigned int, limits->logical_block_size, block);
	limits->physical_block_size = max_t(unsigned int, limits->physical_block_size, block);
	limits->io_min = max_t(unsigned int, limits->io_min, block);
	limits->discard_granularity = max_t(unsigned int, limits->discard_granularity, block);
	/*
	 * A disk that takes none has no limit: they end here. Of one that does, it may be 4 GiB,
	 * and PRAM may have all of its blocks: others would wait for long.
	 */
	limits->max_discard_sectors = min_not_zero(limits->max_discard_sectors, DISCARD_SECTORS);
	limits->max_hw_discard_sectors = limits->max_discard_sectors;
}

static struct target_type vstore_target = {
	.name = "vstore",
	.version = { 1, 0, 0 },
	.features = DM_TARGET_SINGLETON,
	.module = THIS_MODULE,
	.ctr = vstore_ctr,
	.dtr = vstore_dtr,
	.map = vstore_io_map,
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
	int err = vstore_share_shrinker_init();

	if (err)
		return err;
	err = vstore_read_cache_shrinker_init();
	if (err)
		goto err_caches;
	err = dm_register_target(&vstore_target);
	if (err)
		goto err_target;
	return 0;

err_target:
	vstore_read_cache_shrinker_exit();
err_caches:
	vstore_share_shrinker_exit();
	return err;
}

static void __exit vstore_exit(void)
{
	dm_unregister_target(&vstore_target);
	vstore_read_cache_shrinker_exit();
	vstore_share_shrinker_exit();
}

module_init(vstore_init);
module_exit(vstore_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The memsuite authors");
MODULE_DESCRIPTION("Device-mapper target that keeps small requests in PRAM and large ones on disk");
MODULE_VERSION(MEMSUITE_VERSION);
