// SPDX-License-Identifier: GPL-2.0-only
/* The DIMMs of the DMI tables, decoded: SMBIOS types 17, 19 and 20. */

#include <linux/dmi.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "region/dmi.h"
#include "region/dmi_decode.h"

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
	u8 memory_type;
	u16 detail;
	u8 skipped[19];		/* of no use here */
	u8 technology;		/* from version 3.2 on */
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

static void dmi_see_range(struct memsuite_dmi *dimms, u32 start_kib, u32 end_kib,
			  const u64 *start, const u64 *end, u16 handle,
			  u8 position)
{
	if (start_kib != SMBIOS_EXTENDED)
		memsuite_dmi_add_range(dimms, (u64)start_kib << 10,
				       ((u64)end_kib + 1) << 10, handle, position);
	else if (start)
		memsuite_dmi_add_range(dimms, *start, *end + 1, handle, position);
}

static void dmi_see_device(struct memsuite_dmi *dimms, const struct dmi_header *header)
{
	const struct smbios_device *device = (const void *)header;
	u8 type = 0, technology = 0;

	if (header->length < offsetof(struct smbios_device, memory_type) ||
	    !device->size)
		return;
	if (header->length >= offsetof(struct smbios_device, detail))
		type = device->memory_type;
	if (header->length >= sizeof(*device))
		technology = device->technology;
	memsuite_dmi_add_device(dimms, header->handle, device->array,
				dmi_text(header, device->locator),
				memsuite_dmi_technology(type, technology));
}

static void dmi_see_array_address(struct memsuite_dmi *dimms,
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
	dmi_see_range(dimms, map->start_kib, map->end_kib,
		      extended ? &start : NULL, &end, map->array,
		      MEMSUITE_DMI_POSITION_UNKNOWN);
}

static void dmi_see_device_address(struct memsuite_dmi *dimms,
				   const struct dmi_header *header)
{
	const struct smbios_device_address *map = (const void *)header;
	bool extended = header->length >= sizeof(*map);
	u64 start = 0, end = 0;

	if (header->length < offsetof(struct smbios_device_address, start))
		return;
	memsuite_dmi_set_by_device(dimms);
	if (extended) {
		start = map->start;
		end = map->end;
	}
	dmi_see_range(dimms, map->start_kib, map->end_kib,
		      extended ? &start : NULL, &end, map->device,
		      map->interleave_position);
}

static void dmi_see(const struct dmi_header *header, void *dimms)
{
	switch (header->type) {
	case 17:
		dmi_see_device(dimms, header);
		break;
	case 19:
		dmi_see_array_address(dimms, header);
		break;
	case 20:
		dmi_see_device_address(dimms, header);
		break;
	}
}

void memsuite_dmi_read(struct memsuite_dmi *dimms)
{
	/* Without tables there are none. */
	if (!dmi_walk(dmi_see, dimms))
		memsuite_dmi_merge(dimms);
}
