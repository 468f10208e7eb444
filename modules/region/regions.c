// SPDX-License-Identifier: GPL-2.0-only
/* The table of regions: which there are, adding them and removing them. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <asm/processor.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "region/bank_map_sysfs.h"
#include "region/dmi.h"
#include "region/region_parse.h"
#include "region/region_private.h"
#include "region/region_sysfs.h"
#include "region/regions.h"

/* What a pool holds unless the administrator says otherwise. */
#define POOL_SHARE	8
#define POOL_DEFAULT	(SZ_64M >> PAGE_SHIFT)

static LIST_HEAD(regions);
static LIST_HEAD(leaving);	/* removed, while somebody may be in a file of theirs */
static DEFINE_MUTEX(regions_lock);	/* of both lists */
static struct kobject *dir;

static struct memsuite_region *regions_find(const struct list_head *list, const char *name)
{
	struct memsuite_region *region;

	list_for_each_entry(region, list, link)
		if (!strcmp(region->spec.name, name))
			return region;
	return NULL;
}

struct memsuite_region *memsuite_region_get(const char *name)
{
	struct memsuite_region *region;

	mutex_lock(&regions_lock);
	region = regions_find(&regions, name);
	if (region)
		region->users++;
	mutex_unlock(&regions_lock);
	return region ?: ERR_PTR(-ENOENT);
}
EXPORT_SYMBOL_GPL(memsuite_region_get);

void memsuite_region_put(struct memsuite_region *region)
{
	mutex_lock(&regions_lock);
	region->users--;
	mutex_unlock(&regions_lock);
}
EXPORT_SYMBOL_GPL(memsuite_region_put);

static bool region_covers(const struct memsuite_region *region, u64 address)
{
	struct page *page = pfn_to_online_page(PHYS_PFN(address));

	return address >= region->spec.start && address < region->spec.end &&
	       (!page || memsuite_region_owns(region, page));
}

bool memsuite_region_at(u64 address, unsigned int sources,
			struct memsuite_region_spec *spec)
{
	struct memsuite_region *region, *best = NULL;

	mutex_lock(&regions_lock);
	list_for_each_entry(region, &regions, link)
		if ((sources & BIT(region->spec.source)) &&
		    region_covers(region, address) &&
		    (!best || memsuite_region_size(region) < memsuite_region_size(best)))
			best = region;
	if (best)
		memsuite_region_copy_spec(best, spec);
	mutex_unlock(&regions_lock);
	return best;
}
EXPORT_SYMBOL_GPL(memsuite_region_at);

void memsuite_regions_each(void (*see)(const struct memsuite_region_spec *spec,
				       void *context), void *context)
{
	struct memsuite_region_spec spec;
	struct memsuite_region *region;

	mutex_lock(&regions_lock);
	list_for_each_entry(region, &regions, link) {
		memsuite_region_copy_spec(region, &spec);
		see(&spec, context);
	}
	mutex_unlock(&regions_lock);
}
EXPORT_SYMBOL_GPL(memsuite_regions_each);

bool memsuite_region_bounds(unsigned long pfn, unsigned long *start,
			    unsigned long *end)
{
	struct memsuite_region *region;
	bool whole = true;

	*start = 0;
	*end = ULONG_MAX;
	mutex_lock(&regions_lock);
	list_for_each_entry(region, &regions, link) {
		unsigned long first = memsuite_region_start_pfn(region);
		unsigned long behind = memsuite_region_end_pfn(region);

		if (first <= pfn)
			*start = max(*start, first);
		else
			*end = min(*end, first);
		if (behind <= pfn)
			*start = max(*start, behind);
		else
			*end = min(*end, behind);
		if (region->banks.map && first <= pfn && pfn < behind)
			whole = false;
	}
	mutex_unlock(&regions_lock);
	return whole;
}
EXPORT_SYMBOL_GPL(memsuite_region_bounds);

static void region_release(struct kobject *kobj)
{
	kfree(memsuite_region_of(kobj));
}

static struct kobj_type region_type = {
	.sysfs_ops = &memsuite_sysfs_ops,
	.release = region_release,
	.default_groups = memsuite_region_groups,
};

/* Finds the banks that the region is a set of, if it is one. */
static int region_open_banks(struct memsuite_region *region)
{
	const struct memsuite_region_spec *spec = &region->spec;
	const struct memsuite_bank_map *map;

	if (!spec->map[0])
		return 0;
	map = memsuite_bank_map_get(spec->map);
	if (IS_ERR(map))
		return PTR_ERR(map);
	if (find_next_bit(spec->banks, MEMSUITE_MAX_BANKS, map->nr_banks) <
	    MEMSUITE_MAX_BANKS) {
		memsuite_bank_map_put(map);
		return -ERANGE;
	}
	region->banks.map = map;
	region->banks.banks = spec->banks;
	return 0;
}

/* Under regions_lock. */
static int region_publish(struct memsuite_region *region)
{
	int err;

	if (regions_find(&regions, region->spec.name))
		return -EEXIST;
	if (regions_find(&leaving, region->spec.name))
		return -EBUSY;
	err = kobject_add(&region->kobj, dir, "%s", region->spec.name);
	if (!err)
		list_add_tail(&region->link, &regions);
	return err;
}

