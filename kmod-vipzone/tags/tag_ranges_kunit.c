// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the tagged ranges of an address space. */

#include <kunit/test.h>
#include <linux/module.h>

#include "tags/tag_ranges.c"

#define READ_LO		(_VIP_TYP_READ | _VIP_UTIL_LO)
#define WRITE_LO	(_VIP_TYP_WRITE | _VIP_UTIL_LO)
#define WRITE_HI	(_VIP_TYP_WRITE | _VIP_UTIL_HI)
#define PAGES		64

static struct vipzone_tag_ranges set;

static int set_up(struct kunit *test)
{
	vipzone_tag_ranges_init(&set);
	return 0;
}

static void tear_down(struct kunit *test)
{
	vipzone_tag_ranges_exit(&set);
}

/* In pages. */
static int range_tag(unsigned long start, unsigned long end, u32 flags)
{
	struct vipzone_tag *fresh[2] = {
		kmalloc(sizeof(struct vipzone_tag), GFP_KERNEL),
		kmalloc(sizeof(struct vipzone_tag), GFP_KERNEL),
	};
	int err;

	start *= PAGE_SIZE;
	end *= PAGE_SIZE;
	do {
		spin_lock(&set.lock);
		err = vipzone_tag_ranges_tag(&set, &start, end, flags, fresh);
		spin_unlock(&set.lock);
	} while (!err && start < end);
	kfree(fresh[0]);
	kfree(fresh[1]);
	return err;
}

static bool range_untag(unsigned long start, unsigned long end, bool with_memory)
{
	struct vipzone_tag *fresh = NULL;
	bool whole = true;

	if (with_memory)
		fresh = kmalloc(sizeof(*fresh), GFP_KERNEL);
	start *= PAGE_SIZE;
	end *= PAGE_SIZE;
	do {
		spin_lock(&set.lock);
		whole &= vipzone_tag_ranges_untag(&set, &start, end, &fresh);
		spin_unlock(&set.lock);
	} while (start < end);
	kfree(fresh);
	return whole;
}

static void range_move(unsigned long from, unsigned long to, unsigned long pages)
{
	struct vipzone_tag_move move = {
		.from = from * PAGE_SIZE,
		.to = to * PAGE_SIZE,
		.length = pages * PAGE_SIZE,
	};

	while (move.length) {
		spin_lock(&set.lock);
		vipzone_tag_ranges_move(&set, &move);
		spin_unlock(&set.lock);
	}
}

/* -1: no tag. */
static int flags_at(unsigned long page)
{
	u32 flags;

	return vipzone_tag_ranges_find(&set, page * PAGE_SIZE + 8, &flags) ? flags : -1;
}

/* "w" and "W" for WRITE_LO and WRITE_HI, "r" for READ_LO, " " for none. */
static void expect_map(struct kunit *test, const char *map, unsigned int nr)
{
	char found[PAGES + 1] = {};
	size_t i;

	for (i = 0; map[i]; i++)
		switch (flags_at(i)) {
		case READ_LO:
			found[i] = 'r';
			break;
		case WRITE_LO:
			found[i] = 'w';
			break;
		case WRITE_HI:
			found[i] = 'W';
			break;
		default:
			found[i] = ' ';
		}
	KUNIT_EXPECT_STREQ(test, (char *)found, map);
	KUNIT_EXPECT_EQ(test, set.nr, nr);
}

static void is_empty_at_first(struct kunit *test)
{
	expect_map(test, "        ", 0);
	KUNIT_EXPECT_TRUE(test, range_untag(0, 8, false));
	range_move(0, 8, 8);
	expect_map(test, "        ", 0);
}

static void tags_ranges(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, range_tag(2, 4, WRITE_LO), 0);
	KUNIT_EXPECT_EQ(test, range_tag(6, 7, READ_LO), 0);
	expect_map(test, "  ww  r ", 2);
}

static void joins_what_is_alike(struct kunit *test)
{
	range_tag(0, 2, WRITE_LO);
	range_tag(4, 6, WRITE_LO);
	range_tag(6, 7, WRITE_HI);
	range_tag(2, 4, WRITE_LO);
	expect_map(test, "wwwwwwW ", 2);
	range_tag(6, 8, WRITE_LO);
	expect_map(test, "wwwwwwww", 1);
	range_tag(3, 5, WRITE_LO);
	expect_map(test, "wwwwwwww", 1);
}

