// SPDX-License-Identifier: GPL-2.0-only
/* What a page is for; segment.h. */

#include <linux/mm.h>

#include "parse/segment.h"

enum vipzone_segment vipzone_segment_of_file(const struct mm_struct *mm, unsigned long address)
{
	unsigned long start_data = mm->start_data & PAGE_MASK;

	if (address >= start_data && address < PAGE_ALIGN(mm->end_data))
		return VIPZONE_SEGMENT_DATA;
	/* Constants lie between code and data. */
	if (address >= (mm->start_code & PAGE_MASK) &&
	    address < max(start_data, PAGE_ALIGN(mm->end_code)))
		return VIPZONE_SEGMENT_TEXT;
	return VIPZONE_SEGMENT_FILE;
}
