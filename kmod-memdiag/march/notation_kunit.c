// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of march tests. */

#include <kunit/test.h>
#include <linux/module.h>

#include "march/notation.c"

static void parses_all_named(struct kunit *test)
{
	static const unsigned int length[] = {
		4, 5, 6, 6, 8, 11, 10, 14, 15, 17, 13, 14, 22, 14, 23, 18, 22,
		22, 13, 26, 41, 13, 4, 18, 4,
	};
	struct memdiag_march_test march;
	unsigned int i, at;

	KUNIT_ASSERT_EQ(test, memdiag_march_nr_tests,
			(unsigned int)ARRAY_SIZE(length));
	for (i = 0; i < memdiag_march_nr_tests; i++) {
		KUNIT_EXPECT_EQ(test, memdiag_march_parse(memdiag_march_tests[i].text, &march,
							  &at), 0);
		KUNIT_EXPECT_EQ_MSG(test, memdiag_march_length(&march), length[i],
				    "%s", memdiag_march_tests[i].name);
	}
}

static void points_at_mistakes(struct kunit *test)
{
	static const struct {
		const char *text;
		int err;
		unsigned int at;
	} cases[] = {
		{ "", -EINVAL, 0 },
		{ "{}", -EINVAL, 1 },
		{ "{c(w0)", -EINVAL, 6 },
		{ "{c(w0)}x", -EINVAL, 7 },
		{ "{c(w0)}", -ENODATA, 7 },
		{ "{del1}", -ENODATA, 6 },
		{ "{c(w0);del1;u(w1)}", -ENODATA, 18 },
		{ "{c(w2)}", -EINVAL, 3 },
		{ "{c(r0)}", -EINVAL, 3 },		/* read before write */
		{ "{c(w0);u(r1)}", -EINVAL, 9 },	/* reads what is not there */
		{ "{q(w0)}", -EINVAL, 1 },
		{ "{c(w0,)}", -EINVAL, 6 },
		{ "{c(w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0)}",
		  -E2BIG, 75 },
		{ "{c(w0);del0;c(r0)}", -ERANGE, 10 },
		{ "{c(w0);del1001;c(r0)}", -ERANGE, 10 },
		{ "{c(w0);del;r0}", -EINVAL, 11 },
	};
	struct memdiag_march_test march;
	unsigned int i, at;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		at = ~0U;
		KUNIT_EXPECT_EQ_MSG(test, memdiag_march_parse(cases[i].text, &march,
							      &at), cases[i].err,
				    "%s", cases[i].text);
		KUNIT_EXPECT_EQ_MSG(test, at, cases[i].at, "%s", cases[i].text);
	}
}

static void ignores_blanks(struct kunit *test)
{
	struct memdiag_march_test march;
	unsigned int at;

	KUNIT_EXPECT_EQ(test, memdiag_march_parse(" { c ( w 0 ) ; u ( r0 , w1 ) } ",
						  &march, &at), 0);
	KUNIT_EXPECT_EQ(test, march.nr_elements, 2U);
	KUNIT_EXPECT_EQ(test, (int)march.elements[1].order, (int)MEMDIAG_MARCH_UP);
}

static void knows_delays(struct kunit *test)
{
	struct memdiag_march_test march;
	unsigned int at;

	KUNIT_EXPECT_EQ(test, memdiag_march_parse("{c(w0);del;c(r0);del 20 ;d(r0)}",
						  &march, &at), 0);
	KUNIT_EXPECT_EQ(test, march.elements[1].delay_ms, MEMDIAG_MARCH_DELAY_MS + 0U);
	KUNIT_EXPECT_EQ(test, march.elements[3].delay_ms, 20U);
	KUNIT_EXPECT_EQ(test, march.elements[4].delay_ms, 0U);
	KUNIT_EXPECT_EQ(test, (int)march.elements[4].order, (int)MEMDIAG_MARCH_DOWN);
	KUNIT_EXPECT_EQ(test, memdiag_march_length(&march), 3U);
}

/* No pass writes before it reads, or does two of the same. */
static void splits_into_passes(struct kunit *test)
{
	static const unsigned int passes[] = { 1, 2, 2, 1, 1 };
	struct memdiag_march_test march;
	unsigned int i, at;

	memdiag_march_parse("{c(w0);u(r0,r0,w0,r0,w1,w1,r1)}", &march, &at);
	for (at = i = 0; i < ARRAY_SIZE(passes); i++) {
		KUNIT_EXPECT_EQ(test, memdiag_march_pass(&march.elements[1], at),
				passes[i]);
		at += passes[i];
	}
	KUNIT_EXPECT_EQ(test, at, march.elements[1].nr_ops);
}

static void finds_by_name(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, memdiag_march_find("March-C-"), &memdiag_march_tests[6]);
	KUNIT_EXPECT_NULL(test, memdiag_march_find("march"));
}

static struct kunit_case march_cases[] = {
	KUNIT_CASE(parses_all_named),
	KUNIT_CASE(points_at_mistakes),
	KUNIT_CASE(ignores_blanks),
	KUNIT_CASE(knows_delays),
	KUNIT_CASE(splits_into_passes),
	KUNIT_CASE(finds_by_name),
	{}
};

static struct kunit_suite march_suite = {
	.name = "memdiag_march",
	.test_cases = march_cases,
};

kunit_test_suite(march_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of memdiag");
