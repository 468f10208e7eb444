// SPDX-License-Identifier: GPL-2.0-only
/* Bank maps and their directories, /sys/kernel/memsuite/bank_maps. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include <memsuite/control.h>

#include "region/bank_map_sysfs.h"

/* The longest line that may be written. */
#define LINE_SIZE	(MEMSUITE_REGION_NAME + MEMSUITE_BANK_TEXT)

/**
 * struct entry - a map and its directory
 * @kobj: the directory
 * @map: does not change
 * @link: in all maps, under maps_lock
 * @users: regions that are sets of its banks, under maps_lock
 */
struct entry {
	struct kobject kobj;
	struct memsuite_bank_map map;
	struct list_head link;
	unsigned int users;
};

static LIST_HEAD(maps);
static LIST_HEAD(leaving);	/* removed, while somebody may be in a file of theirs */
static DEFINE_MUTEX(maps_lock);	/* of both lists */
static struct kobject *dir;

static const struct memsuite_bank_map *kobj_to_map(struct kobject *kobj)
{
	return &container_of(kobj, struct entry, kobj)->map;
}

static struct entry *entry_find(const struct list_head *list, const char *name)
{
	struct entry *entry;

	list_for_each_entry(entry, list, link)
		if (!strcmp(entry->map.name, name))
			return entry;
	return NULL;
}

const struct memsuite_bank_map *memsuite_bank_map_get(const char *name)
{
	struct entry *entry;

	mutex_lock(&maps_lock);
	entry = entry_find(&maps, name);
	if (entry)
		entry->users++;
	mutex_unlock(&maps_lock);
	return entry ? &entry->map : ERR_PTR(-ENOENT);
}

void memsuite_bank_map_put(const struct memsuite_bank_map *map)
{
	if (!map)
		return;
	mutex_lock(&maps_lock);
	container_of(map, struct entry, map)->users--;
	mutex_unlock(&maps_lock);
}

MEMSUITE_ATTR_RO(map, "%s", kobj_to_map(kobj)->text);
MEMSUITE_ATTR_RO(banks, "%u", kobj_to_map(kobj)->nr_banks);
MEMSUITE_ATTR_RO(banks_a_frame, "%u", kobj_to_map(kobj)->banks_a_frame);
MEMSUITE_ATTR_RO(row_frames, "%llu", kobj_to_map(kobj)->row_frames);

/* As it would be written if nothing selected below the page. */
static ssize_t frame_map_show(struct kobject *kobj, struct kobj_attribute *attr,
			      char *buf)
{
	const struct memsuite_bank_map *map = kobj_to_map(kobj);
	unsigned int i;
	int at;

	at = sysfs_emit(buf, map->nr_masks ? "xor=" : "interleave=");
	for (i = 0; i < map->nr_masks; i++)
		at += sysfs_emit_at(buf, at, "%s0x%llx", i ? "," : "",
				    map->masks[i] << PAGE_SHIFT);
	for (i = 0; i < map->nr_levels; i++)
		at += sysfs_emit_at(buf, at, "%s%llux%llu", i ? "," : "",
				    map->levels[i].frames << PAGE_SHIFT,
				    map->levels[i].count);
	return at + sysfs_emit_at(buf, at, "\n");
}

static struct kobj_attribute frame_map_attr = __ATTR_RO(frame_map);

static struct attribute *map_attrs[] = {
	&map_attr.attr, &frame_map_attr.attr, &banks_attr.attr, &banks_a_frame_attr.attr,
	&row_frames_attr.attr, NULL
};

static const struct attribute_group map_group = {
	.attrs = map_attrs,
	.is_visible = memsuite_attr_admin,
};

static const struct attribute_group *map_groups[] = { &map_group, NULL };

static void entry_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct entry, kobj));
}

static struct kobj_type map_type = {
	.sysfs_ops = &memsuite_sysfs_ops,
	.release = entry_release,
	.default_groups = map_groups,
};

/* The names of the directory's own files are taken. */
static bool name_is_taken(const char *name)
{
	return !strcmp(name, "add") || !strcmp(name, "remove") || entry_find(&maps, name);
}

/* Takes over @entry. */
static int entry_publish(struct entry *entry)
{
	int err;

	kobject_init(&entry->kobj, &map_type);
	mutex_lock(&maps_lock);
	if (name_is_taken(entry->map.name))
		err = -EEXIST;
	else if (entry_find(&leaving, entry->map.name))
		err = -EBUSY;
	else
		err = kobject_add(&entry->kobj, dir, "%s", entry->map.name);
	if (err)
		kobject_put(&entry->kobj);
	else
		list_add_tail(&entry->link, &maps);
	mutex_unlock(&maps_lock);
	return err;
}

static ssize_t add_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count)
{
	struct entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	char *line = kmalloc(LINE_SIZE, GFP_KERNEL);
	int err = -ENOMEM;

	if (entry && line)
		err = memsuite_parse_line(buf, count, line, LINE_SIZE);
	if (!err)
		err = memsuite_bank_map_parse(line, &entry->map);
	if (err == -EOPNOTSUPP)
		pr_warn_ratelimited("bank map %s: no two page frames lie in different banks: all that selects lies below the page\n",
				    entry->map.name);
	if (err)
		kfree(entry);
	else
		err = entry_publish(entry);
	kfree(line);
	return err ?: count;
}

/* Not under maps_lock: removal waits for readers. */
static void entry_del(struct entry *entry)
{
	kobject_del(&entry->kobj);
	mutex_lock(&maps_lock);
	list_del(&entry->link);
	mutex_unlock(&maps_lock);
	kobject_put(&entry->kobj);
}

static ssize_t remove_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	char name[MEMSUITE_REGION_NAME];
	struct entry *entry;
	int err;

	err = memsuite_parse_line(buf, count, name, sizeof(name));
	if (err)
		return err == -E2BIG ? -ENOENT : err;
	mutex_lock(&maps_lock);
	entry = entry_find(&maps, name);
	if (!entry)
		err = -ENOENT;
	else if (entry->users)
		err = -EBUSY;
	else
		list_move(&entry->link, &leaving);
	mutex_unlock(&maps_lock);
	if (err)
		return err;
	entry_del(entry);
	return count;
}

static struct kobj_attribute add_attr = __ATTR_WO(add);
static struct kobj_attribute remove_attr = __ATTR_WO(remove);

static struct attribute *maps_attrs[] = {
	&add_attr.attr, &remove_attr.attr, NULL
};
ATTRIBUTE_GROUPS(maps);

int memsuite_bank_maps_init(void)
{
	dir = memsuite_control_add("bank_maps", maps_groups);
	return PTR_ERR_OR_ZERO(dir);
}

void memsuite_bank_maps_exit(void)
{
	struct entry *entry, *next;

	sysfs_remove_groups(dir, maps_groups);
	list_for_each_entry_safe(entry, next, &maps, link)
		entry_del(entry);
	memsuite_control_del(dir);
}
