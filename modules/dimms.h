/* SPDX-License-Identifier: GPL-2.0-only */
/* DIMMs, as the DMI tables tell of them, and the regions that they make. */
#ifndef MEMSUITE_DIMMS_H
#define MEMSUITE_DIMMS_H

#include <linux/types.h>

#include <memsuite/region.h>

#define MAX_DIMMS		64

/* Of a DIMM in an interleave, from 1 on; 0 is none. */
#define DIMM_POSITION_UNKNOWN	0xff

/**
 * struct dimms - what the tables tell
 * @nr_dimms: memory devices with memory in them
 * @dimm: their handle, their array's handle, and where they are plugged in
 * @nr_ranges: address ranges
 * @range: with the handle of the device that it belongs to if @by_device, else
 *	of the array, or of several after dimms_merge(); and the position in an
 *	interleave
 * @by_device: there are type 20 structures, which say more than type 19
 */
struct dimms {
	unsigned int nr_dimms;
	struct {
		u16 handle;
		u16 array;
		char locator[MS_REGION_TEXT / 2];
	} dimm[MAX_DIMMS];
	unsigned int nr_ranges;
	struct {
		u64 start;
		u64 end;
		u16 handle[MAX_DIMMS];
		unsigned int nr_handles;
		u8 position;
	} range[MAX_DIMMS];
	bool by_device;
};

/* Notes a device. Those beyond MAX_DIMMS are left out; so of ranges. */
void dimms_add(struct dimms *dimms, u16 handle, u16 array, const char *locator);

/* Notes an address range; see struct dimms. */
void dimms_add_range(struct dimms *dimms, u64 start, u64 end, u16 handle,
		     u8 position);

/* The tables tell ranges of devices: those of arrays do not count. */
void dimms_by_device(struct dimms *dimms);

/**
 * dimms_merge() - make one range of those that overlap
 * @dimms: when all of the tables was seen
 *
 * DIMMs that have addresses in common are interleaved among themselves, below
 * the size of a page or not: a page belongs to all of them.
 *
 * Pure.
 */
void dimms_merge(struct dimms *dimms);

/**
 * dimms_describe() - tell which DIMMs a range is made of
 * @dimms: after dimms_merge()
 * @range: which
 * @spec: @locator and @interleaved are set
 *
 * Pure.
 */
void dimms_describe(const struct dimms *dimms, unsigned int range,
		    struct ms_region_spec *spec);

/**
 * dimms_part() - whether a text names some of the DIMMs of a list, and not all
 * @locators: the list, separated by commas
 * @some: likewise
 *
 * Pure. Return: true if it does.
 */
bool dimms_part(const char *locators, const char *some);

#endif
