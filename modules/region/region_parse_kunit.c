// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the text form of a region. */

#include <kunit/test.h>
#include <linux/module.h>

#include "kernel/parse.c"
#include "region/region_parse.c"

/* memsuite_region_parse() cuts its line up. */
static int parse(const char *text, struct memsuite_region_spec *spec)
{
	char line[256];

	strscpy(line, text, sizeof(line));
	return memsuite_region_parse(line, spec);
}

static void parses_ranges(struct kunit *test)
{
	static const struct {
		const char *text;
		u64 start;
		u64 end;
	} cases[] = {
		{ "r 0-4096", 0, 4096 },
		{ "r 0-4K", 0, 4096 },
		{ "r 4k-1m", 4096, 1ULL << 20 },
		{ "r 1M-2G", 1ULL << 20, 2ULL << 30 },
		{ "r 1G-1T", 1ULL << 30, 1ULL << 40 },
		{ "r 0x1000-0x2000", 0x1000, 0x2000 },
		{ "r 0XabC000-0xABD000", 0xabc000, 0xabd000 },
		{ "r 0x10M-0x20M", 0x10ULL << 20, 0x20ULL << 20 },
		{ "r\t0-1G", 0, 1ULL << 30 },
		{ "r 0-18446744073709547520", 0, 0xfffffffffffff000ULL },
		{ "r 0-0xfffffffffffff000", 0, 0xfffffffffffff000ULL },
		{ "r 0-16777215T", 0, 16777215ULL << 40 },
	};
	struct memsuite_region_spec spec;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int err = parse(cases[i].text, &spec);

		KUNIT_EXPECT_EQ_MSG(test, err, 0,
				    "%s", cases[i].text);
		if (err)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, spec.start, cases[i].start, "%s",
				    cases[i].text);
		KUNIT_EXPECT_EQ_MSG(test, spec.end, cases[i].end, "%s",
				    cases[i].text);
	}
}

static void fills_in_the_rest(struct kunit *test)
{
	struct memsuite_region_spec spec;

	memset(&spec, 0xff, sizeof(spec));
	KUNIT_EXPECT_EQ(test, parse("a_b-c.9 0-1M", &spec), 0);
	KUNIT_EXPECT_STREQ(test, spec.name, "a_b-c.9");
	KUNIT_EXPECT_EQ(test, spec.nid, -1);
	KUNIT_EXPECT_EQ(test, spec.tier, -1);
	KUNIT_EXPECT_EQ(test, (int)spec.source, (int)MEMSUITE_REGION_ADMIN);
	KUNIT_EXPECT_STREQ(test, spec.locator, "");
	KUNIT_EXPECT_STREQ(test, spec.technology, "");
	KUNIT_EXPECT_EQ(test, spec.read_latency_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, spec.write_latency_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, spec.endurance_writes, 0ULL);
}

static void parses_keys(struct kunit *test)
{
	struct memsuite_region_spec spec;

	KUNIT_EXPECT_EQ(test, parse("pram 0-1M  technology=PRAM locator=A=1\t"
				    "read_latency_ns=80 write_latency_ns=350",
				    &spec), 0);
	KUNIT_EXPECT_STREQ(test, spec.technology, "PRAM");
	KUNIT_EXPECT_STREQ(test, spec.locator, "A=1");
	KUNIT_EXPECT_EQ(test, spec.read_latency_ns, 80ULL);
	KUNIT_EXPECT_EQ(test, spec.write_latency_ns, 350ULL);
}

static void parses_banks(struct kunit *test)
{
	struct memsuite_region_spec spec;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, parse("b 0-1M banks=0-3,7,1023 map=m", &spec), 0);
	KUNIT_EXPECT_STREQ(test, spec.map, "m");
	for (i = 0; i < MEMSUITE_MAX_BANKS; i++)
		KUNIT_EXPECT_EQ(test, !!test_bit(i, spec.banks),
				i < 4 || i == 7 || i == 1023);
	KUNIT_EXPECT_EQ(test, parse("b 0-1M", &spec), 0);
	KUNIT_EXPECT_STREQ(test, spec.map, "");
}

