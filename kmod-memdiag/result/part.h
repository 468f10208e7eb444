/* SPDX-License-Identifier: GPL-2.0-only */
/* What bad pages lie in, and what can be replaced: DIMMs, or where none are known nodes. */
#ifndef MEMDIAG_RESULT_PART_H
#define MEMDIAG_RESULT_PART_H

#include <linux/list.h>
#include <linux/numa.h>
#include <linux/types.h>

#include <memsuite/region.h>

#include "result/retire_quota.h"

/**
 * struct memdiag_part - one that has bad pages
 * @link: in the list of all
 * @name: where its DIMMs are plugged in, without blanks; or its node
 * @nid: the node that it is, or NUMA_NO_NODE of a DIMM
 * @start: first physical byte of a DIMM: several may be called alike
 * @pages: pages that it has; a node may get more or fewer
 * @quota: of bad pages, under the lock of their list
 */
struct memdiag_part {
	struct list_head link;
	char name[MEMSUITE_REGION_TEXT];
	int nid;
	u64 start;
	u64 pages;
	struct memdiag_quota quota;
};

static inline bool memdiag_part_is_dimm(const struct memdiag_part *part)
{
	return part->nid == NUMA_NO_NODE;
}

/**
 * memdiag_part_at() - the part that an address lies in
 * @address: physical, of memory that there is
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
