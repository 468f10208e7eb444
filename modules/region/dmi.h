/* SPDX-License-Identifier: GPL-2.0-only */
/* DIMMs, as the DMI tables tell of them, and the regions that they make. */
#ifndef MEMSUITE_REGION_DMI_H
#define MEMSUITE_REGION_DMI_H

#include <linux/types.h>

#include <memsuite/region.h>

#define MEMSUITE_DMI_MAX_DIMMS		64

/* Of a DIMM in an interleave, from 1 on; 0 is none. */
#define MEMSUITE_DMI_POSITION_UNKNOWN	0xff

/**
 * struct memsuite_dmi - what the tables tell
 * @nr_dimms: memory devices with memory in them
 * @dimm: their handle, their array's handle, where they are plugged in, and what
 *	they are made of, or NULL
 * @nr_ranges: address ranges
 * @range: with the handle of the device that it belongs to if @by_device, else
 *	of the array, or of several after memsuite_dmi_merge(); and the position in an
 *	interleave
 * @by_device: there are type 20 structures, which say more than type 19
 */
struct memsuite_dmi {
	unsigned int nr_dimms;
	struct {
		u16 handle;
		u16 array;
		char locator[MEMSUITE_REGION_TEXT / 2];
		const char *technology;
	} dimm[MEMSUITE_DMI_MAX_DIMMS];
	unsigned int nr_ranges;
	struct {
		u64 start;
		u64 end;
		u16 handle[MEMSUITE_DMI_MAX_DIMMS];
		unsigned int nr_handles;
		u8 position;
	} range[MEMSUITE_DMI_MAX_DIMMS];
	bool by_device;
};

/*
 * Notes a device; @technology stays where it is, or is NULL. Those beyond MEMSUITE_DMI_MAX_DIMMS
 * are left out; so of ranges.
 */
void memsuite_dmi_add_device(struct memsuite_dmi *dimms, u16 handle, u16 array, const char *locator,
			     const char *technology);

/**
 * memsuite_dmi_technology() - what a device is made of
 * @type: memory type of a type 17 structure (DSP0134, section 7.18.2)
 * @technology: its memory technology (section 7.18.6), or 0
 *
 * Pure.
 * Return: a constant, or NULL if that tells nothing.
 */
const char *memsuite_dmi_technology(u8 type, u8 technology);

/* The device with that handle, or -1. Pure. */
int memsuite_dmi_find(const struct memsuite_dmi *dimms, u16 handle);

/* Notes an address range, unless it is none; see struct memsuite_dmi. */
void memsuite_dmi_add_range(struct memsuite_dmi *dimms, u64 start, u64 end, u16 handle,
			    u8 position);

/* The tables tell ranges of devices: those of arrays do not count. */
void memsuite_dmi_set_by_device(struct memsuite_dmi *dimms);

/**
 * memsuite_dmi_merge() - make one range of those that overlap
 * @dimms: when all of the tables was seen
 *
 * DIMMs that have addresses in common are interleaved among themselves, below
 * the size of a page or not: a page belongs to all of them.
 *
 * Pure.
 */
void memsuite_dmi_merge(struct memsuite_dmi *dimms);

/**
 * memsuite_dmi_describe() - tell which DIMMs a range is made of
 * @dimms: after memsuite_dmi_merge()
 * @range: which
 * @spec: @locator, @interleaved and, if it is the same for all, @technology are set
 *
 * Pure.
 */
void memsuite_dmi_describe(const struct memsuite_dmi *dimms, unsigned int range,
			   struct memsuite_region_spec *spec);

/**
 * memsuite_dmi_is_part() - whether a text names some of the DIMMs of a list, and not all
 * @locators: the list, separated by commas
 * @some: likewise
 *
 * Pure.
 * Return: true if it does.
 */
bool memsuite_dmi_is_part(const char *locators, const char *some);

#endif
