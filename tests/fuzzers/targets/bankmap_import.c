// SPDX-License-Identifier: GPL-2.0-only
/* What drama and DRAMDig print: tools/bankmap/import.c. What comes of it, the kernel can read. */
#include "kernel/parse.c"
#include "frame/bank_map.c"

#include "../tools/bankmap/import.c"

#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memsuite_bank_map map;
	char *text = NULL, *line;
	size_t length = 0;
	FILE *from = fmemopen((void *)data, size, "r"), *to;
	unsigned int nr;

	if (!from)
		return 0;
	to = open_memstream(&text, &length);
	if (!to)
		abort();
	nr = import(from, to, "m");
	fclose(from);
	fclose(to);
	MUST(!nr == !length);
	line = nr ? input_line((uint8_t *)text, length, 1 << 20) : NULL;
	if (line)
		memsuite_bank_map_parse(line, &map);
	free(line);
	free(text);
	return 0;
}
