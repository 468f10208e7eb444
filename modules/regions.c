// SPDX-License-Identifier: GPL-2.0-only
/* Regions of physical memory and their directories in sysfs. */

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

#include "bank_maps.h"
#include "core.h"
#include "dimms.h"
#include "pool.h"
#include "region.h"
#include "region_spec.h"

/* What a pool holds unless the administrator says otherwise. */
#define POOL_SHARE	8
#define POOL_DEFAULT	(SZ_64M >> PAGE_SHIFT)

/**
 * struct ms_region - a region
 * @kobj: its directory; its reference count is the region's
 * @spec: what describes it; only numbers of region_spec.h change
 * @banks: the banks that it is a set of; without a map, all
 * @link: in all regions, under regions_lock
 * @users: how many rely on it, under regions_lock
 * @pool: its pool, or NULL; under pools_lock
 * @pool_users: how many opened the pool, under pools_lock
 * @pool_target: pages that a pool keeps, under pools_lock
 * @container: pages that it hands out in a random order, under pools_lock
 */
struct ms_region {
	struct kobject kobj;
	struct ms_region_spec spec;
	struct ms_bank_set banks;
	struct list_head link;
	unsigned int users;
	struct ms_pool *pool;
	unsigned int pool_users;
	unsigned long pool_target;
	unsigned int container;
};

static LIST_HEAD(regions);
static DEFINE_MUTEX(regions_lock);
/* Held while a pool's threads are stopped, which may look regions up. */
static DEFINE_MUTEX(pools_lock);
static struct kobject *dir;

static struct ms_region *to_region(struct kobject *kobj)
{
	return container_of(kobj, struct ms_region, kobj);
}

static unsigned long start_pfn(const struct ms_region *region)
{
	return PHYS_PFN(region->spec.start);
}

static unsigned long end_pfn(const struct ms_region *region)
{
	return PHYS_PFN(region->spec.end);
}

static struct ms_region *find(const char *name)
{
	struct ms_region *region;

	list_for_each_entry(region, &regions, link)
		if (!strcmp(region->spec.name, name))
			return region;
	return NULL;
}

struct ms_region *ms_region_get(const char *name)
{
	struct ms_region *region;

	mutex_lock(&regions_lock);
	region = find(name);
	if (region)
		region->users++;
	mutex_unlock(&regions_lock);
	return region ?: ERR_PTR(-ENOENT);
}
EXPORT_SYMBOL_GPL(ms_region_get);

void ms_region_put(struct ms_region *region)
{
	mutex_lock(&regions_lock);
	region->users--;
	mutex_unlock(&regions_lock);
}
EXPORT_SYMBOL_GPL(ms_region_put);

const struct ms_region_spec *ms_region_spec(const struct ms_region *region)
{
	return &region->spec;
}
EXPORT_SYMBOL_GPL(ms_region_spec);

bool ms_region_owns(const struct ms_region *region, struct page *page)
{
	return (region->spec.nid < 0 ||
		region->spec.nid == page_to_nid(page)) &&
	       (!region->banks.map ||
		ms_bank_set_has(&region->banks, page_to_pfn(page)));
}

bool ms_region_has(const struct ms_region *region, struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	return pfn >= start_pfn(region) && pfn < end_pfn(region) &&
	       ms_region_owns(region, page);
}
EXPORT_SYMBOL_GPL(ms_region_has);

const struct ms_bank_set *ms_region_banks(const struct ms_region *region)
{
	return region->banks.map ? &region->banks : NULL;
}
EXPORT_SYMBOL_GPL(ms_region_banks);

static unsigned int nr_banks_of(const struct ms_region *region)
{
	return bitmap_weight(region->spec.banks, MS_MAX_BANKS);
}

/* Of a set of banks, what its share of the range comes to on average. */
static u64 size_of(const struct ms_region *region)
{
	u64 size = region->spec.end - region->spec.start;

	return region->banks.map ?
		div_u64(size, region->banks.map->nr_banks) *
		nr_banks_of(region) : size;
}

static bool covers(const struct ms_region *region, u64 address)
{
	struct page *page = pfn_to_online_page(PHYS_PFN(address));

	return address >= region->spec.start && address < region->spec.end &&
	       (!page || ms_region_owns(region, page));
}

