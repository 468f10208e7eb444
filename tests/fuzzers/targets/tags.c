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

static void range_tag(unsigned int start, unsigned int nr, u32 flags)
{
	struct vipzone_tag *fresh[2] = { malloc(sizeof(*fresh[0])), malloc(sizeof(*fresh[0])) };

	MUST(!vipzone_tag_ranges_tag(&set, start * PAGE_SIZE, (start + nr) * PAGE_SIZE, flags,
				     fresh));
	free(fresh[0]);
	free(fresh[1]);
	pages_set(start, nr, flags);
}

/* Without memory, what is behind the range may be untagged, too. */
static void range_untag(unsigned int start, unsigned int nr, bool memory)
{
	struct vipzone_tag *fresh = memory ? malloc(sizeof(*fresh)) : NULL;
	bool whole = vipzone_tag_ranges_untag(&set, start * PAGE_SIZE, (start + nr) * PAGE_SIZE,
					      &fresh);
	int flags = start + nr < PAGES ? map[start + nr] : -1, was = map[start];

	MUST(whole || !memory);
	free(fresh);
	pages_set(start, nr, -1);
	for (start += nr; !whole && start < PAGES && map[start] == flags && flags == was; start++)
		map[start] = -1;
}

static void range_unmap(unsigned int start, unsigned int nr)
{
	MUST(vipzone_tag_ranges_unmap(&set, start * PAGE_SIZE, (start + nr) * PAGE_SIZE));
	pages_set(start, nr, -1);
}

static void range_move(unsigned int from, unsigned int to, unsigned int nr)
{
	if (from + nr > to && to + nr > from)
		return;
	MUST(!vipzone_tag_ranges_move(&set, from * PAGE_SIZE, to * PAGE_SIZE, nr * PAGE_SIZE));
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
