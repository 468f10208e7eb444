// SPDX-License-Identifier: GPL-2.0-only
/* The files of a region's directory in sysfs. */

#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/sysfs.h>

#include <compat/compat.h>
#include <memsuite/control.h>

#include "pool/frame_order.h"
#include "region/occupancy.h"
#include "region/region_parse.h"
#include "region/region_private.h"
#include "region/region_sysfs.h"

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

static struct memsuite_region_spec *region_spec(struct kobject *kobj)
{
	return &memsuite_region_of(kobj)->spec;
}

MEMSUITE_ATTR_RO(start, "0x%llx", region_spec(kobj)->start);
MEMSUITE_ATTR_RO(end, "0x%llx", region_spec(kobj)->end);
MEMSUITE_ATTR_RO(node, "%d", region_spec(kobj)->nid);
MEMSUITE_ATTR_RO(source, "%s", source_name[region_spec(kobj)->source]);
MEMSUITE_ATTR_RO(interleaved, "%s", interleaved_name[region_spec(kobj)->interleaved]);
MEMSUITE_ATTR_RO(locator, "%s", region_spec(kobj)->locator);
MEMSUITE_ATTR_RO(tier, "%d", region_spec(kobj)->tier);
MEMSUITE_ATTR_RO(map, "%s", region_spec(kobj)->map);
MEMSUITE_ATTR_RO(banks, "%*pbl", MEMSUITE_MAX_BANKS, region_spec(kobj)->banks);

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
			  READ_ONCE(*memsuite_region_number_in(region_spec(kobj),
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
	WRITE_ONCE(*memsuite_region_number_in(region_spec(kobj), of->number),
		   value);
	return count;
}

static ssize_t technology_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	char name[MEMSUITE_REGION_TEXT];

	memsuite_region_get_technology(memsuite_region_of(kobj), name);
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
	memsuite_region_set_technology(memsuite_region_of(kobj), name);
	return count;
}

static struct memsuite_occupancy region_occupancy(struct kobject *kobj)
{
	struct memsuite_occupancy occupancy;

	memsuite_occupancy_count(memsuite_region_of(kobj), &occupancy);
	return occupancy;
}

MEMSUITE_ATTR_NUMBER_RO(total_pages, region_occupancy(kobj).pages);
MEMSUITE_ATTR_NUMBER_RO(free_pages, region_occupancy(kobj).free_pages);

static ssize_t pool_kib_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%lu\n",
			  memsuite_region_of(kobj)->pool_target << (PAGE_SHIFT - 10));
}

static ssize_t pool_kib_store(struct kobject *kobj,
			      struct kobj_attribute *attr, const char *buf,
			      size_t count)
{
	struct memsuite_region *region = memsuite_region_of(kobj);
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
			  memsuite_region_of(kobj)->container << (PAGE_SHIFT - 10));
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
	memsuite_region_set_container(memsuite_region_of(kobj), kib >> (PAGE_SHIFT - 10));
	return count;
}

static struct memsuite_pool_stats region_pool(struct kobject *kobj)
{
	struct memsuite_pool_stats stats;

	memsuite_region_pool_stats(memsuite_region_of(kobj), &stats);
	return stats;
}

MEMSUITE_ATTR_NUMBER_RO(pool_pages, region_pool(kobj).pages);
MEMSUITE_ATTR_NUMBER_RO(pool_large_pages, region_pool(kobj).large);
MEMSUITE_ATTR_NUMBER_RO(pool_handed_pages, region_pool(kobj).handed);
MEMSUITE_ATTR_NUMBER_RO(pool_bare_pages, region_pool(kobj).bare);
MEMSUITE_ATTR_NUMBER_RO(pool_filled_pages, region_pool(kobj).filled);
MEMSUITE_ATTR_NUMBER_RO(pool_misses, region_pool(kobj).misses);
MEMSUITE_ATTR_NUMBER_RO(pool_foreign_pages, region_pool(kobj).foreign);
MEMSUITE_ATTR_NUMBER_RO(pool_passed_pages, region_pool(kobj).passed);

static struct kobj_attribute technology_attr = __ATTR_RW(technology);
static struct kobj_attribute pool_kib_attr = __ATTR_RW(pool_kib);
static struct kobj_attribute container_kib_attr = __ATTR_RW(container_kib);

/* What kind of memory it is. */
static struct attribute *region_kind_attrs[] = {
	&node_attr.attr, &source_attr.attr, &locator_attr.attr, &interleaved_attr.attr,
	&technology_attr.attr, &tier_attr.attr, NULL
};

/* Where it lies, and what is in use of it: all of this tells of other users. */
static struct attribute *region_use_attrs[] = {
	&start_attr.attr, &end_attr.attr, &map_attr.attr, &banks_attr.attr,
	&total_pages_attr.attr, &free_pages_attr.attr,
	&pool_kib_attr.attr, &container_kib_attr.attr, &pool_pages_attr.attr,
	&pool_large_pages_attr.attr, &pool_handed_pages_attr.attr, &pool_bare_pages_attr.attr,
	&pool_filled_pages_attr.attr, &pool_misses_attr.attr,
	&pool_foreign_pages_attr.attr, &pool_passed_pages_attr.attr, NULL
};

/* Filled in from the table of numbers. */
static struct number_attr number_attrs[MEMSUITE_NR_REGION_NUMBERS];
static struct attribute *region_number_attrs[MEMSUITE_NR_REGION_NUMBERS + 1];

static const struct attribute_group region_kind_group = { .attrs = region_kind_attrs };

static const struct attribute_group region_use_group = {
	.attrs = region_use_attrs,
	.is_visible = memsuite_attr_admin,
};

static const struct attribute_group region_number_group = {
	.attrs = region_number_attrs,
};

const struct attribute_group *memsuite_region_groups[] = {
	&region_kind_group, &region_use_group, &region_number_group, NULL
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