bool ms_region_at(u64 address, unsigned int sources,
		  struct ms_region_spec *spec)
{
	struct ms_region *region, *best = NULL;

	mutex_lock(&regions_lock);
	list_for_each_entry(region, &regions, link)
		if ((sources & BIT(region->spec.source)) &&
		    covers(region, address) &&
		    (!best || size_of(region) < size_of(best)))
			best = region;
	if (best)
		*spec = best->spec;
	mutex_unlock(&regions_lock);
	return best;
}
EXPORT_SYMBOL_GPL(ms_region_at);

bool ms_region_bounds(unsigned long pfn, unsigned long *start,
		      unsigned long *end)
{
	struct ms_region *region;
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
EXPORT_SYMBOL_GPL(ms_region_bounds);

struct ms_pool *ms_region_open_pool(struct ms_region *region)
{
	struct ms_pool *pool;

	mutex_lock(&pools_lock);
	pool = region->pool;
	if (!pool)
		pool = ms_pool_create(region->spec.name, start_pfn(region),
				      end_pfn(region), region->spec.nid,
				      ms_region_banks(region),
				      region->pool_target,
				      region->container);
	if (!IS_ERR(pool)) {
		region->pool = pool;
		region->pool_users++;
	}
	mutex_unlock(&pools_lock);
	return pool;
}
EXPORT_SYMBOL_GPL(ms_region_open_pool);

void ms_region_close_pool(struct ms_region *region)
{
	mutex_lock(&pools_lock);
	if (!--region->pool_users) {
		ms_pool_destroy(region->pool);
		region->pool = NULL;
	}
	mutex_unlock(&pools_lock);
}
EXPORT_SYMBOL_GPL(ms_region_close_pool);

void ms_region_census(struct ms_region *region, struct ms_census *census)
{
	struct ms_pool_stats stats = {};

	/* First: what the filler takes meanwhile is not to count twice. */
	mutex_lock(&pools_lock);
	if (region->pool)
		ms_pool_read_stats(region->pool, &stats);
	mutex_unlock(&pools_lock);
	ms_census_estimate(region, census);
	census->free_pages += stats.pages;
}
EXPORT_SYMBOL_GPL(ms_region_census);

static const char * const source_name[] = {
	[MS_REGION_NODE] = "node",
	[MS_REGION_DIMM] = "dimm",
	[MS_REGION_NVDIMM] = "nvdimm",
	[MS_REGION_ADMIN] = "admin",
};

static const char * const interleaved_name[] = {
	[MS_INTERLEAVED_NO] = "no",
	[MS_INTERLEAVED_YES] = "yes",
	[MS_INTERLEAVED_UNKNOWN] = "unknown",
};

#define region_attr_ro(name, format, value)				\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	const struct ms_region_spec *spec = &to_region(kobj)->spec;	\
									\
	return sysfs_emit(buf, format "\n", value);			\
}									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

region_attr_ro(start, "0x%llx", spec->start);
region_attr_ro(end, "0x%llx", spec->end);
region_attr_ro(node, "%d", spec->nid);
region_attr_ro(source, "%s", source_name[spec->source]);
region_attr_ro(interleaved, "%s", interleaved_name[spec->interleaved]);
region_attr_ro(locator, "%s", spec->locator);
region_attr_ro(technology, "%s", spec->technology);
region_attr_ro(tier, "%d", spec->tier);
region_attr_ro(map, "%s", spec->map);

static ssize_t banks_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%*pbl\n", MS_MAX_BANKS,
			  to_region(kobj)->spec.banks);
}

/**
 * struct number_attr - a file with a number that describes a region
 * @attr: the file
 * @number: which
 */
struct number_attr {
	struct kobj_attribute attr;
	const struct ms_region_number *number;
};

static ssize_t number_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	struct number_attr *of = container_of(attr, struct number_attr, attr);

	return sysfs_emit(buf, "%llu\n",
			  READ_ONCE(*ms_region_number_in(&to_region(kobj)->spec,
							 of->number)));
}

static ssize_t number_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	struct number_attr *of = container_of(attr, struct number_attr, attr);
	u64 value;
	int err = ms_parse_u64(buf, count, 0, of->number->max, &value);

	if (err)
		return err;
	WRITE_ONCE(*ms_region_number_in(&to_region(kobj)->spec, of->number),
		   value);
	return count;
}

