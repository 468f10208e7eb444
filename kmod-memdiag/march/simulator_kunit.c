// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the fault simulator. */

#include <kunit/test.h>
#include <linux/module.h>

#include "march/notation.c"
#include "march/fault_model.c"
#include "march/simulator.c"

/* The faults of the table below, in the order of its columns. */
static const enum memdiag_fault_kind kinds[] = {
	MEMDIAG_FAULT_SAF, MEMDIAG_FAULT_TF, MEMDIAG_FAULT_AF,
	MEMDIAG_FAULT_SOF, MEMDIAG_FAULT_WDF, MEMDIAG_FAULT_RDF,
	MEMDIAG_FAULT_DRDF, MEMDIAG_FAULT_IRF, MEMDIAG_FAULT_CFIN,
	MEMDIAG_FAULT_CFID, MEMDIAG_FAULT_CFST, MEMDIAG_FAULT_CFDS,
	MEMDIAG_FAULT_CFTR, MEMDIAG_FAULT_CFWD, MEMDIAG_FAULT_CFRD,
	MEMDIAG_FAULT_CFDRD, MEMDIAG_FAULT_CFIR, MEMDIAG_FAULT_DYNAMIC_RDF,
	MEMDIAG_FAULT_DYNAMIC_DRDF, MEMDIAG_FAULT_DYNAMIC_IRF, MEMDIAG_FAULT_DYNAMIC_CFDS,
};

/*
 * Percentages of an independent simulation of the same faults in a memory of
 * three cells. The tests without a name are what the kernel's memtest= does
 * for a pattern and its complement, memtest86+'s test 3, and memtester's solid
 * bits.
 */
