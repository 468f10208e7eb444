// SPDX-License-Identifier: GPL-2.0-only
/* Numbers, switches, lines, ranges and names that are written to sysfs: modules/kernel/parse.c. */
#include "kernel/parse.c"

#include "input.h"

static void number_check(const char *text, size_t size)
{
	u64 value = 1;
	bool on;

	if (memsuite_parse_u64(text, size, 3, 1000, &value))
		MUST(value == 1);
	else
		MUST(value >= 3 && value <= 1000);
	memsuite_parse_bool(text, size, &on);
}

static void range_check(const char *text)
{
	u64 start = 1, end = 2, again, again_end;
	char printed[64];

	if (memsuite_parse_range(text, &start, &end)) {
		MUST(start == 1 && end == 2);
		return;
	}
	MUST(start < end && !(start % PAGE_SIZE) && !(end % PAGE_SIZE));
	snprintf(printed, sizeof(printed), "%#llx-%llu", start, end);
	MUST(!memsuite_parse_range(printed, &again, &again_end) && again == start &&
	     again_end == end);
}

/* What becomes the name of a directory. */
static void name_check(const char *text)
{
	char name[MEMSUITE_REGION_NAME];
	const char *c;

	if (memsuite_parse_name(text, name))
		return;
	MUST(!strcmp(name, text) && *name && *name != '.');
	for (c = name; *c; c++)
		MUST(isascii(*c) && (isalnum(*c) || strchr("_-.", *c)));
}

/* Bytes that are no ASCII are part of what somebody named: not trimmed, not refused. */
static void line_check(const char *text, size_t size)
{
	char line[64], again[64];
	size_t i;

	if (memsuite_parse_line(text, size, line, sizeof(line)))
		return;
	MUST(!memsuite_parse_line(line, strlen(line), again, sizeof(again)) &&
	     !strcmp(line, again));
	for (i = 0; i < size; i++)
		if (!isascii(text[i]))
			MUST(memchr(line, text[i], strlen(line)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = input_text(data, size);

	number_check(text, size);
	line_check(text, size);
	range_check(text);
	name_check(text);
	free(text);
	return 0;
}
