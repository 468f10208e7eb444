// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions that the machine tells of: NUMA nodes with the latencies of HMAT
 * and their memory tier, DIMMs of the DMI tables, persistent memory with what
 * NFIT tells of it.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#include <compat/compat.h>

#include "kernel/text_file.h"
#include "region/discover.h"
#include "region/dmi.h"
#include "region/dmi_decode.h"
#include "region/regions.h"

static void region_add(const struct memsuite_region_spec *spec)
{
	int err = memsuite_region_add(spec);

	if (err)
		pr_warn("region %s: %d\n", spec->name, err);
}

/*
 * The kernel has read HMAT and shows what it took from it; the functions that
 * would tell a module are not exported.
 */
static u64 node_latency_ns(int nid, const char *what)
{
	char path[96], text[24];
	u64 value = 0;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/node/node%d/access0/initiators/%s_latency",
		 nid, what);
	if (memsuite_text_file_read(path, text, sizeof(text)) > 0 &&
	    kstrtou64(strim(text), 10, &value))
		value = 0;
	return value;
}

#define MAX_TIERS	64

static int node_tier(int nid)
{
	char path[80], text[128];
	nodemask_t nodes;
	int tier;

	for (tier = 0; tier < MAX_TIERS; tier++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/virtual/memory_tiering/memory_tier%d/nodelist",
			 tier);
		if (memsuite_text_file_read(path, text, sizeof(text)) > 0 &&
		    !nodelist_parse(strim(text), nodes) && node_isset(nid, nodes))
			return tier;
	}
	return -1;
}

static void nodes_add(void)
{
	struct memsuite_region_spec spec;
	int nid;

	for_each_node_state(nid, N_MEMORY) {
		spec = (struct memsuite_region_spec) {
			.start = PFN_PHYS(node_start_pfn(nid)),
			.end = PFN_PHYS(node_end_pfn(nid)),
			.nid = nid,
			.source = MEMSUITE_REGION_NODE,
			.interleaved = MEMSUITE_INTERLEAVED_UNKNOWN,
			.read_latency_ns = node_latency_ns(nid, "read"),
			.write_latency_ns = node_latency_ns(nid, "write"),
			.tier = node_tier(nid),
		};
		snprintf(spec.name, sizeof(spec.name), "node%d", nid);
		region_add(&spec);
	}
}

static void dimms_add(const struct memsuite_dmi *dimms)
{
	unsigned int i, nr = 0;

	for (i = 0; i < dimms->nr_ranges; i++) {
		struct memsuite_region_spec spec = {
			.start = PAGE_ALIGN(dimms->range[i].start),
			.end = dimms->range[i].end & PAGE_MASK,
			.nid = -1,
			.source = MEMSUITE_REGION_DIMM,
			.tier = -1,
		};

		if (spec.start >= spec.end)
			continue;
		memsuite_dmi_describe(dimms, i, &spec);
		snprintf(spec.name, sizeof(spec.name), "dimm%u", nr++);
		region_add(&spec);
	}
}

#define ND_DEVICES	"/sys/bus/nd/devices"
#define MAX_ND_REGIONS	64

static bool read_number(const char *path, u64 *value)
{
	char text[24];

	return memsuite_text_file_read(path, text, sizeof(text)) > 0 &&
	       !kstrtou64(strim(text), 0, value);
}

/* The kernel's region of persistent memory that begins there, or -1. */
static int nd_region_at(u64 start)
{
	char path[64];
	u64 value;
	int nr;

	for (nr = 0; nr < MAX_ND_REGIONS; nr++) {
		snprintf(path, sizeof(path), ND_DEVICES "/region%d/resource", nr);
		if (read_number(path, &value) && value == start)
			return nr;
	}
	return -1;
}

/*
 * One of the DIMMs of such a region, by its place in the interleave. The kernel
 * has read NFIT, which names each by its handle in the DMI tables.
 */
static bool nvdimm_describe(const struct memsuite_dmi *dimms, int region,
			    unsigned int nr, struct memsuite_region_spec *spec)
{
	char path[112], text[64], *name;
	size_t length = strlen(spec->locator);
	u64 handle;
	int dimm;

	snprintf(path, sizeof(path), ND_DEVICES "/region%d/mapping%u", region,
		 nr);
	if (memsuite_text_file_read(path, text, sizeof(text)) <= 0)
		return false;
	name = text;
	name[strcspn(name, ",\n")] = '\0';
	snprintf(path, sizeof(path), ND_DEVICES "/%s/nfit/phys_id", name);
	dimm = read_number(path, &handle) ? memsuite_dmi_find(dimms, handle) : -1;
	if (dimm >= 0 && dimms->dimm[dimm].technology)
		strscpy(spec->technology, dimms->dimm[dimm].technology,
			sizeof(spec->technology));
	scnprintf(spec->locator + length, sizeof(spec->locator) - length,
		  "%s%s", length ? "," : "",
		  dimm >= 0 ? dimms->dimm[dimm].locator : name);
	return true;
}

static void nvdimms_describe(const struct memsuite_dmi *dimms,
			     struct memsuite_region_spec *spec)
{
	int region = nd_region_at(spec->start);
	unsigned int nr = 0;

	if (region < 0)
		return;
	while (nr < MEMSUITE_DMI_MAX_DIMMS && nvdimm_describe(dimms, region, nr, spec))
		nr++;
	if (nr)
		spec->interleaved = nr > 1 ? MEMSUITE_INTERLEAVED_YES :
					     MEMSUITE_INTERLEAVED_NO;
}

/**
 * struct pmem - what was found of persistent memory
 * @dimms: of the DMI tables
 * @technology: of what is found next, unless the tables tell more
 * @nr: how many there were
 */
struct pmem {
	const struct memsuite_dmi *dimms;
	const char *technology;
	unsigned int nr;
};

static int pmem_add(struct resource *resource, void *context)
{
	struct pmem *pmem = context;
	struct memsuite_region_spec spec = {
		.start = PAGE_ALIGN(resource->start),
		.end = (resource->end + 1) & PAGE_MASK,
		.nid = -1,
		.source = MEMSUITE_REGION_NVDIMM,
		.interleaved = MEMSUITE_INTERLEAVED_UNKNOWN,
		.tier = -1,
	};

	if (spec.start >= spec.end)
		return 0;
	strscpy(spec.technology, pmem->technology, sizeof(spec.technology));
	nvdimms_describe(pmem->dimms, &spec);
	snprintf(spec.name, sizeof(spec.name), "pmem%u", pmem->nr++);
	region_add(&spec);
	return 0;
}

static void pmems_add(const struct memsuite_dmi *dimms)
{
	struct pmem pmem = { .dimms = dimms, .technology = "nvdimm" };

	walk_iomem_res_desc(IORES_DESC_PERSISTENT_MEMORY, IORESOURCE_MEM, 0,
			    -1, &pmem, pmem_add);
	/* Set apart by the firmware, or by memmap=: of what, nobody says. */
	pmem.technology = "pmem";
	walk_iomem_res_desc(IORES_DESC_PERSISTENT_MEMORY_LEGACY,
			    IORESOURCE_MEM, 0, -1, &pmem, pmem_add);
}

int memsuite_discover_init(void)
{
	struct memsuite_dmi *dimms = kzalloc(sizeof(*dimms), GFP_KERNEL);

	nodes_add();
	if (!dimms)
		return 0;
	memsuite_dmi_read(dimms);
	dimms_add(dimms);
	pmems_add(dimms);
	kfree(dimms);
	return 0;
}
