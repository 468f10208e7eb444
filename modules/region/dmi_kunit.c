// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of DIMMs and their ranges. */

#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "region/dmi.c"

#define GIB	BIT_ULL(30)

/* Too large for the stack. */
static struct memsuite_dmi *four_dimms(struct kunit *test)
{
	struct memsuite_dmi *dimms = kunit_kzalloc(test, sizeof(*dimms), GFP_KERNEL);
	unsigned int i;
	char name[8];

	for (i = 0; dimms && i < 4; i++) {
		snprintf(name, sizeof(name), "D%u", i);
		memsuite_dmi_add_device(dimms, 10 + i, i / 2, name, "ddr4");
	}
	return dimms;
}

static void each_has_its_own_range(struct kunit *test)
{
	struct memsuite_dmi *dimms = four_dimms(test);
	struct memsuite_region_spec spec;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, dimms);
	memsuite_dmi_add_range(dimms, 0, 9 * GIB, 0, 0);	/* of the array */
	for (i = 0; i < 4; i++) {
		memsuite_dmi_set_by_device(dimms);
		memsuite_dmi_add_range(dimms, i * GIB, (i + 1) * GIB, 10 + i, 0);
	}
	memsuite_dmi_merge(dimms);
	KUNIT_EXPECT_EQ(test, dimms->nr_ranges, 4U);
	memsuite_dmi_describe(dimms, 2, &spec);
	KUNIT_EXPECT_STREQ(test, spec.locator, "D2");
	KUNIT_EXPECT_STREQ(test, spec.technology, "ddr4");
	KUNIT_EXPECT_EQ(test, (int)spec.interleaved, (int)MEMSUITE_INTERLEAVED_NO);
}

static void what_overlaps_is_one(struct kunit *test)
{
	struct memsuite_dmi *dimms = four_dimms(test);
	struct memsuite_region_spec spec;

	KUNIT_ASSERT_NOT_NULL(test, dimms);
	memsuite_dmi_set_by_device(dimms);
	memsuite_dmi_add_range(dimms, 0, 2 * GIB, 10, 1);
	memsuite_dmi_add_range(dimms, 4 * GIB, 5 * GIB, 13, 0);
	memsuite_dmi_add_range(dimms, 3 * GIB, 4 * GIB, 12, 2);
	memsuite_dmi_add_range(dimms, GIB, 4 * GIB, 11, 2);	/* links two others */
	memsuite_dmi_merge(dimms);
	KUNIT_EXPECT_EQ(test, dimms->nr_ranges, 2U);
	KUNIT_EXPECT_EQ(test, dimms->range[0].end, 4 * GIB);
	memsuite_dmi_describe(dimms, 0, &spec);
	KUNIT_EXPECT_STREQ(test, spec.locator, "D0,D1,D2");
	KUNIT_EXPECT_EQ(test, (int)spec.interleaved, (int)MEMSUITE_INTERLEAVED_YES);
	memsuite_dmi_describe(dimms, 1, &spec);
	KUNIT_EXPECT_STREQ(test, spec.locator, "D3");
	KUNIT_EXPECT_EQ(test, (int)spec.interleaved, (int)MEMSUITE_INTERLEAVED_NO);
}

static void tells_what_it_does_not_know(struct kunit *test)
{
	struct memsuite_dmi *dimms = four_dimms(test);
	struct memsuite_region_spec spec;

	KUNIT_ASSERT_NOT_NULL(test, dimms);
	memsuite_dmi_add_range(dimms, 0, 2 * GIB, 0, MEMSUITE_DMI_POSITION_UNKNOWN);
	memsuite_dmi_describe(dimms, 0, &spec);
	KUNIT_EXPECT_STREQ(test, spec.locator, "D0,D1");
	KUNIT_EXPECT_EQ(test, (int)spec.interleaved,
			(int)MEMSUITE_INTERLEAVED_UNKNOWN);
	memsuite_dmi_set_by_device(dimms);
	memsuite_dmi_add_range(dimms, 0, GIB, 10, MEMSUITE_DMI_POSITION_UNKNOWN);
	memsuite_dmi_describe(dimms, 0, &spec);
	KUNIT_EXPECT_EQ(test, (int)spec.interleaved,
			(int)MEMSUITE_INTERLEAVED_UNKNOWN);
	/* Alone, and the third of an interleave. */
	memsuite_dmi_add_range(dimms, GIB, 2 * GIB, 11, 3);
	memsuite_dmi_describe(dimms, 1, &spec);
	KUNIT_EXPECT_EQ(test, (int)spec.interleaved, (int)MEMSUITE_INTERLEAVED_YES);
}

static void keeps_to_its_bounds(struct kunit *test)
{
	struct memsuite_dmi *dimms = kunit_kzalloc(test, sizeof(*dimms), GFP_KERNEL);
	struct memsuite_region_spec spec;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, dimms);
	memsuite_dmi_set_by_device(dimms);
	for (i = 0; i < 2 * MEMSUITE_DMI_MAX_DIMMS; i++) {
		memsuite_dmi_add_device(dimms, i, 0, "a locator that is much longer than others",
					NULL);
		memsuite_dmi_add_range(dimms, 0, GIB, i, 1);
	}
	memsuite_dmi_merge(dimms);
	KUNIT_EXPECT_EQ(test, dimms->nr_ranges, 1U);
	memsuite_dmi_describe(dimms, 0, &spec);
	KUNIT_EXPECT_EQ(test, (int)strlen(spec.locator), MEMSUITE_REGION_TEXT - 1);
}