static const struct {
	const char *test;
	u8 percent[ARRAY_SIZE(kinds)];
} table[] = {
	{ "mats", {
		100, 50, 75, 0, 0, 100, 0, 100, 50, 0, 50,
		0, 0, 0, 25, 0, 25, 0, 0, 0, 0 } },
	{ "mats+", {
		100, 50, 100, 33, 0, 100, 0, 100, 75, 37, 75,
		18, 25, 0, 50, 0, 50, 8, 0, 8, 4 } },
	{ "mats++", {
		100, 100, 100, 100, 0, 100, 0, 100, 75, 37, 75,
		18, 50, 0, 50, 0, 50, 33, 0, 33, 10 } },
	{ "march-x", {
		100, 100, 100, 33, 0, 100, 0, 100, 100, 50, 75,
		25, 50, 0, 62, 0, 62, 8, 0, 8, 4 } },
	{ "march-y", {
		100, 100, 100, 100, 0, 100, 100, 100, 100, 50, 75,
		25, 50, 0, 62, 50, 62, 50, 50, 50, 25 } },
	{ "march-c", {
		100, 100, 100, 66, 0, 100, 50, 100, 100, 100, 100,
		50, 100, 0, 100, 25, 100, 0, 0, 0, 0 } },
	{ "march-c-", {
		100, 100, 100, 66, 0, 100, 0, 100, 100, 100, 100,
		50, 100, 0, 100, 0, 100, 8, 0, 8, 4 } },
	{ "march-c+", {
		100, 100, 100, 100, 0, 100, 100, 100, 100, 100, 100,
		50, 100, 0, 100, 100, 100, 50, 50, 50, 50 } },
	{ "pmovi", {
		100, 100, 100, 100, 0, 100, 100, 100, 100, 87, 100,
		50, 100, 0, 100, 75, 100, 50, 50, 50, 43 } },
	{ "march-a", {
		100, 100, 100, 66, 0, 100, 0, 100, 100, 100, 100,
		37, 62, 0, 75, 0, 75, 8, 0, 8, 4 } },
	{ "march-b", {
		100, 100, 100, 100, 0, 100, 0, 100, 100, 100, 100,
		37, 62, 0, 75, 0, 75, 50, 0, 50, 25 } },
	{ "march-u", {
		100, 100, 100, 100, 0, 100, 0, 100, 100, 100, 100,
		50, 100, 0, 100, 0, 100, 50, 0, 50, 29 } },
	{ "march-lr", {
		100, 100, 100, 100, 0, 100, 0, 100, 100, 100, 100,
		50, 100, 0, 100, 0, 100, 50, 0, 50, 29 } },
	{ "march-la", {
		100, 100, 100, 100, 0, 100, 100, 100, 100, 100, 100,
		50, 100, 0, 100, 100, 100, 50, 50, 50, 50 } },
	{ "march-sr", {
		100, 100, 25, 100, 0, 100, 100, 100, 100, 100, 100,
		50, 100, 0, 100, 50, 100, 50, 0, 50, 29 } },
	{ "march-g", {
		100, 100, 100, 100, 0, 100, 50, 100, 100, 100, 100,
		43, 75, 0, 100, 0, 100, 50, 25, 50, 25 } },
	{ "march-mss", {
		100, 100, 100, 66, 100, 100, 100, 100, 100, 100, 100,
		100, 100, 100, 100, 100, 100, 8, 8, 8, 4 } },
	{ "march-ss", {
		100, 100, 100, 66, 100, 100, 100, 100, 100, 100, 100,
		100, 100, 100, 100, 100, 100, 58, 8, 58, 54 } },
	{ "march-ab", {
		100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100,
		100, 100, 100, 100, 100, 100, 100, 100, 100, 100 } },
	{ "march-raw1", {
		100, 100, 25, 0, 50, 100, 100, 100, 0, 0, 50,
		25, 0, 25, 50, 50, 50, 100, 100, 100, 0 } },
	{ "march-raw", {
		100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100,
		100, 100, 100, 100, 100, 100, 100, 100, 100, 100 } },
	{ "march-sl", {
		100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100,
		100, 100, 100, 100, 100, 100, 58, 58, 58, 54 } },
	{ "{u(w0);u(r0);u(w1);u(r1)}", {
		100, 50, 25, 33, 0, 100, 0, 100, 25, 12, 62,
		12, 25, 0, 50, 0, 50, 0, 0, 0, 0 } },
	{ "{u(w0);u(r0,w1);d(r1,w0);u(w1);u(r1,w0);d(r0,w1)}", {
		100, 100, 100, 33, 0, 100, 0, 100, 100, 75, 100,
		37, 50, 0, 100, 0, 100, 16, 0, 16, 8 } },
	{ "moving-inversions", {
		100, 100, 100, 66, 0, 100, 0, 100, 100, 100, 100,
		50, 100, 0, 100, 0, 100, 33, 0, 33, 16 } },
	{ "{u(w0);u(r0);u(w1);u(r1);u(w0);u(r0);u(w1);u(r1)}", {
		100, 100, 25, 33, 0, 100, 0, 100, 50, 25, 75,
		12, 50, 0, 50, 0, 50, 0, 0, 0, 0 } },
	{ "figure-28", {
		100, 50, 25, 33, 0, 100, 0, 100, 0, 0, 37,
		0, 25, 0, 37, 0, 37, 25, 0, 25, 0 } },
};

static void parse_named(struct kunit *test, const char *text,
			struct memdiag_march_test *march)
{
	const struct memdiag_march_named *named = memdiag_march_find(text);
	unsigned int at;

	KUNIT_ASSERT_EQ(test, memdiag_march_parse(named ? named->text : text, march,
						  &at), 0);
}

static unsigned int literature_coverage(const struct memdiag_march_test *march,
					enum memdiag_fault_kind kind)
{
	return memdiag_simulator_coverage(march, &MEMDIAG_SIMULATOR_LITERATURE, kind);
}

