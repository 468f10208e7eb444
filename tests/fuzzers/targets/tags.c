// SPDX-License-Identifier: GPL-2.0-only
/* Tagged ranges, kmod-vipzone/tags/tag_ranges.c: calls, four bytes each, against a map of pages. */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "tags/tag_ranges.c"

#include "input.h"

#define PAGES 128

static struct vipzone_tag_ranges set;
static int map[PAGES]; /* flags, or -1 */

static void pages_set(unsigned int start, unsigned int nr, int flags)
{
	for (; nr; nr--)
		map[start++] = flags;
}

static void range_tag(unsigned int first, unsigned int nr, u32 flags)
{
	struct vipzone_tag *fresh[2] = { malloc(sizeof(*fresh[0])), malloc(sizeof(*fresh[0])) };
	unsigned long start = first * PAGE_SIZE, end = start + nr * PAGE_SIZE;

	while (start < end)
		MUST(!vipzone_tag_ranges_tag(&set, &start, end, flags, fresh));
	free(fresh[0]);
	free(fresh[1]);
	pages_set(first, nr, flags);
}

/* Without memory, what is behind the range may be untagged, too. */
static void range_untag(unsigned int first, unsigned int nr, bool memory)
{
	struct vipzone_tag *fresh = memory ? malloc(sizeof(*fresh)) : NULL;
	unsigned long start = first * PAGE_SIZE, end = start + nr * PAGE_SIZE;
	int flags = first + nr < PAGES ? map[first + nr] : -1, was = map[first];
	bool whole = true;

	while (start < end)
		whole &= vipzone_tag_ranges_untag(&set, &start, end, &fresh);
	MUST(whole || !memory);
	free(fresh);
	pages_set(first, nr, -1);
	for (first += nr; !whole && first < PAGES && map[first] == flags && flags == was; first++)
		map[first] = -1;
}

static void range_unmap(unsigned int first, unsigned int nr)
{
	unsigned long start = first * PAGE_SIZE, end = start + nr * PAGE_SIZE;

	while (start < end)
		MUST(vipzone_tag_ranges_unmap(&set, &start, end));
	pages_set(first, nr, -1);
}

static void range_move(unsigned int from, unsigned int to, unsigned int nr)
{
	struct vipzone_tag_move move = { from * PAGE_SIZE, to * PAGE_SIZE, nr * PAGE_SIZE };

	if (from + nr > to && to + nr > from)
		return;
	while (move.length)
		MUST(!vipzone_tag_ranges_move(&set, &move));
	for (; nr; nr--, from++, to++) {
		map[to] = map[from];
		map[from] = -1;
	}
}

static void sets_check(const struct vipzone_tag_ranges *tags)
{
	unsigned int page, runs = 0;
	u32 flags;

	for (page = 0; page < PAGES; page++) {
		bool found =
			vipzone_tag_ranges_find(tags, page * PAGE_SIZE + PAGE_SIZE - 1, &flags);

		MUST(found ? (int)flags == map[page] : map[page] == -1);
		runs += map[page] != -1 && (!page || map[page - 1] != map[page]);
	}
	MUST(tags->nr == runs);
}

static void copy_check(void)
{
	struct vipzone_tag_ranges copy;

	vipzone_tag_ranges_init(&copy);
	MUST(!vipzone_tag_ranges_copy(&copy, &set));
	sets_check(&copy);
	vipzone_tag_ranges_exit(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const u32 kinds[] = { _VIP_TYP_READ, _VIP_TYP_WRITE, _VIP_UTIL_HI };
	struct input_bytes bytes = { data, size };

	vipzone_tag_ranges_init(&set);
	pages_set(0, PAGES, -1);
	while (bytes.left) {
		u8 op = input_u8(&bytes), start = input_u8(&bytes) % PAGES;
		u8 to = input_u8(&bytes) % PAGES;
		unsigned int nr = 1 + input_u8(&bytes) % PAGES;

		nr = min(nr, PAGES - max(start, to));
		if (op % 8 < 3)
			range_tag(start, nr, kinds[op % 8]);
		else if (op % 8 < 5)
			range_untag(start, nr, op % 8 == 3);
		else if (op % 8 == 5)
			range_unmap(start, nr);
		else
			range_move(start, to, nr);
		sets_check(&set);
	}
	copy_check();
	vipzone_tag_ranges_exit(&set);
	return 0;
}
