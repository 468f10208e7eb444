// SPDX-License-Identifier: GPL-2.0-only
/* When the tests of memory in use expire, by pageblock and by memory section; expiry.h. */

#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "paths/expiry.h"

static DEFINE_XARRAY(sections);		/* by number; none: all of it is due */
static u32 round;

static unsigned long section_nr_of(unsigned long pfn)
{
	return pfn / PAGES_PER_SECTION;
}

static unsigned int block_of(unsigned long pfn)
{
	return pfn % PAGES_PER_SECTION / MEMDIAG_EXPIRY_BLOCK_PAGES;
}

static struct memdiag_expiry_section *section_of(unsigned long pfn)
{
	struct memdiag_expiry_section *section = xa_load(&sections, section_nr_of(pfn));

	return section && section->round == round ? section : NULL;
}

/* Makes it, if there is memory for it. */
static struct memdiag_expiry_section *section_make(unsigned long pfn)
{
	struct memdiag_expiry_section *section = xa_load(&sections, section_nr_of(pfn));

	if (!section) {
		section = kmalloc(sizeof(*section), GFP_KERNEL | __GFP_NOWARN);
		if (!section)
			return NULL;
		if (xa_is_err(xa_store(&sections, section_nr_of(pfn), section, GFP_KERNEL))) {
			kfree(section);
			return NULL;
		}
		section->round = round - 1;
	}
	if (section->round != round) {
		memset(section, 0, sizeof(*section));
		section->round = round;
	}
	return section;
}

void memdiag_expiry_restart(void)
{
	round++;
}

/* No block of the section is due: when will the first one be? */
static void section_update_least(struct memdiag_expiry_section *section)
{
	u32 least = U32_MAX;
	unsigned int i;

	for (i = 0; i < MEMDIAG_EXPIRY_BLOCKS; i++)
		least = min(least, section->due_s[i]);
	section->least_s = least;
}

/* The first block from @from up to before @to that is due, or @to. */
static unsigned int section_next(struct memdiag_expiry_section *section, unsigned int from,
				 unsigned int to, u32 now_s)
{
	unsigned int i;

	if (section->least_s > now_s)
		return to;
	for (i = from; i < to && section->due_s[i] > now_s; i++)
		;
	if (!from && i == MEMDIAG_EXPIRY_BLOCKS)
		section_update_least(section);
	return i;
}

unsigned long memdiag_expiry_next(unsigned long pfn, unsigned long end, u32 now_s)
{
	unsigned long start, stop;
	struct memdiag_expiry_section *section;
	unsigned int to, block;

	for (; pfn < end; pfn = stop) {
		start = ALIGN_DOWN(pfn, PAGES_PER_SECTION);
		stop = min(start + PAGES_PER_SECTION, end);
		section = section_of(pfn);
		if (!section)
			return pfn;
		to = DIV_ROUND_UP(stop - start, MEMDIAG_EXPIRY_BLOCK_PAGES);
		block = section_next(section, block_of(pfn), to, now_s);
		if (block < to)
			return max(pfn, start + block * MEMDIAG_EXPIRY_BLOCK_PAGES);
	}
	return end;
}

static void block_set(struct memdiag_expiry_section *section, unsigned int block, u32 due_s)
{
	section->due_s[block] = due_s;
	section->least_s = min(section->least_s, due_s);
}

void memdiag_expiry_set(unsigned long pfn, u32 due_s)
{
	struct memdiag_expiry_section *section = section_make(pfn);

	if (!section)
		return;
	section->vain[block_of(pfn)] = 0;
	block_set(section, block_of(pfn), due_s);
}

void memdiag_expiry_retry(unsigned long pfn, u32 now_s, u32 pause_s, u32 most_s)
{
	struct memdiag_expiry_section *section = section_make(pfn);
	u8 *vain;

	if (!section)
		return;
	vain = &section->vain[block_of(pfn)];
	block_set(section, block_of(pfn), now_s + min((u64)pause_s << *vain, (u64)most_s));
	if (*vain < 31)
		(*vain)++;
}

void memdiag_expiry_free(void)
{
	struct memdiag_expiry_section *section;
	unsigned long nr;

	xa_for_each(&sections, nr, section)
		kfree(section);
	xa_destroy(&sections);
}