static ssize_t total_pages_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	struct ms_census census;

	ms_census_count(to_region(kobj), &census);
	return sysfs_emit(buf, "%lu\n", census.pages);
}

static ssize_t free_pages_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	struct ms_census census;

	ms_census_count(to_region(kobj), &census);
	return sysfs_emit(buf, "%lu\n", census.free_pages);
}

static ssize_t pool_kib_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%lu\n",
			  to_region(kobj)->pool_target << (PAGE_SHIFT - 10));
}

static ssize_t pool_kib_store(struct kobject *kobj,
			      struct kobj_attribute *attr, const char *buf,
			      size_t count)
{
	struct ms_region *region = to_region(kobj);
	u64 kib;
	int err;

	err = ms_parse_u64(buf, count, 0, size_of(region) >> 10, &kib);
	if (err)
		return err;
	mutex_lock(&pools_lock);
	region->pool_target = kib >> (PAGE_SHIFT - 10);
	if (region->pool)
		ms_pool_set_target(region->pool, region->pool_target);
	mutex_unlock(&pools_lock);
	return count;
}

static ssize_t container_kib_show(struct kobject *kobj,
				  struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n",
			  to_region(kobj)->container << (PAGE_SHIFT - 10));
}

static ssize_t container_kib_store(struct kobject *kobj,
				   struct kobj_attribute *attr,
				   const char *buf, size_t count)
{
	struct ms_region *region = to_region(kobj);
	u64 kib;
	int err;

	err = ms_parse_u64(buf, count, 0,
			   MS_MAX_CONTAINER << (PAGE_SHIFT - 10), &kib);
	if (err)
		return err;
	mutex_lock(&pools_lock);
	region->container = kib >> (PAGE_SHIFT - 10);
	if (region->pool)
		ms_pool_set_container(region->pool, region->container);
	mutex_unlock(&pools_lock);
	return count;
}

static ssize_t pool_stat_show(struct kobject *kobj, char *buf, size_t offset)
{
	struct ms_region *region = to_region(kobj);
	struct ms_pool_stats stats = {};

	mutex_lock(&pools_lock);
	if (region->pool)
		ms_pool_read_stats(region->pool, &stats);
	mutex_unlock(&pools_lock);
	return sysfs_emit(buf, "%llu\n", *(u64 *)((char *)&stats + offset));
}

#define pool_attr_ro(name, field)					\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	return pool_stat_show(kobj, buf,				\
			      offsetof(struct ms_pool_stats, field));	\
}									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

pool_attr_ro(pool_pages, pages);
pool_attr_ro(pool_handed_pages, handed);
pool_attr_ro(pool_bare_pages, bare);
pool_attr_ro(pool_filled_pages, filled);
pool_attr_ro(pool_misses, misses);
pool_attr_ro(pool_foreign_pages, foreign);
pool_attr_ro(pool_passed_pages, passed);

static struct kobj_attribute total_pages_attr = __ATTR_RO(total_pages);
static struct kobj_attribute free_pages_attr = __ATTR_RO(free_pages);
static struct kobj_attribute pool_kib_attr = __ATTR_RW(pool_kib);
static struct kobj_attribute container_kib_attr = __ATTR_RW(container_kib);
static struct kobj_attribute banks_attr = __ATTR_RO(banks);

static struct attribute *region_attrs[] = {
	&start_attr.attr, &end_attr.attr, &node_attr.attr, &source_attr.attr,
	&locator_attr.attr, &interleaved_attr.attr, &technology_attr.attr, &tier_attr.attr,
	&total_pages_attr.attr,
	&free_pages_attr.attr, &pool_kib_attr.attr, &pool_pages_attr.attr,
	&pool_handed_pages_attr.attr, &pool_bare_pages_attr.attr,
	&pool_filled_pages_attr.attr, &pool_misses_attr.attr,
	&map_attr.attr, &banks_attr.attr, &container_kib_attr.attr,
	&pool_foreign_pages_attr.attr, &pool_passed_pages_attr.attr, NULL
};

/* Filled in from the table of numbers. */
static struct number_attr number_attrs[MS_NR_REGION_NUMBERS];
static struct attribute *region_number_attrs[MS_NR_REGION_NUMBERS + 1];

