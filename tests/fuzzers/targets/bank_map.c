// SPDX-License-Identifier: GPL-2.0-only
/* Bank maps, and the bank that they say of a frame: modules/frame/bank_map.c. */
#include "kernel/parse.c"
#include "frame/bank_map.c"

#include "input.h"

static void map_check(const struct memsuite_bank_map *map)
{
	static const u64 some[] = { 0, 1, 2, 7, 0x12345, 1ULL << 40, ~0ULL >> PAGE_SHIFT, ~0ULL };
	unsigned int i;

	MUST(map->nr_banks > 1 && map->nr_banks <= MEMSUITE_MAX_BANKS && map->banks_a_frame);
	for (i = 0; i < ARRAY_SIZE(some); i++)
		MUST(memsuite_bank_of(map, some[i]) < map->nr_banks);
	/* Frames of one row are of one bank. */
	for (i = 1; i < 8 && i < map->row_frames; i++)
		MUST(memsuite_bank_of(map, i) == memsuite_bank_of(map, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = input_line(data, size, MEMSUITE_REGION_NAME + MEMSUITE_BANK_TEXT),
	     printed[512];
	struct memsuite_bank_map map, again;

	if (line && !memsuite_bank_map_parse(line, &map)) {
		map_check(&map);
		snprintf(printed, sizeof(printed), "%s %s", map.name, map.text);
		MUST(!memsuite_bank_map_parse(printed, &again));
		/* All but what the texts have behind their ends. */
		memset(map.text + strlen(map.text), 0, sizeof(map.text) - strlen(map.text));
		memset(again.text + strlen(again.text), 0, sizeof(again.text) - strlen(again.text));
		MUST(!memcmp(&map, &again, sizeof(map)));
	}
	free(line);
	return 0;
}
