// SPDX-License-Identifier: GPL-2.0-only
/* Per-page metadata: an array of stamps for each memory section. */

#include <linux/mm.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/vmalloc.h>
#include <linux/xarray.h>

#include "core.h"
#include "stamps.h"

static DEFINE_XARRAY(sections);
static size_t bytes;
static bool usable;
static DEFINE_MUTEX(sections_lock);	/* against memory that comes online */

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

static void free_sections(void)
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

static int add_sections(void)
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
			if (err)
				return err;
		}
	}
	return 0;
}

int ms_stamps_alloc(void)
{
	int err;

	mutex_lock(&sections_lock);
	err = add_sections();
	if (err)
		free_sections();
	else
		WRITE_ONCE(usable, true);
	mutex_unlock(&sections_lock);
	return err;
}

void ms_stamps_free(void)
{
	mutex_lock(&sections_lock);
	free_sections();
	mutex_unlock(&sections_lock);
}

/* Without memory for them, pages there count as untested. */
void ms_stamps_extend(unsigned long pfn, unsigned long nr)
{
	unsigned long end = pfn + nr;

	mutex_lock(&sections_lock);
	for (; usable && pfn < end; pfn += PAGES_PER_SECTION)
		if (!xa_load(&sections, pfn_to_section_nr(pfn)))
			add_section(pfn_to_section_nr(pfn));
	mutex_unlock(&sections_lock);
}

size_t ms_stamps_bytes(void)
{
	return bytes;
}