static void agrees_with_the_table(struct kunit *test)
{
	struct memdiag_march_test march;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		parse_named(test, table[i].test, &march);
		for (k = 0; k < ARRAY_SIZE(kinds); k++)
			KUNIT_EXPECT_EQ_MSG(test, literature_coverage(&march, kinds[k]),
					    (unsigned int)table[i].percent[k],
					    "%s, fault %u", table[i].test, k);
	}
}

/* Retention faults are found by a delay before a read, of both values. */
static void retention_takes_delays(struct kunit *test)
{
	static const struct {
		const char *test;
		unsigned int percent;
	} cases[] = {
		{ "march-c-", 0 },
		{ "{c(w0);del;c(r0)}", 50 },
		{ "{c(w0);del;c(w0,r0)}", 0 },
		{ "retention", 100 },
		{ "march-g", 100 },
	};
	struct memdiag_march_test march;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		parse_named(test, cases[i].test, &march);
		KUNIT_EXPECT_EQ_MSG(test, literature_coverage(&march, MEMDIAG_FAULT_DRF),
				    cases[i].percent, "%s", cases[i].test);
	}
}

/*
 * A memory of two pages with one cell each: whatever the test, page by page it
 * finds no fault that takes two cells, but a state coupling that shows as
 * soon as the second page is written.
 */
static void pages_hide_coupling(struct kunit *test)
{
	static const char *const tests[] = { "march-c-", "march-ss", "march-ab" };
	static const enum memdiag_fault_kind hidden[] = {
		MEMDIAG_FAULT_CFIN, MEMDIAG_FAULT_CFID,
		MEMDIAG_FAULT_CFDS, MEMDIAG_FAULT_DYNAMIC_CFDS,
	};
	const struct memdiag_simulator_layout pages = { 2, 1, 1 };
	struct memdiag_march_test march;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		parse_named(test, tests[i], &march);
		for (k = 0; k < ARRAY_SIZE(hidden); k++)
			KUNIT_EXPECT_EQ_MSG(test,
					    memdiag_simulator_coverage(&march, &pages,
								       hidden[k]),
					    0U, "%s", tests[i]);
		KUNIT_EXPECT_EQ(test, memdiag_simulator_coverage(&march, &pages,
								 MEMDIAG_FAULT_SAF), 100U);
	}
}

/*
 * In strips, a test whose elements read once and write once is the same as
 * ever. Others keep what takes one cell but for two operations in a row.
 */
static void strips_keep_what_they_can(struct kunit *test)
{
	const struct memdiag_simulator_layout whole = { 4, 4, 1 }, strips = { 4, 4, 2 };
	struct memdiag_march_test march;
	unsigned int k;

	parse_named(test, "march-c-", &march);
	for (k = 0; k < MEMDIAG_FAULT_NR_KINDS; k++)
		KUNIT_EXPECT_EQ(test, memdiag_simulator_coverage(&march, &whole, k),
				memdiag_simulator_coverage(&march, &strips, k));
	parse_named(test, "march-ss", &march);
	for (k = MEMDIAG_FAULT_WDF; k <= MEMDIAG_FAULT_IRF; k++)
		KUNIT_EXPECT_EQ(test, memdiag_simulator_coverage(&march, &strips, k),
				100U);
	KUNIT_EXPECT_LT(test, memdiag_simulator_coverage(&march, &strips, MEMDIAG_FAULT_CFDS),
			memdiag_simulator_coverage(&march, &whole, MEMDIAG_FAULT_CFDS));
}

static struct kunit_case simulator_cases[] = {
	KUNIT_CASE(agrees_with_the_table),
	KUNIT_CASE(retention_takes_delays),
	KUNIT_CASE(pages_hide_coupling),
	KUNIT_CASE(strips_keep_what_they_can),
	{}
};

static struct kunit_suite simulator_suite = {
	.name = "memdiag_simulator",
	.test_cases = simulator_cases,
};

kunit_test_suite(simulator_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of memdiag's fault simulator");