static void takes_the_place_of_others(struct kunit *test)
{
	range_tag(0, 8, WRITE_LO);
	range_tag(2, 4, READ_LO);
	expect_map(test, "wwrrwwww", 3);
	range_tag(1, 5, WRITE_HI);
	expect_map(test, "wWWWWwww", 3);
	range_tag(0, 2, READ_LO);
	expect_map(test, "rrWWWwww", 3);
	range_tag(4, 8, READ_LO);
	expect_map(test, "rrWWrrrr", 3);
	range_tag(0, 8, WRITE_LO);
	expect_map(test, "wwwwwwww", 1);
}

static void untags_ranges(struct kunit *test)
{
	range_tag(0, 8, WRITE_LO);
	KUNIT_EXPECT_TRUE(test, range_untag(3, 5, true));
	expect_map(test, "www  www", 2);
	KUNIT_EXPECT_TRUE(test, range_untag(0, 1, false));
	KUNIT_EXPECT_TRUE(test, range_untag(7, 9, false));
	expect_map(test, " ww  ww ", 2);
	KUNIT_EXPECT_TRUE(test, range_untag(2, 6, false));
	expect_map(test, " w    w ", 2);
	KUNIT_EXPECT_TRUE(test, range_untag(0, 8, false));
	expect_map(test, "        ", 0);
}

static void loses_the_rest_without_memory(struct kunit *test)
{
	range_tag(0, 8, WRITE_LO);
	KUNIT_EXPECT_FALSE(test, range_untag(3, 5, false));
	expect_map(test, "www     ", 1);
}

static void moves_ranges(struct kunit *test)
{
	range_tag(0, 2, WRITE_LO);
	range_tag(3, 4, READ_LO);
	range_move(0, 8, 4);
	expect_map(test, "        ww r", 2);
	range_move(8, 0, 4);
	expect_map(test, "ww r        ", 2);
}

static void moves_parts(struct kunit *test)
{
	range_tag(0, 8, WRITE_LO);
	range_move(2, 10, 3);
	expect_map(test, "ww   www  www ", 3);
	range_move(6, 2, 2);
	expect_map(test, "wwww w    www ", 3);
	range_move(10, 4, 1);
	expect_map(test, "wwwwww     ww ", 2);
}

static void is_split_by_an_unmapping(struct kunit *test)
{
	unsigned long start = 3 * PAGE_SIZE;

	range_tag(0, 8, WRITE_LO);
	spin_lock(&set.lock);
	KUNIT_EXPECT_TRUE(test, vipzone_tag_ranges_unmap(&set, &start, 5 * PAGE_SIZE));
	spin_unlock(&set.lock);
	KUNIT_EXPECT_EQ(test, start, 5 * PAGE_SIZE);
	expect_map(test, "www  www", 2);
}

static void moves_in_place_of_others(struct kunit *test)
{
	range_tag(0, 2, WRITE_LO);
	range_tag(4, 8, READ_LO);
	range_move(0, 5, 2);
	expect_map(test, "    r", 3);
	KUNIT_EXPECT_EQ(test, flags_at(5), WRITE_LO);
	KUNIT_EXPECT_EQ(test, flags_at(7), READ_LO);
}

static void moves_to_its_like(struct kunit *test)
{
	range_tag(0, 2, WRITE_LO);
	range_tag(10, 11, READ_LO);
	range_tag(12, 13, WRITE_LO);
	range_tag(20, 22, WRITE_LO);
	range_move(10, 17, 3);
	expect_map(test, "ww               r www", 3);
	range_untag(2, 22, false);
	range_tag(5, 6, WRITE_LO);
	range_tag(3, 4, WRITE_LO);
	range_move(5, 2, 1);
	expect_map(test, "wwww  ", 1);
	range_tag(8, 9, READ_LO);
	range_tag(10, 11, WRITE_LO);
	range_tag(14, 15, READ_LO);
	range_move(8, 4, 3);
	expect_map(test, "wwwwr w       r", 4);
}

