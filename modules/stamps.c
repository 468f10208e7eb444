// SPDX-License-Identifier: GPL-2.0-only
/* Per-page metadata: an array of stamps for each memory section. */

#include <linux/mm.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/rcupdate.h>
#include <linux/vmalloc.h>
#include <linux/xarray.h>

#include "core.h"
#include "stamps.h"

static DEFINE_XARRAY(sections);
static size_t bytes;
static bool usable;

u32 *ms_stamp(unsigned long pfn)
{
	u32 *section;

	if (!READ_ONCE(usable))
		return NULL;
	section = xa_load(&sections, pfn >> PFN_SECTION_SHIFT);

	return section ? section + (pfn & (PAGES_PER_SECTION - 1)) : NULL;
}

static int add_section(unsigned long section)
{
	u32 *stamps = vzalloc(PAGES_PER_SECTION * sizeof(*stamps));
	int err;

	if (!stamps)
		return -ENOMEM;
	err = xa_err(xa_store(&sections, section, stamps, GFP_KERNEL));
	if (err)
		vfree(stamps);
	else
		bytes += PAGES_PER_SECTION * sizeof(*stamps);
	return err;
}

int ms_stamps_alloc(void)
{
	unsigned long pfn, end;
	int nid, err;

	for_each_online_node(nid) {
		end = node_end_pfn(nid);
		pfn = ALIGN_DOWN(node_start_pfn(nid), PAGES_PER_SECTION);
		for (; pfn < end; pfn += PAGES_PER_SECTION) {
			if (!online_section_nr(pfn_to_section_nr(pfn)) ||
			    xa_load(&sections, pfn_to_section_nr(pfn)))
				continue;
			err = add_section(pfn_to_section_nr(pfn));
			if (err) {
				ms_stamps_free();
				return err;
			}
		}
	}
	WRITE_ONCE(usable, true);
	return 0;
}

void ms_stamps_free(void)
{
	unsigned long section;
	void *stamps;

	WRITE_ONCE(usable, false);
	synchronize_rcu();
	xa_for_each(&sections, section, stamps)
		vfree(stamps);
	xa_destroy(&sections);
	bytes = 0;
}

size_t ms_stamps_bytes(void)
{
	return bytes;
}
