// SPDX-License-Identifier: GPL-2.0-only
/* How many frames a region has, and how many of them are free. */

#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/random.h>

#include <compat/compat.h>

#include "region.h"

/* Frames looked at for an estimate: it is off by less than 2 % mostly. */
#define SAMPLES		4096

/* The order of the free block that begins with @page, or -1; may be stale. */
static int block_order(struct page *page)
{
	unsigned long order;

	if (!PageBuddy(page))
		return -1;
	order = READ_ONCE(page->private);
	return order <= MS_MAX_ORDER ? order : -1;
}

static bool is_free(unsigned long pfn, struct page *page)
{
	int order;

	for (order = 0; order <= MS_MAX_ORDER; order++)
		if (block_order(page - (pfn & ((1UL << order) - 1))) >= order)
			return true;
	return false;
}

void ms_census_count(const struct ms_region_spec *spec,
		     struct ms_census *census)
{
	unsigned long pfn = PHYS_PFN(spec->start), end = PHYS_PFN(spec->end);
	unsigned long nr;
	struct page *page;
	int order;

	*census = (struct ms_census){};
	while (pfn < end) {
		page = pfn_to_online_page(pfn);
		if (!page) {
			pfn = ALIGN(pfn + 1, PAGES_PER_SECTION);
			continue;
		}
		order = block_order(page);
		nr = min(1UL << max(order, 0), end - pfn);
		if (ms_region_owns(spec, page)) {
			census->pages += nr;
			census->free_pages += order >= 0 ? nr : 0;
		}
		pfn += nr;
		if (!(pfn & (PAGES_PER_SECTION - 1)))
			cond_resched();
	}
}

static void sample(const struct ms_region_spec *spec, struct ms_census *census)
{
	unsigned long pfn = PHYS_PFN(spec->start), end = PHYS_PFN(spec->end);
	unsigned long stride = max((end - pfn) / SAMPLES, 1UL);
	struct page *page;

	*census = (struct ms_census){};
	for (pfn += get_random_u32() % stride; pfn < end; pfn += stride) {
		page = pfn_to_online_page(pfn);
		if (!page || !ms_region_owns(spec, page))
			continue;
		census->pages += stride;
		if (is_free(pfn, page))
			census->free_pages += stride;
	}
}

static void ask_node(int nid, struct ms_census *census)
{
	struct zone *zone, *zones = NODE_DATA(nid)->node_zones;

	*census = (struct ms_census){};
	for (zone = zones; zone < zones + MAX_NR_ZONES; zone++) {
		census->pages += zone_managed_pages(zone);
		census->free_pages += zone_page_state(zone, NR_FREE_PAGES);
	}
}

void ms_census_estimate(const struct ms_region_spec *spec,
			struct ms_census *census)
{
	if (spec->source == MS_REGION_NODE)
		ask_node(spec->nid, census);
	else
		sample(spec, census);
}