static const struct attribute_group region_group = { .attrs = region_attrs };
static const struct attribute_group region_number_group = {
	.attrs = region_number_attrs,
};

static const struct attribute_group *region_groups[] = {
	&region_group, &region_number_group, NULL
};

static void make_number_attrs(void)
{
	unsigned int i;

	for (i = 0; i < MS_NR_REGION_NUMBERS; i++) {
		struct number_attr *of = &number_attrs[i];

		of->number = &ms_region_numbers[i];
		of->attr.show = number_show;
		of->attr.store = number_store;
		sysfs_attr_init(&of->attr.attr);
		of->attr.attr.name = of->number->name;
		of->attr.attr.mode = 0644;
		region_number_attrs[i] = &of->attr.attr;
	}
}

static void region_release(struct kobject *kobj)
{
	kfree(to_region(kobj));
}

static struct kobj_type region_type = {
	.sysfs_ops = &kobj_sysfs_ops,
	.release = region_release,
	.default_groups = region_groups,
};

/* Finds the banks that the region is a set of, if it is one. */
static int open_banks(struct ms_region *region)
{
	const struct ms_region_spec *spec = &region->spec;
	const struct ms_bank_map *map;

	if (!spec->map[0])
		return 0;
	map = ms_bank_map_get(spec->map);
	if (IS_ERR(map))
		return PTR_ERR(map);
	if (find_next_bit(spec->banks, MS_MAX_BANKS, map->nr_banks) <
	    MS_MAX_BANKS) {
		ms_bank_map_put(map);
		return -ERANGE;
	}
	region->banks.map = map;
	region->banks.banks = spec->banks;
	return 0;
}

int ms_region_add(const struct ms_region_spec *spec)
{
	struct ms_region *region = kzalloc(sizeof(*region), GFP_KERNEL);
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
	pages = PHYS_PFN(size_of(region));
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
		ms_bank_map_put(region->banks.map);
		kobject_put(&region->kobj);
	}
	return err;
}

/* Not under regions_lock: removal waits for readers that take it. */
static void region_del(struct ms_region *region)
{
	kobject_del(&region->kobj);
	ms_bank_map_put(region->banks.map);
	kobject_put(&region->kobj);
}

/*
 * A page of DIMMs that are interleaved lies in all of them: a region of some of
 * them is none.
 */
static bool is_torn(const struct ms_region_spec *spec)
{
	struct ms_region *region;
	bool torn = false;

	mutex_lock(&regions_lock);
	list_for_each_entry(region, &regions, link) {
		if (region->spec.source != MS_REGION_DIMM ||
		    region->spec.interleaved != MS_INTERLEAVED_YES ||
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
	struct ms_region_spec spec;
	char line[256];
	int err;

	err = ms_parse_line(buf, count, line, sizeof(line));
	if (!err)
		err = ms_region_parse(line, &spec);
	if (!err && spec.end > 1ULL << boot_cpu_data.x86_phys_bits)
		err = -ERANGE;
	if (!err && is_torn(&spec))
		err = -EOPNOTSUPP;
	/* The names of this directory's own files are taken. */
	if (!err && (!strcmp(spec.name, "add") || !strcmp(spec.name, "remove")))
		err = -EEXIST;
	if (!err)
		err = ms_region_add(&spec);
	return err ?: count;
}

static ssize_t remove_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	struct ms_region *region;
	char name[MS_REGION_NAME];
	int err;

	err = ms_parse_line(buf, count, name, sizeof(name));
	if (err)
		return err == -E2BIG ? -ENOENT : err;
	mutex_lock(&regions_lock);
	region = find(name);
	if (!region)
		err = -ENOENT;
	else if (region->spec.source != MS_REGION_ADMIN)
		err = -EPERM;
	else if (region->users)
		err = -EBUSY;
	else
		list_del(&region->link);
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

int ms_regions_init(void)
{
	make_number_attrs();
	dir = ms_control_add("regions", regions_groups);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	ms_regions_discover();
	return 0;
}

void ms_regions_exit(void)
{
	struct ms_region *region, *next;

	/* Nobody adds another one from here on. */
	sysfs_remove_groups(dir, regions_groups);
	list_for_each_entry_safe(region, next, &regions, link)
		region_del(region);
	ms_control_del(dir);
}
