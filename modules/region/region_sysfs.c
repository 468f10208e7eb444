// SPDX-License-Identifier: GPL-2.0-only
/* The files of a region's directory in sysfs. */

#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/sysfs.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "region/region_private.h"

static const char * const source_name[] = {
	[MEMSUITE_REGION_NODE] = "node",
	[MEMSUITE_REGION_DIMM] = "dimm",
	[MEMSUITE_REGION_NVDIMM] = "nvdimm",
	[MEMSUITE_REGION_ADMIN] = "admin",
};

static const char * const interleaved_name[] = {
	[MEMSUITE_INTERLEAVED_NO] = "no",
	[MEMSUITE_INTERLEAVED_YES] = "yes",
	[MEMSUITE_INTERLEAVED_UNKNOWN] = "unknown",
};

#define region_attr_ro(name, format, value)				\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	const struct memsuite_region_spec *spec = &to_region(kobj)->spec; \
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
region_attr_ro(tier, "%d", spec->tier);
region_attr_ro(map, "%s", spec->map);

static ssize_t banks_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%*pbl\n", MEMSUITE_MAX_BANKS,
			  to_region(kobj)->spec.banks);
}

/**
 * struct number_attr - a file with a number that describes a region
 * @attr: the file
 * @number: which
 */
struct number_attr {
	struct kobj_attribute attr;
	const struct memsuite_region_number *number;
};

static ssize_t number_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	struct number_attr *of = container_of(attr, struct number_attr, attr);

	return sysfs_emit(buf, "%llu\n",
			  READ_ONCE(*memsuite_region_number_in(&to_region(kobj)->spec,
							       of->number)));
}

static ssize_t number_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	struct number_attr *of = container_of(attr, struct number_attr, attr);
	u64 value;
	int err = memsuite_parse_u64(buf, count, 0, of->number->max, &value);

	if (err)
		return err;
	WRITE_ONCE(*memsuite_region_number_in(&to_region(kobj)->spec, of->number),
		   value);
	return count;
}

static ssize_t technology_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	char name[MEMSUITE_REGION_TEXT];

	memsuite_region_get_technology(to_region(kobj), name);
	return sysfs_emit(buf, "%s\n", name);
}

/* What policies know how to use: anything else would do nothing. */
static ssize_t technology_store(struct kobject *kobj,
				struct kobj_attribute *attr, const char *buf,
				size_t count)
{
	char name[MEMSUITE_REGION_TEXT];
	int err = memsuite_parse_line(buf, count, name, sizeof(name));

	if (!err && (strpbrk(name, " \t") ||
		     memsuite_technology_of(name) == MEMSUITE_TECHNOLOGY_UNKNOWN))
		err = -EINVAL;
	if (err)
		return err;
	memsuite_region_set_technology(to_region(kobj), name);
	return count;
}

static ssize_t total_pages_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	struct memsuite_occupancy census;

	memsuite_occupancy_count(to_region(kobj), &census);
	return sysfs_emit(buf, "%lu\n", census.pages);
}

static ssize_t free_pages_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	struct memsuite_occupancy census;

	memsuite_occupancy_count(to_region(kobj), &census);
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
	struct memsuite_region *region = to_region(kobj);
	u64 kib;
	int err;

	err = memsuite_parse_u64(buf, count, 0, memsuite_region_size(region) >> 10, &kib);
	if (err)
		return err;
	memsuite_region_set_target(region, kib >> (PAGE_SHIFT - 10));
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
	u64 kib;
	int err;

	err = memsuite_parse_u64(buf, count, 0,
				 MEMSUITE_MAX_CONTAINER << (PAGE_SHIFT - 10), &kib);
	if (err)
		return err;
	memsuite_region_set_container(to_region(kobj), kib >> (PAGE_SHIFT - 10));
	return count;
}

static ssize_t pool_stat_show(struct kobject *kobj, char *buf, size_t offset)
{
	struct memsuite_pool_stats stats;

	memsuite_region_pool_stats(to_region(kobj), &stats);
	return sysfs_emit(buf, "%llu\n", *(u64 *)((char *)&stats + offset));
}

#define pool_attr_ro(name, field)					\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	return pool_stat_show(kobj, buf,				\
			      offsetof(struct memsuite_pool_stats, field)); \
}									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

pool_attr_ro(pool_pages, pages);
pool_attr_ro(pool_handed_pages, handed);
pool_attr_ro(pool_bare_pages, bare);
pool_attr_ro(pool_filled_pages, filled);
pool_attr_ro(pool_misses, misses);
pool_attr_ro(pool_foreign_pages, foreign);
pool_attr_ro(pool_passed_pages, passed);

static struct kobj_attribute technology_attr = __ATTR_RW(technology);
static struct kobj_attribute total_pages_attr = __ATTR_RO(total_pages);
static struct kobj_attribute free_pages_attr = __ATTR_RO(free_pages);
static struct kobj_attribute pool_kib_attr = __ATTR_RW(pool_kib);
static struct kobj_attribute container_kib_attr = __ATTR_RW(container_kib);
static struct kobj_attribute banks_attr = __ATTR_RO(banks);

static struct attribute *region_attrs[] = {
	&start_attr.attr, &end_attr.attr, &node_attr.attr, &source_attr.attr,
	&locator_attr.attr, &interleaved_attr.attr, &technology_attr.attr,
	&tier_attr.attr, &total_pages_attr.attr, &free_pages_attr.attr,
	&pool_kib_attr.attr, &pool_pages_attr.attr,
	&pool_handed_pages_attr.attr, &pool_bare_pages_attr.attr,
	&pool_filled_pages_attr.attr, &pool_misses_attr.attr,
	&map_attr.attr, &banks_attr.attr, &container_kib_attr.attr,
	&pool_foreign_pages_attr.attr, &pool_passed_pages_attr.attr, NULL
};

/* Filled in from the table of numbers. */
static struct number_attr number_attrs[MEMSUITE_NR_REGION_NUMBERS];
static struct attribute *region_number_attrs[MEMSUITE_NR_REGION_NUMBERS + 1];

static const struct attribute_group region_group = { .attrs = region_attrs };
static const struct attribute_group region_number_group = {
	.attrs = region_number_attrs,
};

const struct attribute_group *memsuite_region_groups[] = {
	&region_group, &region_number_group, NULL
};

void memsuite_region_sysfs_init(void)
{
	unsigned int i;

	for (i = 0; i < MEMSUITE_NR_REGION_NUMBERS; i++) {
		struct number_attr *of = &number_attrs[i];

		of->number = &memsuite_region_numbers[i];
		of->attr.show = number_show;
		of->attr.store = number_store;
		sysfs_attr_init(&of->attr.attr);
		of->attr.attr.name = of->number->name;
		of->attr.attr.mode = 0644;
		region_number_attrs[i] = &of->attr.attr;
	}
}
