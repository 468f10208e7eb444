// SPDX-License-Identifier: GPL-2.0-only
/* Bank maps; bank_map.h. Pure logic: also built in user space. */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "frame/bank_map.h"
#include "kernel/parse_private.h"

/* Below this bit an address lies within its page. */
#define IN_PAGE		((1ULL << PAGE_SHIFT) - 1)

static unsigned int bits_parity(u64 bits)
{
	return hweight64(bits) & 1;
}

/* Adds the vectors of @basis that leave nothing of @within in @mask. */
static u64 mask_reduce(u64 mask, const u64 *basis, unsigned int nr, u64 within)
{
	unsigned int i;
	u64 top;

	for (i = 0; i < nr; i++) {
		top = 1ULL << __fls(basis[i] & within);
		if (mask & top)
			mask ^= basis[i];
	}
	return mask;
}

/*
 * Makes masks of frame numbers of masks of addresses: those combinations of
 * them that have no bit below the page (Gaussian elimination over GF(2)). A
 * mask that has none to begin with stays as it was written, but for others that
 * were folded before it.
 */
static int map_fold_masks(struct memsuite_bank_map *map, const u64 *masks,
			  unsigned int nr)
{
	u64 folded[MEMSUITE_BANK_MASKS], basis[MEMSUITE_BANK_MASKS], mask, rest;
	unsigned int nr_folded = 0, i;

	for (i = 0; i < nr; i++) {
		mask = mask_reduce(masks[i], folded, nr_folded, IN_PAGE);
		if (mask & IN_PAGE) {
			folded[nr_folded++] = mask;
			continue;
		}
		rest = mask_reduce(mask, basis, map->nr_masks, ~0ULL);
		if (!rest)
			return -EINVAL;
		basis[map->nr_masks] = rest;
		map->masks[map->nr_masks++] = mask >> PAGE_SHIFT;
	}
	if (map->nr_masks > ilog2(MEMSUITE_MAX_BANKS))
		return -E2BIG;
	map->nr_banks = 1U << map->nr_masks;
	map->banks_a_frame = 1U << nr_folded;
	return 0;
}

/* Frame numbers that differ below the lowest bit that selects are one row's. */
static void map_find_mask_rows(struct memsuite_bank_map *map, u64 row)
{
	u64 bits = row >> PAGE_SHIFT;
	unsigned int i;

	for (i = 0; i < map->nr_masks; i++)
		bits |= map->masks[i];
	map->row_frames = bits ? bits & -bits : 0;
}

static int parse_mask(const char *text, u64 *mask)
{
	int err;

	if (strncmp(text, "0x", 2))
		return -EINVAL;
	err = kstrtou64(text + 2, 16, mask);
	if (!err && !*mask)
		err = -EINVAL;
	return err;
}

static int parse_masks(char *list, u64 *masks, unsigned int *nr)
{
	char *item;
	int err;

	while ((item = strsep(&list, ","))) {
		if (*nr == MEMSUITE_BANK_MASKS)
			return -E2BIG;
		err = parse_mask(item, &masks[*nr]);
		if (err)
			return err;
		++*nr;
	}
	return 0;
}

/*
 * A level of less than a page: a frame lies in all of its banks, or in as many
 * of them as have room in it. One that a frame's border cuts through tells
 * nothing about frames.
 */
static int map_fold_level(struct memsuite_bank_map *map, u64 size, u64 count)
{
	struct memsuite_bank_level *level = &map->levels[map->nr_levels];
	u64 in_page = max_t(u64, PAGE_SIZE / size, 1);

	if (size % PAGE_SIZE && (PAGE_SIZE % size || count % in_page)) {
		map->banks_a_frame *= min(count, in_page + 1);
		return 0;
	}
	map->banks_a_frame *= in_page;
	level->frames = max_t(u64, size / PAGE_SIZE, 1);
	level->count = count / in_page;
	if (level->count == 1)
		return 0;
	map->nr_banks *= level->count;
	map->nr_levels++;
	return map->nr_banks > MEMSUITE_MAX_BANKS ? -E2BIG : 0;
}

static int parse_level(char *text, u64 *size, u64 *count)
{
	const char *p = text;
	int err = memsuite_parse_bytes(&p, size);

	if (err)
		return err;
	if (*p++ != 'x' || !*size)
		return -EINVAL;
	err = kstrtou64(p, 10, count);
	if (err)
		return err;
	if (*count < 2)
		return -EINVAL;
	return *count > MEMSUITE_MAX_BANKS ? -E2BIG : 0;
}

static int parse_levels(char *list, struct memsuite_bank_map *map)
{
	u64 size, count, period = 1;
	unsigned int nr = 0;
	char *item;
	int err;

	map->nr_banks = 1;
	map->banks_a_frame = 1;
	while ((item = strsep(&list, ","))) {
		if (nr++ == MEMSUITE_BANK_LEVELS)
			return -E2BIG;
		err = parse_level(item, &size, &count);
		if (err)
			return err;
		if (size % period)
			return -EINVAL;
		if (size > U64_MAX / count)
			return -ERANGE;
		period = size * count;
		err = map_fold_level(map, size, count);
		if (err)
			return err;
	}
	map->row_frames = map->nr_levels ? map->levels[0].frames : 0;
	return 0;
}

/* The value of a word "KEY=VALUE", or NULL. */
static char *word_value(char *word, const char *key)
{
	size_t length = strlen(key);

	return word && !strncmp(word, key, length) && word[length] == '=' ?
		word + length + 1 : NULL;
}

static int parse_xor(char *list, char *rest, struct memsuite_bank_map *map)
{
	u64 masks[MEMSUITE_BANK_MASKS], row = 0;
	unsigned int nr = 0;
	int err;

	err = parse_masks(list, masks, &nr);
	if (!err && rest) {
		rest = word_value(rest, "row");
		err = rest ? parse_mask(rest, &row) : -EINVAL;
	}
	if (!err)
		err = map_fold_masks(map, masks, nr);
	if (!err)
		map_find_mask_rows(map, row);
	return err;
}

int memsuite_bank_map_parse(char *line, struct memsuite_bank_map *map)
{
	char *word = strsep(&line, " \t"), *list;
	int err;

	memset(map, 0, sizeof(*map));
	err = memsuite_parse_name(word, map->name);
	if (err)
		return err;
	if (!line)
		return -EINVAL;
	if (strscpy(map->text, line, sizeof(map->text)) < 0)
		return -E2BIG;
	word = strsep(&line, " \t");
	list = word_value(word, "xor");
	if (list) {
		err = parse_xor(list, line, map);
	} else {
		list = line ? NULL : word_value(word, "interleave");
		err = list ? parse_levels(list, map) : -EINVAL;
	}
	if (!err && map->nr_banks == 1)
		err = -EOPNOTSUPP;
	return err;
}

unsigned int memsuite_bank_of(const struct memsuite_bank_map *map, unsigned long pfn)
{
	unsigned int bank = 0, base = 1, i;

	for (i = 0; i < map->nr_masks; i++)
		bank |= bits_parity(pfn & map->masks[i]) << i;
	for (i = 0; i < map->nr_levels; i++) {
		bank += base * (pfn / map->levels[i].frames %
				map->levels[i].count);
		base *= map->levels[i].count;
	}
	return bank;
}
