// SPDX-License-Identifier: GPL-2.0-only
/* Regions: modules/region/region_parse.c. */
#include "kernel/parse.c"
#include "region/region_parse.c"

#include "input.h"

static size_t banks_print(const struct memsuite_region_spec *spec, char *to, size_t size)
{
	size_t at = scnprintf(to, size, " map=%s banks=", spec->map), nr = 0;
	unsigned int i;

	for (i = 0; i < MEMSUITE_MAX_BANKS; i++)
		if (test_bit(i, spec->banks))
			at += scnprintf(to + at, size - at, "%s%u", nr++ ? "," : "", i);
	return at;
}

static void region_print(struct memsuite_region_spec *spec, char *to, size_t size)
{
	size_t at = scnprintf(to, size, "%s %#llx-%#llx", spec->name, spec->start, spec->end);
	unsigned int i;

	if (spec->technology[0])
		at += scnprintf(to + at, size - at, " technology=%s", spec->technology);
	if (spec->locator[0])
		at += scnprintf(to + at, size - at, "\tlocator=%s", spec->locator);
	if (spec->map[0])
		at += banks_print(spec, to + at, size - at);
	for (i = 0; i < MEMSUITE_NR_REGION_NUMBERS; i++)
		at += scnprintf(to + at, size - at, "  %s=%llu", memsuite_region_numbers[i].name,
				*memsuite_region_number_in(spec, &memsuite_region_numbers[i]));
}

static bool regions_same(struct memsuite_region_spec *a, struct memsuite_region_spec *b)
{
	unsigned int i;

	for (i = 0; i < MEMSUITE_NR_REGION_NUMBERS; i++)
		if (*memsuite_region_number_in(a, &memsuite_region_numbers[i]) !=
		    *memsuite_region_number_in(b, &memsuite_region_numbers[i]))
			return false;
	return !strcmp(a->name, b->name) && a->start == b->start && a->end == b->end &&
	       !strcmp(a->technology, b->technology) && !strcmp(a->locator, b->locator) &&
	       !strcmp(a->map, b->map) && !memcmp(a->banks, b->banks, sizeof(a->banks));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char printed[16384];
	struct memsuite_region_spec spec, again;
	char *line = input_line(data, size, 512);

	if (line && !memsuite_region_parse(line, &spec)) {
		MUST(spec.start < spec.end);
		memsuite_technology_of(spec.technology);
		region_print(&spec, printed, sizeof(printed));
		MUST(!memsuite_region_parse(printed, &again) && regions_same(&spec, &again));
	}
	free(line);
	return 0;
}
