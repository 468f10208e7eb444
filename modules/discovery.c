// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions that the machine tells of: NUMA nodes with the latencies of HMAT
 * and their memory tier, DIMMs of the DMI tables, persistent memory.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/dmi.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#include <compat/compat.h>

#include "region.h"

int ms_read_text(const char *path, char *text, size_t size)
{
	struct file *file = filp_open(path, O_RDONLY, 0);
	loff_t pos = 0;
	ssize_t length;

	if (IS_ERR(file))
		return PTR_ERR(file);
	length = kernel_read(file, text, size - 1, &pos);
	filp_close(file, NULL);
	if (length >= 0)
		text[length] = '\0';
	return length;
}

static void add(const struct ms_region_spec *spec)
{
	int err = ms_region_add(spec);

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
	if (ms_read_text(path, text, sizeof(text)) > 0 &&
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
		if (ms_read_text(path, text, sizeof(text)) > 0 &&
		    !nodelist_parse(strim(text), nodes) && node_isset(nid, nodes))
			return tier;
	}
	return -1;
}

static void add_nodes(void)
{
	struct ms_region_spec spec;
	int nid;

	for_each_node_state(nid, N_MEMORY) {
		spec = (struct ms_region_spec) {
			.start = PFN_PHYS(node_start_pfn(nid)),
			.end = PFN_PHYS(node_end_pfn(nid)),
			.nid = nid,
			.source = MS_REGION_NODE,
			.read_latency_ns = node_latency_ns(nid, "read"),
			.write_latency_ns = node_latency_ns(nid, "write"),
			.tier = node_tier(nid),
		};
		snprintf(spec.name, sizeof(spec.name), "node%d", nid);
		add(&spec);
	}
}

static int add_nvdimm(struct resource *resource, void *count)
{
	struct ms_region_spec spec = {
		.start = PAGE_ALIGN(resource->start),
		.end = (resource->end + 1) & PAGE_MASK,
		.nid = -1,
		.source = MS_REGION_NVDIMM,
		.tier = -1,
		.technology = "nvdimm",
	};

	if (spec.start >= spec.end)
		return 0;
	snprintf(spec.name, sizeof(spec.name), "pmem%d", (*(int *)count)++);
	add(&spec);
	return 0;
}

/* SMBIOS structures, DSP0134 sections 7.18, 7.20 and 7.21. */
struct smbios_device {		/* type 17 */
	struct dmi_header header;
	u16 array;
	u16 error;
	u16 total_width;
	u16 data_width;
	u16 size;
	u8 form_factor;
	u8 set;
	u8 locator;
	u8 bank;
} __packed;

struct smbios_array_address {	/* type 19 */
	struct dmi_header header;
	u32 start_kib;
	u32 end_kib;
	u16 array;
	u8 width;
	u64 start;
	u64 end;
} __packed;

struct smbios_device_address {	/* type 20 */
	struct dmi_header header;
	u32 start_kib;
	u32 end_kib;
	u16 device;
	u16 array_address;
	u8 row;
	u8 interleave_position;
	u8 interleave_depth;
	u64 start;
	u64 end;
} __packed;

#define SMBIOS_EXTENDED		0xffffffffU
#define MAX_DIMMS		64

/**
 * struct dimm_walk - what a walk over the DMI tables has found
 * @nr_dimms: memory devices with memory in them
 * @dimm: their handle, their array's handle, and where they are plugged in
 * @nr_ranges: address ranges
 * @range: with the handle that it belongs to; of a device if @by_device, else
 *	of an array
 * @by_device: there are type 20 structures, which say more than type 19
 */
struct dimm_walk {
	int nr_dimms;
	struct {
		u16 handle;
		u16 array;
		char locator[MS_REGION_TEXT / 2];
	} dimm[MAX_DIMMS];
	int nr_ranges;
	struct {
		u64 start;
		u64 end;
		u16 handle;
	} range[MAX_DIMMS];
	bool by_device;
};

static const char *dmi_text(const struct dmi_header *header, u8 nr)
{
	const char *text = (const char *)header + header->length;

	while (nr > 1 && *text) {
		text += strlen(text) + 1;
		nr--;
	}
	return nr ? text : "";
}

