// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bad pages that are told of together. Pure logic: also built in user space.
 *
 * A chip of a DIMM has 4 or 8 of the 64 data lines, side by side: bits that fail within 4 or 8 of
 * these name it, whatever addresses they fail at.
 */

#include <linux/bitops.h>
#include <linux/gcd.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "result/area.h"

void memdiag_area_add(struct memdiag_area *area, u64 address, u64 mask)
{
	u64 page = address & PAGE_MASK;

	area->mask |= mask;
	if (!area->nr++) {
		area->start = page;
		area->end = page + PAGE_SIZE;
		return;
	}
	area->stride = gcd(area->stride, page > area->start ? page - area->start :
							       area->start - page);
	area->start = min(area->start, page);
	area->end = max(area->end, page + PAGE_SIZE);
}

/* The lane of so many bits that all of @mask lie in; or -1. */
static int mask_lane(u64 mask, unsigned int width)
{
	unsigned int lane;

	if (!mask)
		return -1;
	lane = __ffs(mask) / width;
	return lane == __fls(mask) / width ? lane : -1;
}

void memdiag_area_lane(u64 mask, char lane[MEMDIAG_AREA_LANE])
{
	int x4 = mask_lane(mask, 4), x8 = mask_lane(mask, 8);

	if (x8 < 0)
		snprintf(lane, MEMDIAG_AREA_LANE, "-");
	else if (x4 < 0)
		snprintf(lane, MEMDIAG_AREA_LANE, "x8-%d", x8);
	else
		snprintf(lane, MEMDIAG_AREA_LANE, "x4-%d", x4);
}

void memdiag_area_text(const struct memdiag_area *area, char text[MEMDIAG_AREA_TEXT])
{
	char lane[MEMDIAG_AREA_LANE];
	int at;

	if (area->nr == 1)
		at = scnprintf(text, MEMDIAG_AREA_TEXT, "bad page at 0x%llx", area->start);
	else if ((area->end - area->start - PAGE_SIZE) / area->stride + 1 == area->nr)
		at = scnprintf(text, MEMDIAG_AREA_TEXT,
			       "%llu bad pages at 0x%llx-0x%llx, one each 0x%llx", area->nr,
			       area->start, area->end - 1, area->stride);
	else
		at = scnprintf(text, MEMDIAG_AREA_TEXT,
			       "%llu bad pages at 0x%llx-0x%llx, multiples of 0x%llx apart",
			       area->nr, area->start, area->end - 1, area->stride);
	if (!area->mask)
		return;
	at += scnprintf(text + at, MEMDIAG_AREA_TEXT - at, ", bits 0x%016llx", area->mask);
	memdiag_area_lane(area->mask, lane);
	if (strcmp(lane, "-"))
		scnprintf(text + at, MEMDIAG_AREA_TEXT - at, ", lane %s", lane);
}
