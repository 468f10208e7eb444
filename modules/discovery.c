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

#include "dimms.h"
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
			.interleaved = MS_INTERLEAVED_UNKNOWN,
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
		.interleaved = MS_INTERLEAVED_UNKNOWN,
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

static const char *dmi_text(const struct dmi_header *header, u8 nr)
{
	const char *text = (const char *)header + header->length;

	while (nr > 1 && *text) {
		text += strlen(text) + 1;
		nr--;
	}
	return nr ? text : "";
}

static void see_range(struct dimms *dimms, u32 start_kib, u32 end_kib,
		      const u64 *start, const u64 *end, u16 handle,
		      u8 position)
{
	if (start_kib != SMBIOS_EXTENDED)
		dimms_add_range(dimms, (u64)start_kib << 10,
				((u64)end_kib + 1) << 10, handle, position);
	else if (start)
		dimms_add_range(dimms, *start, *end + 1, handle, position);
}

static void see_device(struct dimms *dimms, const struct dmi_header *header)
{
	const struct smbios_device *device = (const void *)header;

	if (header->length >= sizeof(*device) && device->size)
		dimms_add(dimms, header->handle, device->array,
			  dmi_text(header, device->locator));
}

static void see_array_address(struct dimms *dimms,
			      const struct dmi_header *header)
{
	const struct smbios_array_address *map = (const void *)header;
	bool extended = header->length >= sizeof(*map);
	u64 start = 0, end = 0;

	if (header->length < offsetof(struct smbios_array_address, start) ||
	    dimms->by_device)
		return;
	if (extended) {
		start = map->start;
		end = map->end;
	}
	see_range(dimms, map->start_kib, map->end_kib,
		  extended ? &start : NULL, &end, map->array,
		  DIMM_POSITION_UNKNOWN);
}

static void see_device_address(struct dimms *dimms,
			       const struct dmi_header *header)
{
	const struct smbios_device_address *map = (const void *)header;
	bool extended = header->length >= sizeof(*map);
	u64 start = 0, end = 0;

	if (header->length < offsetof(struct smbios_device_address, start))
		return;
	dimms_by_device(dimms);
	if (extended) {
		start = map->start;
		end = map->end;
	}
	see_range(dimms, map->start_kib, map->end_kib,
		  extended ? &start : NULL, &end, map->device,
		  map->interleave_position);
}

static void see(const struct dmi_header *header, void *dimms)
{
	switch (header->type) {
	case 17:
		see_device(dimms, header);
		break;
	case 19:
		see_array_address(dimms, header);
		break;
	case 20:
		see_device_address(dimms, header);
		break;
	}
}

static void add_dimms(void)
{
	struct dimms *dimms = kzalloc(sizeof(*dimms), GFP_KERNEL);
	unsigned int i, nr = 0;

	if (!dimms || dmi_walk(see, dimms))
		goto out;
	dimms_merge(dimms);
	for (i = 0; i < dimms->nr_ranges; i++) {
		struct ms_region_spec spec = {
			.start = PAGE_ALIGN(dimms->range[i].start),
			.end = dimms->range[i].end & PAGE_MASK,
			.nid = -1,
			.source = MS_REGION_DIMM,
			.tier = -1,
		};

		if (spec.start >= spec.end)
			continue;
		dimms_describe(dimms, i, &spec);
		snprintf(spec.name, sizeof(spec.name), "dimm%u", nr++);
		add(&spec);
	}
out:
	kfree(dimms);
}

void ms_regions_discover(void)
{
	int nvdimms = 0;

	add_nodes();
	add_dimms();
	walk_iomem_res_desc(IORES_DESC_PERSISTENT_MEMORY, IORESOURCE_MEM, 0,
			    -1, &nvdimms, add_nvdimm);
}