/* What firmware tells that does not know. */
static void leaves_out_what_is_no_range(struct kunit *test)
{
	struct memsuite_dmi *dimms = four_dimms(test);

	KUNIT_ASSERT_NOT_NULL(test, dimms);
	memsuite_dmi_add_range(dimms, 0, 0, 10, 0);
	memsuite_dmi_add_range(dimms, 2 * GIB, GIB, 11, 0);
	memsuite_dmi_add_range(dimms, ~0ULL, 0, 12, 0);
	memsuite_dmi_add_range(dimms, ~0ULL - 1, ~0ULL, 13, 0);
	KUNIT_EXPECT_EQ(test, dimms->nr_ranges, 0U);
	memsuite_dmi_add_range(dimms, 0, GIB, 10, 0);
	memsuite_dmi_merge(dimms);
	KUNIT_EXPECT_EQ(test, dimms->nr_ranges, 1U);
}

static void tells_a_part_from_all(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, memsuite_dmi_is_part("A1,A2,B1", "A2"));
	KUNIT_EXPECT_TRUE(test, memsuite_dmi_is_part("A1,A2,B1", "B1,A1"));
	KUNIT_EXPECT_FALSE(test, memsuite_dmi_is_part("A1,A2,B1", "B1,A1,A2"));
	KUNIT_EXPECT_FALSE(test, memsuite_dmi_is_part("A1,A2,B1", "A"));
	KUNIT_EXPECT_FALSE(test, memsuite_dmi_is_part("A1,A2,B1", "C1"));
	KUNIT_EXPECT_FALSE(test, memsuite_dmi_is_part("A1", "A1"));
	KUNIT_EXPECT_FALSE(test, memsuite_dmi_is_part("A1,A2", ""));
	KUNIT_EXPECT_FALSE(test, memsuite_dmi_is_part("", "A1"));
	/* Firmware may leave a name empty. */
	KUNIT_EXPECT_FALSE(test, memsuite_dmi_is_part(",A2", ",A2"));
	KUNIT_EXPECT_TRUE(test, memsuite_dmi_is_part(",A2", "A2"));
}

static void tells_technologies(struct kunit *test)
{
	struct memsuite_dmi *dimms = four_dimms(test);
	struct memsuite_region_spec spec;

	KUNIT_EXPECT_STREQ(test, memsuite_dmi_technology(0x1a, 0), "ddr4");
	KUNIT_EXPECT_STREQ(test, memsuite_dmi_technology(0x22, 3), "ddr5");
	KUNIT_EXPECT_STREQ(test, memsuite_dmi_technology(0x1a, 4), "nvdimm-n");
	KUNIT_EXPECT_STREQ(test, memsuite_dmi_technology(0x1f, 7), "optane");
	KUNIT_EXPECT_STREQ(test, memsuite_dmi_technology(0x1f, 2), "nvdimm");
	KUNIT_EXPECT_STREQ(test, memsuite_dmi_technology(0x02, 3), "dram");
	/* RAM, as virtual machines say, and what does not exist yet. */
	KUNIT_EXPECT_NULL(test, memsuite_dmi_technology(0x07, 0));
	KUNIT_EXPECT_NULL(test, memsuite_dmi_technology(0xff, 0xff));

	KUNIT_ASSERT_NOT_NULL(test, dimms);
	memsuite_dmi_add_device(dimms, 20, 1, "D4", "optane");
	KUNIT_EXPECT_EQ(test, memsuite_dmi_find(dimms, 13), 3);
	KUNIT_EXPECT_EQ(test, memsuite_dmi_find(dimms, 20), 4);
	KUNIT_EXPECT_EQ(test, memsuite_dmi_find(dimms, 0), -1);
	memsuite_dmi_add_range(dimms, 0, GIB, 0, 0);		/* of two that are alike */
	memsuite_dmi_add_range(dimms, GIB, 2 * GIB, 1, 0);	/* and of others */
	memsuite_dmi_describe(dimms, 0, &spec);
	KUNIT_EXPECT_STREQ(test, spec.technology, "ddr4");
	memsuite_dmi_describe(dimms, 1, &spec);
	KUNIT_EXPECT_STREQ(test, spec.technology, "");
}

static struct kunit_case dimms_cases[] = {
	KUNIT_CASE(each_has_its_own_range),
	KUNIT_CASE(what_overlaps_is_one),
	KUNIT_CASE(tells_what_it_does_not_know),
	KUNIT_CASE(keeps_to_its_bounds),
	KUNIT_CASE(leaves_out_what_is_no_range),
	KUNIT_CASE(tells_a_part_from_all),
	KUNIT_CASE(tells_technologies),
	{}
};

static struct kunit_suite dimms_suite = {
	.name = "memsuite_dimms",
	.test_cases = dimms_cases,
};

kunit_test_suite(dimms_suite);
