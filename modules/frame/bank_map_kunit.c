// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of bank maps. */

#include <kunit/test.h>
#include <linux/module.h>

#include "frame/bank_map.c"

#ifndef __KERNEL__
/* In the kernel another suite of the same module has it. */
#include "kernel/parse.c"
#endif

#define TEN_MASKS	"0x1000,0x2000,0x4000,0x8000,0x10000," \
			"0x20000,0x40000,0x80000,0x100000,0x200000"

/* memsuite_bank_map_parse() cuts its line up. */
static int parse(const char *text, struct memsuite_bank_map *map)
{
	char line[512];

	strscpy(line, text, sizeof(line));
	return memsuite_bank_map_parse(line, map);
}

static void keeps_masks_of_frames_as_written(struct kunit *test)
{
	struct memsuite_bank_map map;

	KUNIT_EXPECT_EQ(test, parse("m xor=0x24000,0x48000,0x90000", &map), 0);
	KUNIT_EXPECT_STREQ(test, map.name, "m");
	KUNIT_EXPECT_STREQ(test, map.text, "xor=0x24000,0x48000,0x90000");
	KUNIT_EXPECT_EQ(test, map.nr_banks, 8U);
	KUNIT_EXPECT_EQ(test, map.banks_a_frame, 1U);
	KUNIT_EXPECT_EQ(test, map.row_frames, 4ULL);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 0x04), 1U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 0x20), 1U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 0x24), 0U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 0x98), 2U);
}

/* Some of those that DRAMDig found on a Skylake with 32 banks. */
static void folds_what_selects_below_the_page(struct kunit *test)
{
	struct memsuite_bank_map map;

	KUNIT_EXPECT_EQ(test, parse("m xor=0x4080,0xc3300,0x48000,0x90000 row=0x3fffc0000",
				    &map), 0);
	KUNIT_EXPECT_EQ(test, map.nr_banks, 4U);
	KUNIT_EXPECT_EQ(test, map.banks_a_frame, 4U);
	KUNIT_EXPECT_EQ(test, map.masks[0], 0x48ULL);
	KUNIT_EXPECT_EQ(test, map.row_frames, 8ULL);
}

/* Two that share their bits below the page leave one that has none. */
static void keeps_what_combinations_tell(struct kunit *test)
{
	struct memsuite_bank_map map;

	KUNIT_EXPECT_EQ(test, parse("m xor=0x1040,0x2040,0x6080,0x80c0", &map),
			0);
	KUNIT_EXPECT_EQ(test, map.nr_banks, 4U);
	KUNIT_EXPECT_EQ(test, map.banks_a_frame, 4U);
	KUNIT_EXPECT_EQ(test, map.masks[0], 0x3ULL);
	KUNIT_EXPECT_EQ(test, map.masks[1], 0xfULL);
}

static void refuses_what_tells_nothing(struct kunit *test)
{
	struct memsuite_bank_map map;

	KUNIT_EXPECT_EQ(test, parse("m xor=0x40,0x2080", &map), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, parse("m xor=0x2040", &map), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, parse("m interleave=64x3", &map), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, parse("m interleave=1Kx4", &map), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, parse("m interleave=6Kx4", &map), -EOPNOTSUPP);
}

/* Paper 004: three banks a frame, 8 banks of 12 KiB, 4 ranks of 3 MiB. */
static void knows_the_machine_of_the_paper(struct kunit *test)
{
	struct memsuite_bank_map map;

	KUNIT_EXPECT_EQ(test, parse("p interleave=64x3,12Kx8,3Mx4", &map), 0);
	KUNIT_EXPECT_EQ(test, map.nr_banks, 32U);
	KUNIT_EXPECT_EQ(test, map.banks_a_frame, 3U);
	KUNIT_EXPECT_EQ(test, map.row_frames, 3ULL);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 0), 0U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 2), 0U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 3), 1U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 23), 7U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 24), 0U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 767), 7U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 768), 8U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 3071), 31U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 3072), 0U);
}

static void splits_levels_at_the_page(struct kunit *test)
{
	struct memsuite_bank_map map;

	KUNIT_EXPECT_EQ(test, parse("m interleave=2Kx4", &map), 0);
	KUNIT_EXPECT_EQ(test, map.nr_banks, 2U);
	KUNIT_EXPECT_EQ(test, map.banks_a_frame, 2U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 0), 0U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 1), 1U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 2), 0U);
	/* What a page's border cuts through tells nothing; the rest does. */
	KUNIT_EXPECT_EQ(test, parse("m interleave=6Kx4,24Kx2", &map), 0);
	KUNIT_EXPECT_EQ(test, map.nr_banks, 2U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 5), 0U);
	KUNIT_EXPECT_EQ(test, memsuite_bank_of(&map, 6), 1U);
}