static void see_range(struct dimm_walk *walk, u32 start_kib, u32 end_kib,
		      const u64 *start, const u64 *end, u16 handle)
{
	int nr = walk->nr_ranges;

	if (nr == MAX_DIMMS)
		return;
	if (start_kib == SMBIOS_EXTENDED) {
		if (!start)
			return;
		walk->range[nr].start = *start;
		walk->range[nr].end = *end + 1;
	} else {
		walk->range[nr].start = (u64)start_kib << 10;
		walk->range[nr].end = ((u64)end_kib + 1) << 10;
	}
	walk->range[nr].handle = handle;
	walk->nr_ranges++;
}

static void see_device(struct dimm_walk *walk, const struct dmi_header *header)
{
	const struct smbios_device *device = (const void *)header;
	int nr = walk->nr_dimms;

	if (header->length < sizeof(*device) || !device->size ||
	    nr == MAX_DIMMS)
		return;
	walk->dimm[nr].handle = header->handle;
	walk->dimm[nr].array = device->array;
	strscpy(walk->dimm[nr].locator, dmi_text(header, device->locator),
		sizeof(walk->dimm[nr].locator));
	walk->nr_dimms++;
}

static void see_array_address(struct dimm_walk *walk,
			      const struct dmi_header *header)
{
	const struct smbios_array_address *map = (const void *)header;
	bool extended = header->length >= sizeof(*map);
	u64 start = 0, end = 0;

	if (header->length < offsetof(struct smbios_array_address, start) ||
	    walk->by_device)
		return;
	if (extended) {
		start = map->start;
		end = map->end;
	}
	see_range(walk, map->start_kib, map->end_kib,
		  extended ? &start : NULL, &end, map->array);
}

static void see_device_address(struct dimm_walk *walk,
			       const struct dmi_header *header)
{
	const struct smbios_device_address *map = (const void *)header;
	bool extended = header->length >= sizeof(*map);
	u64 start = 0, end = 0;

	if (header->length < offsetof(struct smbios_device_address, start))
		return;
	if (!walk->by_device) {
		walk->by_device = true;
		walk->nr_ranges = 0;
	}
	if (extended) {
		start = map->start;
		end = map->end;
	}
	see_range(walk, map->start_kib, map->end_kib,
		  extended ? &start : NULL, &end, map->device);
}

static void see(const struct dmi_header *header, void *walk)
{
	switch (header->type) {
	case 17:
		see_device(walk, header);
		break;
	case 19:
		see_array_address(walk, header);
		break;
	case 20:
		see_device_address(walk, header);
		break;
	}
}

/*
 * DIMMs that share a range are interleaved and form one region; so do all
 * DIMMs of an array where the tables tell no more than the array's range.
 */
static void name_dimms(const struct dimm_walk *walk, int range,
		       struct ms_region_spec *spec)
{
	int i, j;

	for (i = 0; i < walk->nr_dimms; i++) {
		bool here = false;

		for (j = 0; j < walk->nr_ranges; j++)
			here |= walk->range[j].start == spec->start &&
				walk->range[j].end == spec->end &&
				walk->range[j].handle == (walk->by_device ?
					walk->dimm[i].handle :
					walk->dimm[i].array);
		if (!here)
			continue;
		if (spec->locator[0])
			strlcat(spec->locator, ",", sizeof(spec->locator));
		strlcat(spec->locator, walk->dimm[i].locator,
			sizeof(spec->locator));
	}
}

static bool seen_before(const struct dimm_walk *walk, int range)
{
	int i;

	for (i = 0; i < range; i++)
		if (walk->range[i].start == walk->range[range].start &&
		    walk->range[i].end == walk->range[range].end)
			return true;
	return false;
}

static void add_dimms(void)
{
	struct dimm_walk *walk = kzalloc(sizeof(*walk), GFP_KERNEL);
	int i, nr = 0;

	if (!walk || dmi_walk(see, walk))
		goto out;
	for (i = 0; i < walk->nr_ranges; i++) {
		struct ms_region_spec spec = {
			.start = PAGE_ALIGN(walk->range[i].start),
			.end = walk->range[i].end & PAGE_MASK,
			.nid = -1,
			.source = MS_REGION_DIMM,
			.tier = -1,
		};

		if (spec.start >= spec.end || seen_before(walk, i))
			continue;
		name_dimms(walk, i, &spec);
		snprintf(spec.name, sizeof(spec.name), "dimm%d", nr++);
		add(&spec);
	}
out:
	kfree(walk);
}

void ms_regions_discover(void)
{
	int nvdimms = 0;

	add_nodes();
	add_dimms();
	walk_iomem_res_desc(IORES_DESC_PERSISTENT_MEMORY, IORESOURCE_MEM, 0,
			    -1, &nvdimms, add_nvdimm);
}
