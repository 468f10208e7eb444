// SPDX-License-Identifier: GPL-2.0-only
/* The text form of a region. Pure logic: also built in user space. */

#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "kernel/parse_private.h"
#include "region/region_parse.h"

enum memsuite_technology memsuite_technology_of(const char *name)
{
	/* How names begin that people, DMI tables and drivers use. */
	static const struct {
		const char *begin;
		enum memsuite_technology kind;
	} known[] = {
		{ "dram", MEMSUITE_TECHNOLOGY_DRAM }, { "sdram", MEMSUITE_TECHNOLOGY_DRAM },
		{ "ddr", MEMSUITE_TECHNOLOGY_DRAM }, { "lpddr", MEMSUITE_TECHNOLOGY_DRAM },
		{ "hbm", MEMSUITE_TECHNOLOGY_DRAM },
		{ "nvdimm-n", MEMSUITE_TECHNOLOGY_DRAM },	/* DRAM that is saved */
		{ "nvdimm", MEMSUITE_TECHNOLOGY_PRAM },
		{ "pram", MEMSUITE_TECHNOLOGY_PRAM }, { "pcm", MEMSUITE_TECHNOLOGY_PRAM },
		{ "pmem", MEMSUITE_TECHNOLOGY_PRAM }, { "nvm", MEMSUITE_TECHNOLOGY_PRAM },
		{ "optane", MEMSUITE_TECHNOLOGY_PRAM },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strncasecmp(name, known[i].begin, strlen(known[i].begin)))
			return known[i].kind;
	return MEMSUITE_TECHNOLOGY_UNKNOWN;
}
EXPORT_SYMBOL_GPL(memsuite_technology_of);

static int parse_text(const char *text, char *value)
{
	size_t length = strlen(text);

	if (!length)
		return -EINVAL;
	if (length >= MEMSUITE_REGION_TEXT)
		return -ENAMETOOLONG;
	memcpy(value, text, length + 1);
	return 0;
}

static int parse_bank(char **text, unsigned int *bank)
{
	unsigned int value = 0;
	char *p = *text;

	if (!isdigit(*p))
		return -EINVAL;
	for (; isdigit(*p); p++) {
		value = value * 10 + *p - '0';
		if (value >= MEMSUITE_MAX_BANKS)
			return -ERANGE;
	}
	*bank = value;
	*text = p;
	return 0;
}

/* "0-3,7" */
static int parse_banks(char *list, unsigned long *banks)
{
	unsigned int first, last;
	char *item;
	int err;

	while ((item = strsep(&list, ","))) {
		err = parse_bank(&item, &first);
		last = first;
		if (!err && *item == '-') {
			item++;
			err = parse_bank(&item, &last);
		}
		if (err)
			return err;
		if (*item)
			return -EINVAL;
		if (first > last)
			return -ERANGE;
		for (; first <= last; first++)
			__set_bit(first, banks);
	}
	return 0;
}

#define NUMBER(field, largest)	{					\
	.name = #field,							\
	.offset = offsetof(struct memsuite_region_spec, field),		\
	.max = largest,							\
}

/* The bounds are far beyond what is built, and keep products within 64 bits. */
const struct memsuite_region_number memsuite_region_numbers[MEMSUITE_NR_REGION_NUMBERS] = {
	NUMBER(read_latency_ns, U32_MAX),
	NUMBER(write_latency_ns, U32_MAX),
	NUMBER(idle_power_mw, U32_MAX),
	NUMBER(read_power_mw, U32_MAX),
	NUMBER(write_power_mw, U32_MAX),
	NUMBER(read_energy_fj_per_bit, U32_MAX),
	NUMBER(write_energy_fj_per_bit, U32_MAX),
	NUMBER(wear_budget_kib_per_day, 1ULL << 40),
	NUMBER(endurance_writes, U64_MAX),
};

static int parse_number(const char *text, u64 max, u64 *number)
{
	u64 value;
	int err = kstrtou64(text, 10, &value);

	if (!err && value > max)
		err = -ERANGE;
	if (!err)
		*number = value;
	return err;
}

static int parse_key(char *text, struct memsuite_region_spec *spec)
{
	char *value = strchr(text, '=');
	unsigned int i;

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	if (!strcmp(text, "technology"))
		return parse_text(value, spec->technology);
	if (!strcmp(text, "locator"))
		return parse_text(value, spec->locator);
	if (!strcmp(text, "map"))
		return memsuite_parse_name(value, spec->map);
	if (!strcmp(text, "banks"))
		return parse_banks(value, spec->banks);
	for (i = 0; i < MEMSUITE_NR_REGION_NUMBERS; i++) {
		const struct memsuite_region_number *number = &memsuite_region_numbers[i];

		if (!strcmp(text, number->name))
			return parse_number(value, number->max,
					    memsuite_region_number_in(spec, number));
	}
	return -EINVAL;
}

/* Banks are those of a map, and some of them. */
static int check_banks(const struct memsuite_region_spec *spec)
{
	unsigned int i;

	for (i = 0; i < MEMSUITE_MAX_BANKS; i++)
		if (test_bit(i, spec->banks))
			return spec->map[0] ? 0 : -EINVAL;
	return spec->map[0] ? -EINVAL : 0;
}

int memsuite_region_parse(char *line, struct memsuite_region_spec *spec)
{
	char *word = strsep(&line, " \t");
	int err;

	memset(spec, 0, sizeof(*spec));
	spec->source = MEMSUITE_REGION_ADMIN;
	spec->interleaved = MEMSUITE_INTERLEAVED_UNKNOWN;
	spec->nid = -1;
	spec->tier = -1;
	err = memsuite_parse_name(word, spec->name);
	if (err)
		return err;
	word = strsep(&line, " \t");
	err = word ? memsuite_parse_range(word, &spec->start, &spec->end) : -EINVAL;
	while (!err && (word = strsep(&line, " \t")))
		if (*word)
			err = parse_key(word, spec);
	return err ?: check_banks(spec);
}