/* All banks have the same share of the frames of a period. */
static void shares_are_equal(struct kunit *test)
{
	static const char * const maps[] = {
		"m xor=0x24000,0x48000,0x90000",
		"m xor=0x4080,0xc3300,0x48000,0x90000,0x120000",
		"m xor=0x1040,0x2040,0x6080,0x80c0",
		"m interleave=64x3,12Kx8,3Mx4",
	};
	static unsigned int count[MEMSUITE_MAX_BANKS];
	struct memsuite_bank_map map;
	unsigned int i, bank, pfn;

	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		KUNIT_ASSERT_EQ(test, parse(maps[i], &map), 0);
		memset(count, 0, sizeof(count));
		for (pfn = 0; pfn < 3 * 8192; pfn++) {
			bank = memsuite_bank_of(&map, pfn);
			KUNIT_ASSERT_LT(test, bank, map.nr_banks);
			count[bank]++;
		}
		for (bank = 0; bank < map.nr_banks; bank++)
			KUNIT_EXPECT_EQ_MSG(test, count[bank],
					    3 * 8192 / map.nr_banks, "%s",
					    maps[i]);
	}
}

static void refuses_mistakes(struct kunit *test)
{
	static const struct {
		const char *text;
		int err;
	} cases[] = {
		{ "", -EINVAL },
		{ "m", -EINVAL },
		{ "m ", -EINVAL },
		{ "m x", -EINVAL },
		{ "m xor", -EINVAL },
		{ "m xor=", -EINVAL },
		{ "m xor=1000", -EINVAL },
		{ "m xor=0x0", -EINVAL },
		{ "m xor=0x1000,", -EINVAL },
		{ "m xor=0x1000,,0x2000", -EINVAL },
		{ "m xor=0x1000,0x1000", -EINVAL },
		{ "m xor=0x1000,0x2000,0x3000", -EINVAL },
		{ "m xor=0x1040,0x2040,0x3000", -EINVAL },
		{ "m xor=0x1g000", -EINVAL },
		{ "m xor=0x10000000000000000", -ERANGE },
		{ "m xor=0x1000 rows=0x2000", -EINVAL },
		{ "m xor=0x1000 row=", -EINVAL },
		{ "m xor=0x1000 row=0x2000 x", -EINVAL },
		{ "m xor=0x1000 row=0x8000000000000000", 0 },
		{ "m row=0x1000", -EINVAL },
		{ "m interleave=", -EINVAL },
		{ "m interleave=4K", -EINVAL },
		{ "m interleave=4Kx", -EINVAL },
		{ "m interleave=4Kx1", -EINVAL },
		{ "m interleave=4Kx0", -EINVAL },
		{ "m interleave=0x2", -EINVAL },
		{ "m interleave=0Kx2", -EINVAL },
		{ "m interleave=x2", -EINVAL },
		{ "m interleave=4Kx2,", -EINVAL },
		{ "m interleave=4Kx2,4Kx2", -EINVAL },	/* overlap */
		{ "m interleave=4Kx2,12Kx2", -EINVAL },
		{ "m interleave=8Kx2,4Kx2", -EINVAL },
		{ "m interleave=4Kx2 row=0x1000", -EINVAL },
		{ "m interleave=4Kx1024", 0 },
		{ "m interleave=4Kx1025", -E2BIG },
		{ "m interleave=4Kx1024,4Mx2", -E2BIG },
		{ "m interleave=16777215Tx1024", -ERANGE },
		{ "m interleave=99999999999999999999x2", -ERANGE },
		{ "m interleave=4Kx99999999999999999999", -ERANGE },
		{ "m interleave=64x2,128x2,256x2,512x2,1Kx2,2Kx2,4Kx2,8Kx2", 0 },
		{ "m interleave=64x2,128x2,256x2,512x2,1Kx2,2Kx2,4Kx2,8Kx2,16Kx2",
		  -E2BIG },
		{ "m xor=" TEN_MASKS, 0 },
		{ "m xor=" TEN_MASKS ",0x400000", -E2BIG },
		{ "m xor=0x1000,0x2,0x3,0x4,0x5,0x6,0x7,0x8,0x9,0xa,0xb,0xc,0xd,0xe,0xf,0x10,0x11",
		  -E2BIG },
		{ "m/n xor=0x1000", -EINVAL },
		{ "abcdefghijklmnopqrstuvwxyz012345 xor=0x1000", -ENAMETOOLONG },
	};
	struct memsuite_bank_map map;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, parse(cases[i].text, &map),
				    cases[i].err, "%s", cases[i].text);
}

static struct kunit_case bank_map_cases[] = {
	KUNIT_CASE(keeps_masks_of_frames_as_written),
	KUNIT_CASE(folds_what_selects_below_the_page),
	KUNIT_CASE(keeps_what_combinations_tell),
	KUNIT_CASE(refuses_what_tells_nothing),
	KUNIT_CASE(knows_the_machine_of_the_paper),
	KUNIT_CASE(splits_levels_at_the_page),
	KUNIT_CASE(shares_are_equal),
	KUNIT_CASE(refuses_mistakes),
	{}
};

static struct kunit_suite bank_map_suite = {
	.name = "memsuite_bank_map",
	.test_cases = bank_map_cases,
};

kunit_test_suite(bank_map_suite);
