/* SPDX-License-Identifier: GPL-2.0-only */
/* Bad pages that are told of together: where they lie, at which distance, and by which bits. */
#ifndef MEMDIAG_RESULT_AREA_H
#define MEMDIAG_RESULT_AREA_H

#include <linux/types.h>

/* What memdiag_area_text() and memdiag_area_lane() print, at most. */
#define MEMDIAG_AREA_TEXT	160
#define MEMDIAG_AREA_LANE	16

/**
 * struct memdiag_area - pages of a DIMM
 * @nr: how many
 * @start: first page, physical
 * @end: behind the last one
 * @stride: all are multiples of that apart; 0 of a single page
 * @mask: bits of the 64-bit words that failed, of all pages together
 */
struct memdiag_area {
	u64 nr;
	u64 start;
	u64 end;
	u64 stride;
	u64 mask;
};

/**
 * memdiag_area_add() - add a page
 * @area: where; all 0 before the first page
 * @address: physical, in the page, which is none of those before
 * @mask: its bits that failed; 0: not known
 *
 * Pure.
 */
void memdiag_area_add(struct memdiag_area *area, u64 address, u64 mask);

/**
 * memdiag_area_lane() - the chip by its place in the data bus
 * @mask: bits of 64-bit words
 * @lane: result: "x4-12", "x8-6" if it is wider than a chip of 4 data lines, or "-" if
 *	wider than one of 8, or not known
 *
 * Pure.
 */
void memdiag_area_lane(u64 mask, char lane[MEMDIAG_AREA_LANE]);

/**
 * memdiag_area_text() - tell people of it
 * @area: at least one page
 * @text: result
 *
 * Pure.
 */
void memdiag_area_text(const struct memdiag_area *area, char text[MEMDIAG_AREA_TEXT]);

#endif
