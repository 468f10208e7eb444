// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of lines and names that administrators write. */

#include <kunit/test.h>
#include <linux/module.h>

#ifdef __KERNEL__
/* Another suite of the same module has it. */
#include "kernel/parse_private.h"
#else
#include "kernel/parse.c"
#endif

static void lines_are_trimmed(struct kunit *test)
{
	char line[16];

	KUNIT_EXPECT_EQ(test, memsuite_parse_line(" \ta b\t\n", 6, line, sizeof(line)), 0);
	KUNIT_EXPECT_STREQ(test, (char *)line, "a b");
	KUNIT_EXPECT_EQ(test, memsuite_parse_line("\t\n", 2, line, sizeof(line)), -EINVAL);
	KUNIT_EXPECT_EQ(test, memsuite_parse_line("a\x1b[m", 4, line, sizeof(line)), -EINVAL);
	KUNIT_EXPECT_EQ(test, memsuite_parse_line("a\x7f", 2, line, sizeof(line)), -EINVAL);
	KUNIT_EXPECT_EQ(test, memsuite_parse_line("a\0b", 3, line, sizeof(line)), -EINVAL);
	KUNIT_EXPECT_EQ(test, memsuite_parse_line("0123456789abcde", 15, line, sizeof(line)), 0);
	KUNIT_EXPECT_EQ(test, memsuite_parse_line("0123456789abcdef", 16, line, sizeof(line)),
			-E2BIG);
}

/* In Latin-1, the last byte of the first one is a blank, and the second has control characters. */
static void other_alphabets_are_kept(struct kunit *test)
{
	static const char * const paths[] = {
		"/voil\xc3\xa0", "/\xe6\x97\xa5\xe6\x9c\xac", "\xc2\xa0/",
	};
	char line[16];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		KUNIT_EXPECT_EQ(test, memsuite_parse_line(paths[i], strlen(paths[i]), line,
							  sizeof(line)), 0);
		KUNIT_EXPECT_STREQ(test, (char *)line, paths[i]);
	}
}

static void names_are_ascii(struct kunit *test)
{
	char name[MEMSUITE_REGION_NAME];

	KUNIT_EXPECT_EQ(test, memsuite_parse_name("dimm0_A-1.b", name), 0);
	KUNIT_EXPECT_STREQ(test, (char *)name, "dimm0_A-1.b");
	KUNIT_EXPECT_EQ(test, memsuite_parse_name("", name), -EINVAL);
	KUNIT_EXPECT_EQ(test, memsuite_parse_name(".a", name), -EINVAL);
	KUNIT_EXPECT_EQ(test, memsuite_parse_name("a/b", name), -EINVAL);
	KUNIT_EXPECT_EQ(test, memsuite_parse_name("d\xc3\xa9j\xc3\xa0", name), -EINVAL);
}

static struct kunit_case parse_cases[] = {
	KUNIT_CASE(lines_are_trimmed),
	KUNIT_CASE(other_alphabets_are_kept),
	KUNIT_CASE(names_are_ascii),
	{}
};

static struct kunit_suite parse_suite = {
	.name = "memsuite_parse",
	.test_cases = parse_cases,
};

kunit_test_suite(parse_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of memsuite");
