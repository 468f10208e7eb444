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
 * @dimm: their handle, their array's handle, where they are plugged in, and what
 *	they are made of, or NULL
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
		char locator[MEMSUITE_REGION_TEXT / 2];
		const char *technology;
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

/*
 * Notes a device; @technology stays where it is, or is NULL. Those beyond MAX_DIMMS
 * are left out; so of ranges.
 */
void dimms_add(struct dimms *dimms, u16 handle, u16 array, const char *locator,
	       const char *technology);

/**
 * dimms_technology() - what a device is made of
 * @type: memory type of a type 17 structure (DSP0134, section 7.18.2)
 * @technology: its memory technology (section 7.18.6), or 0
 *
 * Pure. Return: a constant, or NULL if that tells nothing.
 */
const char *dimms_technology(u8 type, u8 technology);

/* The device with that handle, or -1. Pure. */
int dimms_find(const struct dimms *dimms, u16 handle);

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
 * @spec: @locator, @interleaved and, if it is the same for all, @technology are set
 *
 * Pure.
 */
void dimms_describe(const struct dimms *dimms, unsigned int range,
		    struct memsuite_region_spec *spec);

/**
 * dimms_part() - whether a text names some of the DIMMs of a list, and not all
 * @locators: the list, separated by commas
 * @some: likewise
 *
 * Pure. Return: true if it does.
 */
bool dimms_part(const char *locators, const char *some);

#endif
