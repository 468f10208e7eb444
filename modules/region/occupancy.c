// SPDX-License-Identifier: GPL-2.0-only
/* How many frames a region has, and how many of them are free. */

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sizes.h>

#include <compat/compat.h>

#include "region/occupancy.h"
#include "region/region_private.h"

/* Frames looked at for a quick estimate: it is off by less than 3 % mostly. */
#define SAMPLES		1024

/* For so long one is as good as another one; who looks again and again looks less often. */
#define SAMPLE_JIFFIES	(HZ / 20)

/* And for a good one: by 1 %. */
#define MANY_SAMPLES	(16 * SAMPLES)

/* Up to here, all frames are looked at, in about ten milliseconds. */
#define QUICK_PAGES	(4UL * SZ_1G >> PAGE_SHIFT)

/* The order of the free block that begins with @page, or -1; may be stale. */
static int free_block_order(struct page *page)
{
	unsigned long order;

	if (!PageBuddy(page))
		return -1;
	order = READ_ONCE(page->private);
	return order <= MEMSUITE_MAX_ORDER ? order : -1;
}

/* How many frames of a free block the region owns. */
static unsigned long region_count_owned(const struct memsuite_region *region,
					struct page *page, unsigned long nr)
{
	unsigned long i, owned = 0;

	if (!memsuite_region_banks(region))
		return memsuite_region_owns(region, page) ? nr : 0;
	for (i = 0; i < nr; i++)
		owned += memsuite_region_owns(region, page + i);
	return owned;
}

static bool frame_is_free(unsigned long pfn, struct page *page)
{
	int order;

	/* None in a free block has a reference, most in use have. */
	if (page_ref_count(page))
		return false;
	/* Most free memory is in large blocks. */
	for (order = MEMSUITE_MAX_ORDER; order >= 0; order--)
		if (free_block_order(page - (pfn & ((1UL << order) - 1))) >= order)
			return true;
	return false;
}

static void occupancy_walk(const struct memsuite_region *region,
			   struct memsuite_occupancy *occupancy)
{
	const struct memsuite_region_spec *spec = memsuite_region_spec(region);
	unsigned long pfn = PHYS_PFN(spec->start), end = PHYS_PFN(spec->end);
	unsigned long nr, owned;
	struct page *page;
	int order;

	*occupancy = (struct memsuite_occupancy){};
	while (pfn < end) {
		page = pfn_to_online_page(pfn);
		if (!page) {
			pfn = ALIGN(pfn + 1, PAGES_PER_SECTION);
			continue;
		}
		order = free_block_order(page);
		nr = min(1UL << max(order, 0), end - pfn);
		owned = region_count_owned(region, page, nr);
		occupancy->pages += owned;
		occupancy->free_pages += order >= 0 ? owned : 0;
		pfn += nr;
		if (!(pfn & (PAGES_PER_SECTION - 1)))
			cond_resched();
	}
}

/* One frame of each stride, by chance: banks come at regular distances, too. */
static void occupancy_sample(const struct memsuite_region *region, unsigned int samples,
			     struct memsuite_occupancy *occupancy)
{
	const struct memsuite_region_spec *spec = memsuite_region_spec(region);
	unsigned long start = PHYS_PFN(spec->start), end = PHYS_PFN(spec->end);
	unsigned long stride = max((end - start) / samples, 1UL), pfn, nr;
	struct page *page;

	*occupancy = (struct memsuite_occupancy){};
	for (; start < end; start += stride) {
		nr = min(stride, end - start);
		pfn = start + get_random_u32() % nr;
		page = pfn_to_online_page(pfn);
		if (!page || !memsuite_region_owns(region, page))
			continue;
		occupancy->pages += nr;
		if (frame_is_free(pfn, page))
			occupancy->free_pages += nr;
		cond_resched();
	}
}

static void occupancy_of_node(int nid, struct memsuite_occupancy *occupancy)
{
	struct zone *zone, *zones = NODE_DATA(nid)->node_zones;

	*occupancy = (struct memsuite_occupancy){};
	for (zone = zones; zone < zones + MAX_NR_ZONES; zone++) {
		occupancy->pages += READ_ONCE(zone->present_pages);
		occupancy->free_pages += zone_page_state(zone, NR_FREE_PAGES);
	}
}

/* Of a region that thousands of policies have, each of which looks at it, there is one sample. */
static void occupancy_estimate(struct memsuite_region *region,
			       struct memsuite_occupancy *occupancy)
{
	const struct memsuite_region_spec *spec = memsuite_region_spec(region);

	if (spec->source == MEMSUITE_REGION_NODE) {
		occupancy_of_node(spec->nid, occupancy);
		return;
	}
	mutex_lock(&region->sample_lock);
	if (!region->sampled || time_after(jiffies, region->sampled + SAMPLE_JIFFIES)) {
		occupancy_sample(region, SAMPLES, &region->sample);
		region->sampled = jiffies ?: 1;
	}
	*occupancy = region->sample;
	mutex_unlock(&region->sample_lock);
}

void memsuite_occupancy_count(const struct memsuite_region *region,
			      struct memsuite_occupancy *occupancy)
{
	const struct memsuite_region_spec *spec = memsuite_region_spec(region);

	if (spec->source == MEMSUITE_REGION_NODE)
		occupancy_of_node(spec->nid, occupancy);
	else if (PHYS_PFN(spec->end - spec->start) <= QUICK_PAGES)
		occupancy_walk(region, occupancy);
	else
		occupancy_sample(region, MANY_SAMPLES, occupancy);
}

void memsuite_region_occupancy(struct memsuite_region *region, struct memsuite_occupancy *occupancy)
{
	struct memsuite_pool_stats stats;

	/* First: what the refill thread takes meanwhile is not to count twice. */
	memsuite_region_pool_stats(region, &stats);
	occupancy_estimate(region, occupancy);
	occupancy->free_pages += stats.pages;
}
EXPORT_SYMBOL_GPL(memsuite_region_occupancy);
