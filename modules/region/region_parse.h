/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_REGION_REGION_PARSE_H
#define MEMSUITE_REGION_REGION_PARSE_H

#include <linux/types.h>

#include <memsuite/region.h>

/**
 * memsuite_region_parse() - parse "NAME START-END [key=value ...]"
 * @line: what the administrator wrote; is cut up
 * @spec: result
 *
 * Addresses are bytes, decimal or 0x, with an optional K, M, G or T; both are
 * multiples of the page size. Keys: technology, locator (text), those of
 * memsuite_region_numbers (decimal numbers), and map (a bank map's name) together
 * with banks ("0-3,7").
 *
 * Pure: no kernel state.
 * Return: 0; -EINVAL (malformed, not page aligned, unknown key, one of map and
 * banks without the other); -ERANGE (empty range, number too large);
 * -ENAMETOOLONG.
 */
int memsuite_region_parse(char *line, struct memsuite_region_spec *spec);

/**
 * struct memsuite_region_number - a number that describes a region
 * @name: its key, and its file
 * @offset: of a u64 in struct memsuite_region_spec
 * @max: largest value
 */
struct memsuite_region_number {
	const char *name;
	size_t offset;
	u64 max;
};

#define MEMSUITE_NR_REGION_NUMBERS	9

extern const struct memsuite_region_number memsuite_region_numbers[MEMSUITE_NR_REGION_NUMBERS];

/* Where that number is in @spec. */
static inline u64 *memsuite_region_number_in(struct memsuite_region_spec *spec,
					     const struct memsuite_region_number *number)
{
	return (u64 *)((char *)spec + number->offset);
}

#endif