static void moves_past_others(struct kunit *test)
{
	range_tag(0, 1, WRITE_LO);
	range_tag(2, 3, READ_LO);
	range_tag(8, 9, READ_LO);
	range_tag(12, 13, WRITE_LO);
	range_move(0, 9, 3);
	expect_map(test, "        rw r", 4);
	range_tag(4, 5, WRITE_LO);
	range_move(9, 0, 3);
	expect_map(test, "w r w   r   w", 5);
}

static void tells_ranges(struct kunit *test)
{
	const struct vipzone_tag *found;

	range_tag(2, 4, WRITE_LO);
	range_tag(4, 6, WRITE_LO);
	found = vipzone_tag_ranges_at(&set, 5 * PAGE_SIZE + 1);
	KUNIT_ASSERT_TRUE(test, found);
	KUNIT_EXPECT_EQ(test, found->start, 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, found->end, 6 * PAGE_SIZE);
	KUNIT_EXPECT_FALSE(test, vipzone_tag_ranges_at(&set, 6 * PAGE_SIZE));
	KUNIT_EXPECT_FALSE(test, vipzone_tag_ranges_at(&set, PAGE_SIZE * 2 - 1));
}

static void copies_ranges(struct kunit *test)
{
	struct vipzone_tag_ranges copy;
	u32 flags;

	range_tag(0, 2, WRITE_LO);
	range_tag(2, 4, READ_LO);
	vipzone_tag_ranges_init(&copy);
	KUNIT_EXPECT_EQ(test, vipzone_tag_ranges_copy(&copy, &set), 0U);
	KUNIT_EXPECT_EQ(test, copy.nr, 2U);
	range_untag(0, 4, false);
	KUNIT_EXPECT_TRUE(test, vipzone_tag_ranges_find(&copy, PAGE_SIZE, &flags));
	KUNIT_EXPECT_EQ(test, flags, (u32)WRITE_LO);
	vipzone_tag_ranges_exit(&copy);
}

static void has_a_limit(struct kunit *test)
{
	unsigned long i;

	for (i = 0; i < VIPZONE_MAX_RANGES; i++)
		if (range_tag(4 * i, 4 * i + 3, WRITE_LO))
			break;
	KUNIT_EXPECT_EQ(test, i, (unsigned long)VIPZONE_MAX_RANGES);
	KUNIT_EXPECT_EQ(test, range_tag(4 * i, 4 * i + 1, WRITE_LO), -ENOSPC);
	KUNIT_EXPECT_EQ(test, flags_at(4 * i), -1);
	KUNIT_EXPECT_EQ(test, range_tag(1, 2, WRITE_HI), -ENOSPC);
	KUNIT_EXPECT_EQ(test, range_tag(2, 3, WRITE_HI), -ENOSPC);
	KUNIT_EXPECT_EQ(test, flags_at(2), WRITE_LO);
	KUNIT_EXPECT_EQ(test, range_tag(0, 3, WRITE_HI), 0);
	KUNIT_EXPECT_EQ(test, range_tag(0, 4 * i, WRITE_HI), 0);
	KUNIT_EXPECT_EQ(test, set.nr, 1U);
}

/* So many pages from @first on are tagged one by one, WRITE_LO and READ_LO in turns. */
static void tag_in_turns(unsigned long first, unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr; i++)
		range_tag(first + i, first + i + 1, i & 1 ? READ_LO : WRITE_LO);
}

static unsigned long pages_in_turns(unsigned long first, unsigned long nr)
{
	unsigned long i, found = 0;

	for (i = 0; i < nr; i++)
		found += flags_at(first + i) == (i & 1 ? READ_LO : WRITE_LO);
	return found;
}

/* How many pieces it takes, to the end of @nr pages. */
static unsigned int untag_in_pieces(unsigned long first, unsigned long nr, unsigned int *most)
{
	unsigned long start = first * PAGE_SIZE, end = start + nr * PAGE_SIZE;
	struct vipzone_tag *none = NULL;
	unsigned int pieces = 0, before;

	for (; start < end; pieces++) {
		before = set.nr;
		spin_lock(&set.lock);
		vipzone_tag_ranges_untag(&set, &start, end, &none);
		spin_unlock(&set.lock);
		*most = max(*most, before - set.nr);
	}
	return pieces;
}