static void parses_every_number(struct kunit *test)
{
	struct memsuite_region_spec spec;
	char line[128];
	unsigned int i;

	for (i = 0; i < MEMSUITE_NR_REGION_NUMBERS; i++) {
		const struct memsuite_region_number *number = &memsuite_region_numbers[i];

		snprintf(line, sizeof(line), "r 0-1M %s=%llu", number->name,
			 number->max);
		KUNIT_EXPECT_EQ_MSG(test, memsuite_region_parse(line, &spec), 0, "%s",
				    number->name);
		KUNIT_EXPECT_EQ_MSG(test, *memsuite_region_number_in(&spec, number),
				    number->max, "%s", number->name);
		if (number->max == U64_MAX)
			continue;
		snprintf(line, sizeof(line), "r 0-1M %s=%llu", number->name,
			 number->max + 1);
		KUNIT_EXPECT_EQ_MSG(test, memsuite_region_parse(line, &spec), -ERANGE,
				    "%s", number->name);
	}
	KUNIT_EXPECT_EQ(test, spec.wear_budget_kib_per_day, 0ULL);
}

static void refuses_mistakes(struct kunit *test)
{
	static const struct {
		const char *text;
		int err;
	} cases[] = {
		{ "", -EINVAL },
		{ "r", -EINVAL },
		{ "r ", -EINVAL },
		{ " 0-1M", -EINVAL },
		{ "r  0-1M", -EINVAL },		/* one blank before the range */
		{ ".r 0-1M", -EINVAL },
		{ "a/b 0-1M", -EINVAL },
		{ "a=b 0-1M", -EINVAL },
		{ "r 0", -EINVAL },
		{ "r -1M", -EINVAL },
		{ "r 0-", -EINVAL },
		{ "r 0+1M", -EINVAL },
		{ "r 0--1M", -EINVAL },
		{ "r 0x-1M", -EINVAL },
		{ "r 0-1Q", -EINVAL },
		{ "r 0-1MM", -EINVAL },
		{ "r 0-1M,", -EINVAL },
		{ "r 0-ffff000", -EINVAL },	/* not without 0x */
		{ "r 0-0x1g000", -EINVAL },
		{ "r 1-4096", -EINVAL },
		{ "r 0-4097", -EINVAL },
		{ "r 0-1K", -EINVAL },
		{ "r 0-0", -ERANGE },
		{ "r 2M-1M", -ERANGE },
		{ "r 1M-1M", -ERANGE },
		{ "r 0-18446744073709551616", -ERANGE },
		{ "r 0-0x10000000000000000", -ERANGE },
		{ "r 0-16777216T", -ERANGE },
		{ "r 99999999999999999999-1M", -ERANGE },
		{ "r 0-1M x", -EINVAL },
		{ "r 0-1M x=1", -EINVAL },
		{ "r 0-1M =1", -EINVAL },
		{ "r 0-1M Technology=x", -EINVAL },
		{ "r 0-1M technology=", -EINVAL },
		{ "r 0-1M read_latency_ns=", -EINVAL },
		{ "r 0-1M read_latency_ns=-1", -EINVAL },
		{ "r 0-1M read_latency_ns=0x10", -EINVAL },
		{ "r 0-1M read_latency_ns=1K", -EINVAL },
		{ "r 0-1M write_latency_ns=18446744073709551616", -ERANGE },
		{ "r 0-1M map=m", -EINVAL },
		{ "r 0-1M banks=0", -EINVAL },
		{ "r 0-1M map=", -EINVAL },
		{ "r 0-1M map=m banks=", -EINVAL },
		{ "r 0-1M map=m banks=,", -EINVAL },
		{ "r 0-1M map=m banks=0,", -EINVAL },
		{ "r 0-1M map=m banks=0-", -EINVAL },
		{ "r 0-1M map=m banks=-1", -EINVAL },
		{ "r 0-1M map=m banks=0-1-2", -EINVAL },
		{ "r 0-1M map=m banks=0x1", -EINVAL },
		{ "r 0-1M map=m banks=1-0", -ERANGE },
		{ "r 0-1M map=m banks=1024", -ERANGE },
		{ "r 0-1M map=m banks=99999999999999999999", -ERANGE },
	};
	struct memsuite_region_spec spec;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, parse(cases[i].text, &spec),
				    cases[i].err, "%s", cases[i].text);
}

