// SPDX-License-Identifier: GPL-2.0-only
/* DIMMs and their ranges; dmi.h. Pure logic: also built in user space. */

#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "region/dmi.h"

const char *memsuite_dmi_technology(u8 type, u8 technology)
{
	static const char * const types[] = {
		[0x03] = "dram", [0x0f] = "sdram", [0x12] = "ddr",
		[0x13] = "ddr2", [0x14] = "ddr2", [0x18] = "ddr3",
		[0x1a] = "ddr4", [0x1b] = "lpddr", [0x1c] = "lpddr2",
		[0x1d] = "lpddr3", [0x1e] = "lpddr4", [0x1f] = "nvdimm",
		[0x20] = "hbm", [0x21] = "hbm2", [0x22] = "ddr5",
		[0x23] = "lpddr5", [0x24] = "hbm3",
	};
	static const char * const technologies[] = {
		[0x03] = "dram", [0x04] = "nvdimm-n", [0x05] = "nvdimm-f",
		[0x06] = "nvdimm-p", [0x07] = "optane",
	};
	const char *of_type = type < ARRAY_SIZE(types) ? types[type] : NULL;
	const char *of_technology = technology < ARRAY_SIZE(technologies) ?
		technologies[technology] : NULL;

	/* An NVDIMM may have the type of the bus that it is on. */
	if (of_type && (!of_technology || !strcmp(of_technology, "dram")))
		return of_type;
	return of_technology;
}

int memsuite_dmi_find(const struct memsuite_dmi *dimms, u16 handle)
{
	unsigned int i;

	for (i = 0; i < dimms->nr_dimms; i++)
		if (dimms->dimm[i].handle == handle)
			return i;
	return -1;
}

void memsuite_dmi_add_device(struct memsuite_dmi *dimms, u16 handle, u16 array, const char *locator,
			     const char *technology)
{
	unsigned int nr = dimms->nr_dimms;

	if (nr == MEMSUITE_DMI_MAX_DIMMS)
		return;
	dimms->dimm[nr].handle = handle;
	dimms->dimm[nr].array = array;
	strscpy(dimms->dimm[nr].locator, locator,
		sizeof(dimms->dimm[nr].locator));
	dimms->dimm[nr].technology = technology;
	dimms->nr_dimms++;
}

void memsuite_dmi_add_range(struct memsuite_dmi *dimms, u64 start, u64 end, u16 handle,
			    u8 position)
{
	unsigned int nr = dimms->nr_ranges;

	/* Firmware that knows none writes zeroes or ones: ranges without end, or rounded to 0. */
	if (nr == MEMSUITE_DMI_MAX_DIMMS || start >= end || end > PHYS_ADDR_MAX - PAGE_SIZE)
		return;
	dimms->range[nr].start = start;
	dimms->range[nr].end = end;
	dimms->range[nr].handle[0] = handle;
	dimms->range[nr].nr_handles = 1;
	dimms->range[nr].position = position;
	dimms->nr_ranges++;
}

void memsuite_dmi_set_by_device(struct memsuite_dmi *dimms)
{
	if (!dimms->by_device)
		dimms->nr_ranges = 0;
	dimms->by_device = true;
}

static void ranges_merge(struct memsuite_dmi *dimms, unsigned int to, unsigned int from)
{
	unsigned int i, *nr = &dimms->range[to].nr_handles;

	dimms->range[to].start = min(dimms->range[to].start,
				     dimms->range[from].start);
	dimms->range[to].end = max(dimms->range[to].end,
				   dimms->range[from].end);
	for (i = 0; i < dimms->range[from].nr_handles && *nr < MEMSUITE_DMI_MAX_DIMMS; i++)
		dimms->range[to].handle[(*nr)++] = dimms->range[from].handle[i];
	dimms->range[to].position = max(dimms->range[to].position,
					dimms->range[from].position);
	dimms->nr_ranges--;
	memmove(&dimms->range[from], &dimms->range[from + 1],
		(dimms->nr_ranges - from) * sizeof(dimms->range[0]));
}

