// SPDX-License-Identifier: GPL-2.0-only
/* DIMMs and nodes that have bad pages. There are few: they are looked for one after another. */

#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "result/part.h"

LIST_HEAD(memdiag_parts);	/* added to under parts_lock, read without */
static DEFINE_MUTEX(parts_lock);

static bool part_is(const struct memdiag_part *part, const struct memdiag_part *other)
{
	return part->nid == other->nid &&
	       (!memdiag_part_is_dimm(part) ||
		(part->start == other->start && !strcmp(part->name, other->name)));
}

static struct memdiag_part *part_find(const struct memdiag_part *wanted)
{
	struct memdiag_part *part;

	list_for_each_entry(part, &memdiag_parts, link)
		if (part_is(part, wanted))
			return part;
	return NULL;
}

/* Returns whether there is such memory. */
static bool part_locate(struct memdiag_part *part, u64 address)
{
	struct memsuite_region_spec spec = {};
	char *c;

	if (memsuite_region_at(address, BIT(MEMSUITE_REGION_DIMM), &spec) && *spec.locator) {
		part->nid = NUMA_NO_NODE;
		part->start = spec.start;
		part->pages = PHYS_PFN(spec.end - spec.start);
		strscpy(part->name, spec.locator, sizeof(part->name));
		/* Columns of a table are separated by blanks; firmware writes what it likes. */
		for (c = part->name; *c; c++)
			if (!isascii(*c) || !isgraph(*c))
				*c = '_';
		return true;
	}
	if (!pfn_valid(PHYS_PFN(address)))
		return false;
	part->nid = page_to_nid(pfn_to_page(PHYS_PFN(address)));
	part->pages = node_present_pages(part->nid);
	snprintf(part->name, sizeof(part->name), "node%d", part->nid);
	return true;
}

struct memdiag_part *memdiag_part_at(u64 address)
{
	struct memdiag_part wanted = {}, *part, *added;

	if (!part_locate(&wanted, address))
		return NULL;
	mutex_lock(&parts_lock);
	part = part_find(&wanted);
	if (part)
		WRITE_ONCE(part->pages, wanted.pages);
	mutex_unlock(&parts_lock);
	if (part)
		return part;
	/* Not under the lock: reclaim may wait for a page that somebody holds who waits for it. */
	added = kmemdup(&wanted, sizeof(wanted), GFP_KERNEL);
	if (!added)
		return NULL;
	mutex_lock(&parts_lock);
	part = part_find(&wanted);
	if (!part) {
		part = added;
		list_add_tail_rcu(&part->link, &memdiag_parts);
		added = NULL;
	}
	mutex_unlock(&parts_lock);
	kfree(added);
	return part;
}

void memdiag_parts_free(void)
{
	struct memdiag_part *part, *next;

	list_for_each_entry_safe(part, next, &memdiag_parts, link)
		kfree(part);
}
