// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of emulated faults as text, and of how faulty cells behave. */

#include <kunit/test.h>
#include <linux/module.h>

#include "march/fault_model.c"
#include "result/inject_parse.c"

static int parse_spec(const char *text, struct memdiag_inject_spec *spec)
{
	char line[96];

	strscpy(line, text, sizeof(line));
	return memdiag_inject_parse(line, spec);
}

static void parses_faults(struct kunit *test)
{
	struct memdiag_inject_spec spec;

	KUNIT_EXPECT_EQ(test, parse_spec("0x1001:3:sa1", &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.victim.address, 0x1000ULL);
	KUNIT_EXPECT_EQ(test, spec.victim.bit, 11U);
	KUNIT_EXPECT_EQ(test, (int)spec.kind, (int)MEMDIAG_FAULT_SAF);
	KUNIT_EXPECT_EQ(test, spec.variant, 1U);
	KUNIT_EXPECT_EQ(test, parse_spec("4096:0:cfid/3@0x2007:7", &spec), 0);
	KUNIT_EXPECT_EQ(test, (int)spec.kind, (int)MEMDIAG_FAULT_CFID);
	KUNIT_EXPECT_EQ(test, spec.variant, 3U);
	KUNIT_EXPECT_EQ(test, spec.aggressor.address, 0x2000ULL);
	KUNIT_EXPECT_EQ(test, spec.aggressor.bit, 63U);
	KUNIT_EXPECT_EQ(test, spec.cpu, MEMDIAG_INJECT_ANY_CPU);
	KUNIT_EXPECT_EQ(test, parse_spec("4096:0:cfid/3@0x2007:7 cpu=12", &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.aggressor.bit, 63U);
	KUNIT_EXPECT_EQ(test, spec.cpu, 12U);
	KUNIT_EXPECT_EQ(test, parse_spec("0x1000:0:af/1", &spec), 0);
	KUNIT_EXPECT_EQ(test, parse_spec("0x1000:0:af/2@0x1008:0", &spec), 0);
}

static void refuses_what_is_no_fault(struct kunit *test)
{
	static const struct {
		const char *text;
		int err;
	} cases[] = {
		{ "", -EINVAL }, { "rhubarb", -EINVAL }, { "-1", -EINVAL },
		{ "0x1000", -EINVAL }, { "0x1000:3", -EINVAL },
		{ "0x1000:3:", -EINVAL }, { "0x1000:8:sa0", -ERANGE },
		{ "0x1000:3:sa2", -EINVAL }, { "0x1000:3:saf/2", -ERANGE },
		{ "0x1000:3:cfin", -EINVAL }, { "0x1000:3:sa0@0x2000:1", -EINVAL },
		{ "0x1000:3:cfin@0x2000", -EINVAL },
		{ "0x1000:3:cfin@0x1001:3", -EINVAL },	/* the same word */
		{ "0x1000:3:af/5@0x2000:1", -ERANGE },
		{ "99999999999999999999:0:sa0", -ERANGE },
		{ "0x1000:3:sa0 ", -EINVAL }, { "0x1000:3:sa0 1", -EINVAL },
		{ "0x1000:3:sa0 cpu=", -EINVAL }, { "0x1000:3:sa0 cpu=-1", -EINVAL },
		{ "0x1000:3:sa0 cpu=1 ", -EINVAL }, { "0x1000:3:sa0 cpu=4294967295", -ERANGE },
		{ "0x1000:3:sa0 cpu=4294967296", -ERANGE },
	};
	struct memdiag_inject_spec spec;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test, parse_spec(cases[i].text, &spec),
				cases[i].err);
}

/* Whether any operations at all, and time, show the fault. */
static bool fault_misbehaves(const struct memdiag_fault *fault)
{
	struct memdiag_cells cells = { .fault = fault, .last.cell = -1 };
	bool good[2] = { false, false };
	unsigned int i, cell, random = 1;

	memdiag_cells_settle(&cells);
	memdiag_cells_write(&cells, 0, false);
	memdiag_cells_write(&cells, 1, false);
	for (i = 0; i < 4000; i++) {
		random = random * 1103515245 + 12345;
		cell = random >> 16 & 1;
		if (random >> 17 & 1) {
			good[cell] = random >> 18 & 1;
			memdiag_cells_write(&cells, cell, good[cell]);
		} else if (!(random >> 18 & 15)) {
			memdiag_cells_delay(&cells);
		} else if (memdiag_cells_read(&cells, cell) != good[cell]) {
			return true;
		}
	}
	return false;
}

static void every_fault_shows(struct kunit *test)
{
	struct memdiag_fault fault = { .victim = 0 };
	unsigned int kind, all;

	for (kind = 0; kind < MEMDIAG_FAULT_NR_KINDS; kind++) {
		fault.kind = kind;
		all = memdiag_fault_variants[kind].of_victim +
		      memdiag_fault_variants[kind].of_pair;
		for (fault.variant = 0; fault.variant < all; fault.variant++) {
			fault.aggressor =
				fault.variant < memdiag_fault_variants[kind].of_victim ?
				MEMDIAG_FAULT_NO_CELL : 1;
			KUNIT_EXPECT_EQ_MSG(test, fault_misbehaves(&fault), true,
					    "%s/%u", memdiag_fault_kind_name[kind],
					    fault.variant);
		}
	}
}

static struct kunit_case inject_cases[] = {
	KUNIT_CASE(parses_faults),
	KUNIT_CASE(refuses_what_is_no_fault),
	KUNIT_CASE(every_fault_shows),
	{}
};

static struct kunit_suite inject_suite = {
	.name = "memdiag_inject",
	.test_cases = inject_cases,
};

kunit_test_suite(inject_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of memdiag's emulated faults");
