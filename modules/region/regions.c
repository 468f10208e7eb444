// SPDX-License-Identifier: GPL-2.0-only
/* The regions of physical memory: which there are, and their pools. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/list.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <asm/processor.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "core.h"
#include "region/bank_map_sysfs.h"
#include "region/dmi.h"
#include "region/region_private.h"

/* What a pool holds unless the administrator says otherwise. */
#define POOL_SHARE	8
#define POOL_DEFAULT	(SZ_64M >> PAGE_SHIFT)

static LIST_HEAD(regions);
static DEFINE_MUTEX(regions_lock);
/* Of all; adding a region may wait for who reads files of it. */
static DEFINE_SPINLOCK(technology_lock);
/* Held while a pool's threads are stopped, which may look regions up. */
static DEFINE_MUTEX(pools_lock);
static struct kobject *dir;

static unsigned long start_pfn(const struct memsuite_region *region)
{
	return PHYS_PFN(region->spec.start);
}

static unsigned long end_pfn(const struct memsuite_region *region)
{
	return PHYS_PFN(region->spec.end);
}

static struct memsuite_region *find(const char *name)
{
	struct memsuite_region *region;

	list_for_each_entry(region, &regions, link)
		if (!strcmp(region->spec.name, name))
			return region;
	return NULL;
}

struct memsuite_region *memsuite_region_get(const char *name)
{
	struct memsuite_region *region;

	mutex_lock(&regions_lock);
	region = find(name);
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

void memsuite_region_hold(struct memsuite_region *region)
{
	kobject_get(&region->kobj);
}
EXPORT_SYMBOL_GPL(memsuite_region_hold);

void memsuite_region_let_go(struct memsuite_region *region)
{
	kobject_put(&region->kobj);
}
EXPORT_SYMBOL_GPL(memsuite_region_let_go);

bool memsuite_region_is_gone(const struct memsuite_region *region)
{
	return READ_ONCE(region->gone);
}
EXPORT_SYMBOL_GPL(memsuite_region_is_gone);

const struct memsuite_region_spec *memsuite_region_spec(const struct memsuite_region *region)
{
	return &region->spec;
}
EXPORT_SYMBOL_GPL(memsuite_region_spec);

bool memsuite_region_owns(const struct memsuite_region *region, struct page *page)
{
	return (region->spec.nid < 0 ||
		region->spec.nid == page_to_nid(page)) &&
	       (!region->banks.map ||
		memsuite_bank_set_has(&region->banks, page_to_pfn(page)));
}

bool memsuite_region_has(const struct memsuite_region *region, struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	/* Also what came to it since it was found. */
	if (region->spec.source == MEMSUITE_REGION_NODE)
		return page_to_nid(page) == region->spec.nid;
	return pfn >= start_pfn(region) && pfn < end_pfn(region) &&
	       memsuite_region_owns(region, page);
}
EXPORT_SYMBOL_GPL(memsuite_region_has);

const struct memsuite_bank_set *memsuite_region_banks(const struct memsuite_region *region)
{
	return region->banks.map ? &region->banks : NULL;
}
EXPORT_SYMBOL_GPL(memsuite_region_banks);

static unsigned int nr_banks_of(const struct memsuite_region *region)
{
	return bitmap_weight(region->spec.banks, MEMSUITE_MAX_BANKS);
}

/* Of a set of banks, what its share of the range comes to on average. */
u64 memsuite_region_size(const struct memsuite_region *region)
{
	u64 size = region->spec.end - region->spec.start;

	return region->banks.map ?
		div_u64(size, region->banks.map->nr_banks) *
		nr_banks_of(region) : size;
}

static bool covers(const struct memsuite_region *region, u64 address)
{
	struct page *page = pfn_to_online_page(PHYS_PFN(address));

	return address >= region->spec.start && address < region->spec.end &&
	       (!page || memsuite_region_owns(region, page));
}

static void copy_spec(const struct memsuite_region *region,
		      struct memsuite_region_spec *spec)
{
	spin_lock(&technology_lock);
	*spec = region->spec;
	spin_unlock(&technology_lock);
}

bool memsuite_region_at(u64 address, unsigned int sources,
			struct memsuite_region_spec *spec)
{
	struct memsuite_region *region, *best = NULL;

	mutex_lock(&regions_lock);
	list_for_each_entry(region, &regions, link)
		if ((sources & BIT(region->spec.source)) &&
		    covers(region, address) &&
		    (!best || memsuite_region_size(region) < memsuite_region_size(best)))
			best = region;
	if (best)
		copy_spec(best, spec);
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
		copy_spec(region, &spec);
		see(&spec, context);
	}
	mutex_unlock(&regions_lock);
}
EXPORT_SYMBOL_GPL(memsuite_regions_each);

void memsuite_region_get_technology(struct memsuite_region *region, char *name)
{
	spin_lock(&technology_lock);
	strscpy(name, region->spec.technology, MEMSUITE_REGION_TEXT);
	spin_unlock(&technology_lock);
}