static void changes_in_pieces(struct kunit *test)
{
	unsigned int most = 0;

	tag_in_turns(0, 3 * TAGS_AT_ONCE);
	KUNIT_EXPECT_EQ(test, untag_in_pieces(0, 3 * TAGS_AT_ONCE, &most), 3U);
	KUNIT_EXPECT_EQ(test, most, (unsigned int)TAGS_AT_ONCE);
	KUNIT_EXPECT_EQ(test, set.nr, 0U);
	tag_in_turns(0, 3 * TAGS_AT_ONCE);
	range_tag(1, 3 * TAGS_AT_ONCE - 1, WRITE_HI);
	KUNIT_EXPECT_EQ(test, set.nr, 3U);
	KUNIT_EXPECT_EQ(test, flags_at(0), WRITE_LO);
	KUNIT_EXPECT_EQ(test, flags_at(2 * TAGS_AT_ONCE), WRITE_HI);
	KUNIT_EXPECT_EQ(test, flags_at(3 * TAGS_AT_ONCE - 1), READ_LO);
}

/* Up and down, past others and in their place. */
static void moves_in_pieces(struct kunit *test)
{
	unsigned long nr = 3 * TAGS_AT_ONCE;

	tag_in_turns(0, nr);
	tag_in_turns(2 * nr, nr);
	range_move(0, 4 * nr, nr);
	KUNIT_EXPECT_EQ(test, pages_in_turns(4 * nr, nr), nr);
	KUNIT_EXPECT_EQ(test, flags_at(0), -1);
	range_move(4 * nr, 2 * nr - 1, nr);
	KUNIT_EXPECT_EQ(test, pages_in_turns(2 * nr - 1, nr), nr);
	KUNIT_EXPECT_EQ(test, set.nr, (unsigned int)nr);
	range_move(2 * nr, 0, nr);
	KUNIT_EXPECT_EQ(test, pages_in_turns(1, nr - 2), nr - 2);
	KUNIT_EXPECT_EQ(test, flags_at(0), READ_LO);
	KUNIT_EXPECT_EQ(test, flags_at(2 * nr - 1), WRITE_LO);
}

/* Against a map of pages. */
static void agrees_with_a_map(struct kunit *test)
{
	static const int kinds[] = { READ_LO, WRITE_LO, WRITE_HI };
	int map[2 * PAGES], flags, i, page;
	unsigned int random = 1;
	unsigned long start, length;

	memset(map, -1, sizeof(map));
	for (i = 0; i < 3000; i++) {
		random = random * 1103515245 + 12345;
		start = (random >> 8) % PAGES;
		length = 1 + (random >> 16) % (PAGES - start);
		flags = kinds[(random >> 24) % 3];
		switch ((random >> 28) % 3) {
		case 0:
			range_tag(start, start + length, flags);
			break;
		case 1:
			range_untag(start, start + length, true);
			flags = -1;
			break;
		default:
			/* There and back, which takes it from the other half. */
			range_move(start, PAGES + start, length);
			range_move(PAGES + start, start, length);
			continue;
		}
		for (page = start; page < start + length; page++)
			map[page] = flags;
	}
	for (page = 0; page < 2 * PAGES; page++)
		KUNIT_EXPECT_EQ(test, flags_at(page), map[page]);
}

static struct kunit_case tagset_cases[] = {
	KUNIT_CASE(is_empty_at_first),
	KUNIT_CASE(tags_ranges),
	KUNIT_CASE(joins_what_is_alike),
	KUNIT_CASE(takes_the_place_of_others),
	KUNIT_CASE(untags_ranges),
	KUNIT_CASE(loses_the_rest_without_memory),
	KUNIT_CASE(is_split_by_an_unmapping),
	KUNIT_CASE(moves_ranges),
	KUNIT_CASE(moves_parts),
	KUNIT_CASE(moves_in_place_of_others),
	KUNIT_CASE(moves_to_its_like),
	KUNIT_CASE(moves_past_others),
	KUNIT_CASE(tells_ranges),
	KUNIT_CASE(copies_ranges),
	KUNIT_CASE(has_a_limit),
	KUNIT_CASE(changes_in_pieces),
	KUNIT_CASE(moves_in_pieces),
	KUNIT_CASE(agrees_with_a_map),
	{}
};

static struct kunit_suite tagset_suite = {
	.name = "vipzone_tagset",
	.init = set_up,
	.exit = tear_down,
	.test_cases = tagset_cases,
};

kunit_test_suite(tagset_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of vipzone");