static bool ranges_overlap(const struct memsuite_dmi *dimms, unsigned int a, unsigned int b)
{
	return dimms->range[a].start < dimms->range[b].end &&
	       dimms->range[b].start < dimms->range[a].end;
}

void memsuite_dmi_merge(struct memsuite_dmi *dimms)
{
	unsigned int i, j;

	for (i = 0; i < dimms->nr_ranges; i++) {
		for (j = i + 1; j < dimms->nr_ranges; j++) {
			if (!ranges_overlap(dimms, i, j))
				continue;
			ranges_merge(dimms, i, j);
			/* It has grown: others may overlap now. */
			j = i;
		}
	}
}

static bool dimm_lies_in(const struct memsuite_dmi *dimms, unsigned int dimm,
			 unsigned int range)
{
	u16 handle = dimms->by_device ? dimms->dimm[dimm].handle :
					dimms->dimm[dimm].array;
	unsigned int i;

	for (i = 0; i < dimms->range[range].nr_handles; i++)
		if (dimms->range[range].handle[i] == handle)
			return true;
	return false;
}

/*
 * A device that has its range alone, but a position in an interleave, shares
 * it with others all the same. Of an array with more than one device, the
 * tables do not tell whether they lie side by side.
 */
static enum memsuite_interleaved range_interleaved(const struct memsuite_dmi *dimms,
						   unsigned int range, unsigned int nr)
{
	u8 position = dimms->range[range].position;

	if (!dimms->by_device)
		return nr == 1 ? MEMSUITE_INTERLEAVED_NO : MEMSUITE_INTERLEAVED_UNKNOWN;
	if (nr > 1)
		return MEMSUITE_INTERLEAVED_YES;
	if (position == MEMSUITE_DMI_POSITION_UNKNOWN)
		return MEMSUITE_INTERLEAVED_UNKNOWN;
	return position ? MEMSUITE_INTERLEAVED_YES : MEMSUITE_INTERLEAVED_NO;
}

static bool technology_is_same(const char *technology, const char *other)
{
	return technology && other && !strcmp(technology, other);
}

void memsuite_dmi_describe(const struct memsuite_dmi *dimms, unsigned int range,
			   struct memsuite_region_spec *spec)
{
	const char *technology = NULL;
	unsigned int i, nr = 0;
	size_t at = 0;

	spec->locator[0] = '\0';
	for (i = 0; i < dimms->nr_dimms; i++) {
		if (!dimm_lies_in(dimms, i, range))
			continue;
		if (!nr)
			technology = dimms->dimm[i].technology;
		else if (!technology_is_same(technology, dimms->dimm[i].technology))
			technology = NULL;
		at += scnprintf(spec->locator + at, sizeof(spec->locator) - at,
				"%s%s", nr++ ? "," : "",
				dimms->dimm[i].locator);
	}
	spec->interleaved = range_interleaved(dimms, range, nr);
	strscpy(spec->technology, technology ?: "", sizeof(spec->technology));
}

/* What follows the first name of a list, or NULL; a name may be empty. */
static const char *list_next(const char *list)
{
	list = strchr(list, ',');
	return list ? list + 1 : NULL;
}

/* Whether the @length characters of @name are one of the names of a list. */
static bool list_names(const char *list, const char *name, size_t length)
{
	for (; list; list = list_next(list))
		if (!strncmp(list, name, length) &&
		    (!list[length] || list[length] == ','))
			return true;
	return false;
}

static unsigned int list_count_names(const char *list)
{
	unsigned int nr = 1;

	for (; *list; list++)
		nr += *list == ',';
	return nr;
}

bool memsuite_dmi_is_part(const char *locators, const char *some)
{
	unsigned int found = 0;
	const char *name = some;

	if (!*some)
		return false;
	for (; name; name = list_next(name))
		found += list_names(locators, name, strcspn(name, ","));
	return found && found < list_count_names(locators);
}