/* @length characters between @before and @after. */
static int parse_filled(const char *before, unsigned int length,
			const char *after, struct memsuite_region_spec *spec)
{
	char line[256];
	size_t at = strlen(before);

	memcpy(line, before, at);
	memset(line + at, 'x', length);
	memcpy(line + at + length, after, strlen(after) + 1);
	return memsuite_region_parse(line, spec);
}

static void bounds_texts(struct kunit *test)
{
	struct memsuite_region_spec spec;

	KUNIT_EXPECT_EQ(test, parse_filled("", MEMSUITE_REGION_NAME - 1, " 0-1M",
					   &spec), 0);
	KUNIT_EXPECT_EQ(test, (int)strlen(spec.name), MEMSUITE_REGION_NAME - 1);
	KUNIT_EXPECT_EQ(test, parse_filled("", MEMSUITE_REGION_NAME, " 0-1M", &spec),
			-ENAMETOOLONG);
	KUNIT_EXPECT_EQ(test, parse_filled("r 0-1M locator=",
					   MEMSUITE_REGION_TEXT - 1, "", &spec), 0);
	KUNIT_EXPECT_EQ(test, (int)strlen(spec.locator), MEMSUITE_REGION_TEXT - 1);
	KUNIT_EXPECT_EQ(test, parse_filled("r 0-1M locator=", MEMSUITE_REGION_TEXT,
					   "", &spec), -ENAMETOOLONG);
	KUNIT_EXPECT_EQ(test, parse_filled("r 0-1M technology=",
					   MEMSUITE_REGION_TEXT, "", &spec),
			-ENAMETOOLONG);
}

static void knows_technologies(struct kunit *test)
{
	static const struct {
		const char *name;
		enum memsuite_technology kind;
	} cases[] = {
		{ "dram", MEMSUITE_TECHNOLOGY_DRAM }, { "DDR4", MEMSUITE_TECHNOLOGY_DRAM },
		{ "LPDDR5", MEMSUITE_TECHNOLOGY_DRAM }, { "HBM2", MEMSUITE_TECHNOLOGY_DRAM },
		{ "NVDIMM-N", MEMSUITE_TECHNOLOGY_DRAM },
		{ "nvdimm", MEMSUITE_TECHNOLOGY_PRAM },
		{ "NVDIMM-P", MEMSUITE_TECHNOLOGY_PRAM },
		{ "PRAM", MEMSUITE_TECHNOLOGY_PRAM }, { "pcm", MEMSUITE_TECHNOLOGY_PRAM },
		{ "Optane", MEMSUITE_TECHNOLOGY_PRAM },
		{ "", MEMSUITE_TECHNOLOGY_UNKNOWN }, { "d", MEMSUITE_TECHNOLOGY_UNKNOWN },
		{ "sram", MEMSUITE_TECHNOLOGY_UNKNOWN },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test, (int)memsuite_technology_of(cases[i].name),
				(int)cases[i].kind);
}

static struct kunit_case region_spec_cases[] = {
	KUNIT_CASE(parses_ranges),
	KUNIT_CASE(fills_in_the_rest),
	KUNIT_CASE(parses_keys),
	KUNIT_CASE(parses_banks),
	KUNIT_CASE(parses_every_number),
	KUNIT_CASE(refuses_mistakes),
	KUNIT_CASE(bounds_texts),
	KUNIT_CASE(knows_technologies),
	{}
};

static struct kunit_suite region_spec_suite = {
	.name = "memsuite_region_spec",
	.test_cases = region_spec_cases,
};

kunit_test_suite(region_spec_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of memsuite");