int memsuite_region_add(const struct memsuite_region_spec *spec)
{
	struct memsuite_region *region = kzalloc(sizeof(*region), GFP_KERNEL);
	unsigned long pages;
	int err;

	if (!region)
		return -ENOMEM;
	region->spec = *spec;
	mutex_init(&region->sample_lock);
	err = region_open_banks(region);
	if (err) {
		kfree(region);
		return err;
	}
	pages = PHYS_PFN(memsuite_region_size(region));
	region->pool_target = min_t(unsigned long, pages / POOL_SHARE,
				    POOL_DEFAULT);
	kobject_init(&region->kobj, &region_type);
	mutex_lock(&regions_lock);
	err = region_publish(region);
	mutex_unlock(&regions_lock);
	if (err) {
		memsuite_bank_map_put(region->banks.map);
		kobject_put(&region->kobj);
	}
	return err;
}

/* Not under regions_lock: removal waits for readers that take it. */
static void region_del(struct memsuite_region *region)
{
	kobject_del(&region->kobj);
	mutex_lock(&regions_lock);
	list_del(&region->link);
	mutex_unlock(&regions_lock);
	memsuite_bank_map_put(region->banks.map);
	kobject_put(&region->kobj);
}

void memsuite_regions_grow(unsigned long pfn, unsigned long nr)
{
	int nid = pfn_to_nid(pfn);
	struct memsuite_region_spec *spec;
	struct memsuite_region *region;

	mutex_lock(&regions_lock);
	list_for_each_entry(region, &regions, link) {
		spec = &region->spec;
		if (spec->source != MEMSUITE_REGION_NODE || spec->nid != nid)
			continue;
		WRITE_ONCE(spec->start, min_t(u64, spec->start, PFN_PHYS(pfn)));
		WRITE_ONCE(spec->end, max_t(u64, spec->end, PFN_PHYS(pfn + nr)));
	}
	mutex_unlock(&regions_lock);
}

/*
 * A page of DIMMs that are interleaved lies in all of them: a region of some of
 * them is none.
 */
static bool region_is_torn(const struct memsuite_region_spec *spec)
{
	struct memsuite_region *region;
	bool torn = false;

	mutex_lock(&regions_lock);
	list_for_each_entry(region, &regions, link) {
		if (region->spec.source != MEMSUITE_REGION_DIMM ||
		    region->spec.interleaved != MEMSUITE_INTERLEAVED_YES ||
		    spec->start >= region->spec.end ||
		    region->spec.start >= spec->end ||
		    !memsuite_dmi_is_part(region->spec.locator, spec->locator))
			continue;
		pr_info_ratelimited("no region of %s: its pages are spread over %s\n",
				    spec->locator, region->spec.locator);
		torn = true;
	}
	mutex_unlock(&regions_lock);
	return torn;
}

static ssize_t add_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count)
{
	struct memsuite_region_spec spec;
	char line[256];
	int err;

	err = memsuite_parse_line(buf, count, line, sizeof(line));
	if (!err)
		err = memsuite_region_parse(line, &spec);
	if (!err && spec.end > 1ULL << boot_cpu_data.x86_phys_bits)
		err = -ERANGE;
	if (!err && region_is_torn(&spec))
		err = -EOPNOTSUPP;
	/* The names of this directory's own files are taken. */
	if (!err && (!strcmp(spec.name, "add") || !strcmp(spec.name, "remove")))
		err = -EEXIST;
	if (!err)
		err = memsuite_region_add(&spec);
	return err ?: count;
}

static ssize_t remove_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	struct memsuite_region *region;
	char name[MEMSUITE_REGION_NAME];
	int err;

	err = memsuite_parse_line(buf, count, name, sizeof(name));
	if (err)
		return err == -E2BIG ? -ENOENT : err;
	mutex_lock(&regions_lock);
	region = regions_find(&regions, name);
	if (!region)
		err = -ENOENT;
	else if (region->spec.source != MEMSUITE_REGION_ADMIN)
		err = -EPERM;
	else if (region->users)
		err = -EBUSY;
	else
		list_move(&region->link, &leaving);
	if (!err)
		WRITE_ONCE(region->gone, true);
	mutex_unlock(&regions_lock);
	if (err)
		return err;
	region_del(region);
	return count;
}

static struct kobj_attribute add_attr = __ATTR_WO(add);
static struct kobj_attribute remove_attr = __ATTR_WO(remove);

static struct attribute *regions_attrs[] = {
	&add_attr.attr, &remove_attr.attr, NULL
};
ATTRIBUTE_GROUPS(regions);

int memsuite_regions_init(void)
{
	memsuite_region_sysfs_init();
	dir = memsuite_control_add("regions", regions_groups);
	return PTR_ERR_OR_ZERO(dir);
}

void memsuite_regions_exit(void)
{
	struct memsuite_region *region, *next;

	/* Nobody adds another one from here on. */
	sysfs_remove_groups(dir, regions_groups);
	list_for_each_entry_safe(region, next, &regions, link)
		region_del(region);
	memsuite_control_del(dir);
}
