// SPDX-License-Identifier: GPL-2.0-only
/* The firmware's DMI tables: modules/region/dmi_decode.c and dmi.c. */
#include "region/dmi.c"
#include "region/dmi_decode.c"

#include "input.h"

const u8 *dmi_table;
size_t dmi_length;

static void ranges_check(const struct memsuite_dmi *dimms)
{
	struct memsuite_region_spec spec;
	unsigned int i, j;

	MUST(dimms->nr_dimms <= MEMSUITE_DMI_MAX_DIMMS &&
	     dimms->nr_ranges <= MEMSUITE_DMI_MAX_DIMMS);
	for (i = 0; i < dimms->nr_ranges; i++) {
		MUST(dimms->range[i].start < dimms->range[i].end);
		MUST(ALIGN(dimms->range[i].start, PAGE_SIZE) >= dimms->range[i].start);
		for (j = 0; j < i; j++)
			MUST(!ranges_overlap(dimms, i, j));
		memsuite_dmi_describe(dimms, i, &spec);
		MUST(strlen(spec.locator) < MEMSUITE_REGION_TEXT &&
		     strlen(spec.technology) < MEMSUITE_REGION_TEXT);
		memsuite_dmi_is_part(spec.locator, dimms->nr_dimms ? dimms->dimm[0].locator : "");
		MUST(!memsuite_dmi_is_part(spec.locator, spec.locator));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct memsuite_dmi dimms;
	u8 *table = malloc(size ?: 1);

	if (!table)
		abort();
	if (size)
		memcpy(table, data, size);
	dmi_table = table;
	dmi_length = size;
	memset(&dimms, 0, sizeof(dimms));
	memsuite_dmi_read(&dimms);
	ranges_check(&dimms);
	free(table);
	return 0;
}
