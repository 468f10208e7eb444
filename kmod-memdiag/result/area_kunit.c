// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of bad pages that are told of together. */

#include <kunit/test.h>
#include <linux/module.h>

#include "result/area.c"

static void lane_is(struct kunit *test, u64 mask, const char *expected)
{
	char lane[MEMDIAG_AREA_LANE];

	memdiag_area_lane(mask, lane);
	KUNIT_EXPECT_STREQ(test, lane, expected);
}

static void text_is(struct kunit *test, const struct memdiag_area *area, const char *expected)
{
	char text[MEMDIAG_AREA_TEXT];

	memdiag_area_text(area, text);
	KUNIT_EXPECT_STREQ(test, text, expected);
}

static void tells_lanes(struct kunit *test)
{
	lane_is(test, 1ULL << 48, "x4-12");
	lane_is(test, 1ULL << 63, "x4-15");
	lane_is(test, 0xfULL, "x4-0");
	lane_is(test, 0x18ULL, "x8-0");
	lane_is(test, 0xff00000000000000ULL, "x8-7");
	lane_is(test, 0x180ULL, "-");
	lane_is(test, 0x8000000000000001ULL, "-");
	lane_is(test, 0, "-");
}

static void tells_strides(struct kunit *test)
{
	struct memdiag_area area = {};
	u64 page;

	memdiag_area_add(&area, 0x5008, 0x10);
	text_is(test, &area, "bad page at 0x5000, bits 0x0000000000000010, lane x4-1");
	/* In any order. */
	for (page = 3; page > 0; page--)
		memdiag_area_add(&area, 0x5000 + page * 0x3000 + 0xff8, 0x20);
	text_is(test, &area,
		"4 bad pages at 0x5000-0xefff, one each 0x3000, bits 0x0000000000000030, lane x4-1");
	memdiag_area_add(&area, 0x2000, 0x80);
	KUNIT_EXPECT_EQ(test, area.start, 0x2000ULL);
	KUNIT_EXPECT_EQ(test, area.stride, 0x3000ULL);
	memdiag_area_add(&area, 0x1000 + 0x10 * 0x3000, 0);
	text_is(test, &area,
		"6 bad pages at 0x2000-0x31fff, multiples of 0x1000 apart, bits 0x00000000000000b0, lane x4-1");
}

static void knows_no_bits(struct kunit *test)
{
	struct memdiag_area area = {};

	memdiag_area_add(&area, 0x1000, 0);
	memdiag_area_add(&area, 0x2000, 0);
	text_is(test, &area, "2 bad pages at 0x1000-0x2fff, one each 0x1000");
}

/* The longest that there can be. */
static void has_room_for_all(struct kunit *test)
{
	const struct memdiag_area area = {
		.nr = 1ULL << 52,
		.start = 1ULL << 63,
		.end = ~0ULL,
		.stride = 1ULL << 62,
		.mask = 0xffULL << 56,
	};
	char text[MEMDIAG_AREA_TEXT];

	memdiag_area_text(&area, text);
	KUNIT_EXPECT_STREQ(test, text + strlen(text) - 4, "x8-7");
}

static struct kunit_case area_cases[] = {
	KUNIT_CASE(tells_lanes),
	KUNIT_CASE(tells_strides),
	KUNIT_CASE(knows_no_bits),
	KUNIT_CASE(has_room_for_all),
	{}
};

static struct kunit_suite area_suite = {
	.name = "memdiag_area",
	.test_cases = area_cases,
};

kunit_test_suite(area_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of bad pages that memdiag tells of together");
