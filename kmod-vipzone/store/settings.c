// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-vstore: what can be set, by a table's features, by messages, and in sysfs, in
 * the directory vstore of the block device.
 */

#include <linux/blkdev.h>
#include <linux/capability.h>
#include <linux/sched/mm.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include <memsuite/region.h>

#include "store/read_cache.h"
#include "store/settings.h"
#include "store/share.h"
#include "store/vstore.h"

static const char *const setting_names[VSTORE_SETTINGS] = {
	"policy", "threshold", "low_watermark", "high_watermark", "reads",
	"storage_min", "storage_max", "cache_kib",
};

/* Whether a setting means something to this store. */
static bool setting_applies(const struct vstore *store, const char *name)
{
	if (!strncmp(name, "storage_", strlen("storage_")))
		return store->share.loan;
	return strcmp(name, "cache_kib") || store->cache.region;
}

static const char *const policy_names[] = {
	[VSTORE_RANDOM] = "random",
	[VSTORE_SELECTIVE] = "selective",
	[VSTORE_MERGING] = "merging",
};

static int setting_set_number(u32 *to, const char *value, u32 low, u32 high)
{
	u32 number;
	int err = kstrtouint(value, 10, &number);

	if (err)
		return err;
	if (number < low || number > high)
		return -ERANGE;
	WRITE_ONCE(*to, number);
	return 0;
}

static int setting_set_cache(struct vstore *store, const char *value)
{
	int err;

	if (store->built && !store->cache.region)
		return -EINVAL;
	err = setting_set_number(&store->cache.max_kib, value, 0, SZ_1G);
	if (!err)
		vstore_read_cache_trim(store);
	return err;
}

/**
 * vstore_settings_set() - change a setting
 * @store: it, locked or not in use
 * @name: of the setting
 * @value: as text
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int vstore_settings_set(struct vstore *store, const char *name, const char *value)
{
	int policy;

	if (!strcasecmp(name, "policy")) {
		policy = match_string(policy_names, ARRAY_SIZE(policy_names), value);
		if (policy < 0)
			return policy;
		WRITE_ONCE(store->policy, policy);
		return 0;
	}
	if (!strcasecmp(name, "reads")) {
		if (strcasecmp(value, "keep") && strcasecmp(value, "promote"))
			return -EINVAL;
		store->promotes = !strcasecmp(value, "promote");
		return 0;
	}
	if (!strcasecmp(name, "threshold"))
		return setting_set_number(&store->threshold, value, 0, SZ_1G);
	if (!strcasecmp(name, "high_watermark"))
		return setting_set_number(&store->high_pct, value,
					  store->built ? store->low_pct : 0, 100);
	if (!strcasecmp(name, "low_watermark"))
		return setting_set_number(&store->low_pct, value, 0,
					  store->built ? store->high_pct : 100);
	if (!strcasecmp(name, "storage_max"))
		return setting_set_number(&store->share.max_pct, value, 0, 100);
	if (!strcasecmp(name, "storage_min"))
		return setting_set_number(&store->share.min_pct, value, 0, 100);
	if (!strcasecmp(name, "cache_kib"))
		return setting_set_cache(store, value);
	return -EINVAL;
}

static void setting_print(const struct vstore *store, const char *name, char *value,
			  size_t size)
{
	u32 number = !strcmp(name, "threshold") ? store->threshold :
		     !strcmp(name, "low_watermark") ? store->low_pct :
		     !strcmp(name, "high_watermark") ? store->high_pct :
		     !strcmp(name, "storage_min") ? store->share.min_pct :
		     !strcmp(name, "storage_max") ? store->share.max_pct : store->cache.max_kib;

	if (!strcmp(name, "policy"))
		strscpy(value, policy_names[store->policy], size);
	else if (!strcmp(name, "reads"))
		strscpy(value, store->promotes ? "promote" : "keep", size);
	else
		snprintf(value, size, "%u", number);
}

/**
 * vstore_settings_print() - a table by which this store would be made
 * @store: it, locked
 * @result: gets it
 * @maxlen: size of @result
 */