void memsuite_region_set_technology(struct memsuite_region *region, const char *name)
{
	spin_lock(&technology_lock);
	strscpy(region->spec.technology, name, MEMSUITE_REGION_TEXT);
	spin_unlock(&technology_lock);
}

bool memsuite_region_bounds(unsigned long pfn, unsigned long *start,
			    unsigned long *end)
{
	struct memsuite_region *region;
	bool whole = true;

	*start = 0;
	*end = ULONG_MAX;
	mutex_lock(&regions_lock);
	list_for_each_entry(region, &regions, link) {
		unsigned long first = start_pfn(region), behind = end_pfn(region);

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

struct memsuite_pool *memsuite_region_pool_open(struct memsuite_region *region)
{
	struct memsuite_pool *pool;

	mutex_lock(&pools_lock);
	pool = region->pool;
	if (!pool)
		pool = memsuite_pool_create(region->spec.name, start_pfn(region),
					    end_pfn(region), region->spec.nid,
					    memsuite_region_banks(region),
					    region->pool_target,
					    region->container);
	if (!IS_ERR(pool)) {
		region->pool = pool;
		region->pool_users++;
	}
	mutex_unlock(&pools_lock);
	return pool;
}
EXPORT_SYMBOL_GPL(memsuite_region_pool_open);

void memsuite_region_pool_close(struct memsuite_region *region)
{
	mutex_lock(&pools_lock);
	if (!--region->pool_users) {
		memsuite_pool_destroy(region->pool);
		region->pool = NULL;
	}
	mutex_unlock(&pools_lock);
}
EXPORT_SYMBOL_GPL(memsuite_region_pool_close);

void memsuite_region_set_target(struct memsuite_region *region, unsigned long pages)
{
	mutex_lock(&pools_lock);
	region->pool_target = pages;
	if (region->pool)
		memsuite_pool_set_target(region->pool, pages);
	mutex_unlock(&pools_lock);
}

void memsuite_region_set_container(struct memsuite_region *region, unsigned int pages)
{
	mutex_lock(&pools_lock);
	region->container = pages;
	if (region->pool)
		memsuite_pool_set_container(region->pool, pages);
	mutex_unlock(&pools_lock);
}

void memsuite_region_pool_stats(struct memsuite_region *region,
				struct memsuite_pool_stats *stats)
{
	*stats = (struct memsuite_pool_stats){};
	mutex_lock(&pools_lock);
	if (region->pool)
		memsuite_pool_read_stats(region->pool, stats);
	mutex_unlock(&pools_lock);
}

void memsuite_region_occupancy(struct memsuite_region *region, struct memsuite_occupancy *census)
{
	struct memsuite_pool_stats stats;

	/* First: what the filler takes meanwhile is not to count twice. */
	memsuite_region_pool_stats(region, &stats);
	memsuite_occupancy_estimate(region, census);
	census->free_pages += stats.pages;
}
EXPORT_SYMBOL_GPL(memsuite_region_occupancy);

static void region_release(struct kobject *kobj)
{
	kfree(to_region(kobj));
}

static struct kobj_type region_type = {
	.sysfs_ops = &kobj_sysfs_ops,
	.release = region_release,
	.default_groups = memsuite_region_groups,
};

/* Finds the banks that the region is a set of, if it is one. */
static int open_banks(struct memsuite_region *region)
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

int memsuite_region_add(const struct memsuite_region_spec *spec)
{
	struct memsuite_region *region = kzalloc(sizeof(*region), GFP_KERNEL);
	unsigned long pages;
	int err;

	if (!region)
		return -ENOMEM;
	region->spec = *spec;
	err = open_banks(region);
	if (err) {
		kfree(region);
		return err;
	}
	pages = PHYS_PFN(memsuite_region_size(region));
	region->pool_target = min_t(unsigned long, pages / POOL_SHARE,
				    POOL_DEFAULT);
	mutex_lock(&regions_lock);
	kobject_init(&region->kobj, &region_type);
	err = find(spec->name) ? -EEXIST :
		kobject_add(&region->kobj, dir, "%s", spec->name);
	if (!err)
		list_add_tail(&region->link, &regions);
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
static bool is_torn(const struct memsuite_region_spec *spec)
{
	struct memsuite_region *region;
	bool torn = false;

	mutex_lock(&regions_lock);
	list_for_each_entry(region, &regions, link) {
		if (region->spec.source != MEMSUITE_REGION_DIMM ||
		    region->spec.interleaved != MEMSUITE_INTERLEAVED_YES ||
		    spec->start >= region->spec.end ||
		    region->spec.start >= spec->end ||
		    !dimms_part(region->spec.locator, spec->locator))
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
	if (!err && is_torn(&spec))
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
	region = find(name);
	if (!region)
		err = -ENOENT;
	else if (region->spec.source != MEMSUITE_REGION_ADMIN)
		err = -EPERM;
	else if (region->users)
		err = -EBUSY;
	else
		list_del(&region->link);
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
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	memsuite_discover();
	return 0;
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
