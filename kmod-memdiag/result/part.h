/* SPDX-License-Identifier: GPL-2.0-only */
/* What bad pages lie in, and what can be replaced: DIMMs, or where none are known regions. */
#ifndef MEMDIAG_RESULT_PART_H
#define MEMDIAG_RESULT_PART_H

#include <linux/types.h>

#include <memsuite/region.h>

/**
 * enum memdiag_limit - what keeps pages from being retired
 * @MEMDIAG_LIMIT_NONE: nothing
 * @MEMDIAG_LIMIT_PAGES: as many are bad as may be retired in all
 * @MEMDIAG_LIMIT_DIMM: as many are bad as may be retired of a DIMM
 */
enum memdiag_limit {
	MEMDIAG_LIMIT_NONE,
	MEMDIAG_LIMIT_PAGES,
	MEMDIAG_LIMIT_DIMM,
};

/**
 * struct memdiag_part - one that has bad pages
 * @link: in the list of all
 * @name: where its DIMMs are plugged in, without blanks; or its region, or "-"
 * @start: its first physical byte
 * @pages: pages that it has
 * @is_dimm: it is one
 * @bad: how many of them are on the list of bad pages, under that list's lock
 * @alarms: 1 << limits that were told, likewise
 * @alarms_due: of these, those that are yet to be told, likewise
 */
struct memdiag_part {
	struct list_head link;
	char name[MEMSUITE_REGION_TEXT];
	u64 start;
	u64 pages;
	bool is_dimm;
	u64 bad;
	unsigned int alarms;
	unsigned int alarms_due;
};

/**
 * memdiag_part_at() - the part that an address lies in
 * @address: physical
 *
 * Context: may sleep, and waits for no page.
 * Return: the part, which stays until memdiag_parts_free(); NULL: no memory.
 */
struct memdiag_part *memdiag_part_at(u64 address);

/* All of them, to be read by list_for_each_entry_rcu() at any time: none goes before the last. */
extern struct list_head memdiag_parts;

/* Nobody uses one any more. */
void memdiag_parts_free(void);

#endif