void vstore_settings_print(const struct vstore *store, char *result, unsigned int maxlen)
{
	const struct memsuite_region *region = store->cache.region;
	unsigned int nr = 2 + !!store->share.loan + (region ? 2 : 0), i, at;
	char value[16];

	for (i = 0; i < VSTORE_SETTINGS; i++)
		nr += setting_applies(store, setting_names[i]) ? 2 : 0;
	at = scnprintf(result, maxlen, "%s %s %u%s uuid %pUb", store->disk->name, store->pram_name,
		       nr, store->share.loan ? " shared" : "", &store->uuid);
	if (region)
		at += scnprintf(result + at, maxlen - at, " cache %s",
				memsuite_region_spec(region)->name);
	for (i = 0; i < VSTORE_SETTINGS; i++) {
		if (!setting_applies(store, setting_names[i]))
			continue;
		setting_print(store, setting_names[i], value, sizeof(value));
		at += scnprintf(result + at, maxlen - at, " %s %s", setting_names[i], value);
	}
}

static struct vstore *attribute_vstore(struct kobj_attribute *attribute)
{
	return container_of(attribute, struct vstore_settings_file, attribute)->store;
}

static ssize_t file_show(struct kobject *kobj, struct kobj_attribute *attribute, char *buf)
{
	struct vstore *store = attribute_vstore(attribute);
	char value[16];

	mutex_lock(&store->lock);
	setting_print(store, attribute->attr.name, value, sizeof(value));
	mutex_unlock(&store->lock);
	return sysfs_emit(buf, "%s\n", value);
}

static ssize_t file_store(struct kobject *kobj, struct kobj_attribute *attribute,
			  const char *buf, size_t size)
{
	struct vstore *store = attribute_vstore(attribute);
	char value[16];
	int err;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (strscpy(value, buf, sizeof(value)) < 0)
		return -EINVAL;
	mutex_lock(&store->lock);
	err = vstore_settings_set(store, attribute->attr.name, strim(value));
	vstore_share_kick(store);
	mutex_unlock(&store->lock);
	return err ?: size;
}

/* Returns an error of sysfs, which would keep nothing from working but these files. */
static int file_make(struct vstore *store, struct vstore_settings_file *file, const char *name)
{
	file->store = store;
	sysfs_attr_init(&file->attribute.attr);
	file->attribute.attr.name = name;
	file->attribute.attr.mode = 0644;
	file->attribute.show = file_show;
	file->attribute.store = file_store;
	return sysfs_create_file(store->directory, &file->attribute.attr);
}

/**
 * vstore_settings_add() - make the files in sysfs
 * @store: it; its table is active from now on
 */
void vstore_settings_add(struct vstore *store)
{
	struct gendisk *disk = dm_disk(dm_table_get_md(store->ti->table));
	unsigned int i, flags;

	if (store->directory)
		return;
	/* The device may be what reclaim waits for. */
	flags = memalloc_noio_save();
	store->directory = kobject_create_and_add("vstore", &disk_to_dev(disk)->kobj);
	for (i = 0; store->directory && i < VSTORE_SETTINGS; i++)
		if (setting_applies(store, setting_names[i]) &&
		    file_make(store, &store->files[i], setting_names[i]))
			break;
	memalloc_noio_restore(flags);
	if (!store->directory || i < VSTORE_SETTINGS)
		DMWARN("PRAM %s: settings are missing in sysfs", store->pram_name);
}

/**
 * vstore_settings_remove() - they go; waits for who uses one
 * @store: it, not locked
 */
void vstore_settings_remove(struct vstore *store)
{
	kobject_del(store->directory);
	kobject_put(store->directory);
	store->directory = NULL;
}
