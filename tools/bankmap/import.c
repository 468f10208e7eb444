// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"

/* Bit numbers and nothing else, or with what drama thinks of its function. */
static uint64_t parse_bits(const char *line)
{
	uint64_t mask = 0;
	unsigned long bit;
	char *end;

	for (;;) {
		line += strspn(line, " \t,()");
		if (!isdigit((unsigned char)*line))
			break;
		bit = strtoul(line, &end, 10);
		if (bit > 63)
			return 0;
		mask |= 1ULL << bit;
		line = end;
	}
	return *line && *line != '\n' && strncmp(line, "Correct", 7) ? 0 : mask;
}

unsigned int import(FILE *from, FILE *to, const char *name)
{
	enum { FUNCTIONS, ROWS, COLUMNS } part = FUNCTIONS;
	unsigned int nr = 0;
	uint64_t rows = 0, mask;
	char line[512];

	while (fgets(line, sizeof(line), from)) {
		if (strstr(line, "row bits"))
			part = ROWS;
		else if (strstr(line, "column bits"))
			part = COLUMNS;
		mask = parse_bits(line);
		if (part == ROWS)
			rows |= mask;
		if (part != FUNCTIONS || !mask)
			continue;
		if (!nr)
			fprintf(to, "%s xor=", name);
		fprintf(to, "%s0x%llx", nr++ ? "," : "",
			(unsigned long long)mask);
	}
	if (nr && rows)
		fprintf(to, " row=0x%llx", (unsigned long long)rows);
	if (nr)
		fputc('\n', to);
	return nr;
}
