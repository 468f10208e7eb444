// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the engine and of the data backgrounds. */

#include <kunit/test.h>
#include <linux/module.h>
#ifdef __KERNEL__
#include <linux/vmalloc.h>
#endif

#include "march/notation.c"
#include "march/background.c"
#include "march/strip.c"
#include "march/engine.c"
#include "march/element_run.c"
#include "march/element_exact.c"
#include "march/nonmarch.c"
#include "report/dram_reach.c"

/* Whole pages; more than a section, but not a whole number of them. */
#define BLOCK_LINES	2496
#define BLOCK_WORDS	(BLOCK_LINES * MEMDIAG_LINE_WORDS)
#define BLOCK_ADDRESS	0x123456000ULL

struct seen {
	unsigned int failures;
	struct memdiag_march_failure last;
};

static void engine_see_failure(void *context, const struct memdiag_march_failure *failure)
{
	struct seen *seen = context;

	seen->failures++;
	seen->last = *failure;
}

static struct memdiag_engine_block block_of(struct kunit *test)
{
	char *memory = kunit_kzalloc(test, BLOCK_WORDS * sizeof(u64) +
				     MEMDIAG_LINE_BYTES, GFP_KERNEL);
	struct memdiag_engine_block block = {
		.words = (u64 *)ALIGN((unsigned long)memory, MEMDIAG_LINE_BYTES),
		.nr_lines = BLOCK_LINES,
		.address = BLOCK_ADDRESS,
	};

	KUNIT_ASSERT_NOT_NULL(test, memory);
	return block;
}

/* With this many backgrounds, no two are the same, nor complements. */
static void backgrounds_differ(struct kunit *test)
{
	static struct memdiag_background a, b;
	unsigned int i, k, line;
	u64 x, y, same, opposite;

	for (i = 0; i < MEMDIAG_BACKGROUNDS; i++) {
		for (k = 0; k < i; k++) {
			memdiag_background_make(&a, i, 1);
			memdiag_background_make(&b, k, 1);
			same = 0;
			opposite = 0;
			for (line = 0; line < 8 * MEMDIAG_LINE_BYTES; line += 8) {
				x = memdiag_background_word(&a, line);
				y = memdiag_background_word(&b, line);
				same |= x ^ y;
				opposite |= x ^ ~y;
			}
			KUNIT_EXPECT_EQ_MSG(test, same && opposite, true,
					    "%u, %u", i, k);
		}
	}
}

static bool bit_of_line(const struct memdiag_background *background, unsigned int bit)
{
	return memdiag_background_word(background, bit / 64 * sizeof(u64)) >> bit % 64 & 1;
}

/* Of any two bits of a line, some fixed background has one 0 and one 1. */
static void backgrounds_tell_bits_apart(struct kunit *test)
{
	static u32 signature[MEMDIAG_LINE_BYTES * 8];
	struct memdiag_background background;
	unsigned int nr, i, k, same = 0;

	for (nr = 4; nr < 13; nr++) {
		memdiag_background_make(&background, nr, 1);
		for (i = 0; i < ARRAY_SIZE(signature); i++)
			signature[i] |= bit_of_line(&background, i) << nr;
	}
	for (i = 0; i < ARRAY_SIZE(signature); i++)
		for (k = 0; k < i; k++)
			same += signature[i] == signature[k];
	KUNIT_EXPECT_EQ(test, same, 0U);
}

static void random_depends_on_seed(struct kunit *test)
{
	struct memdiag_background a, b;

	memdiag_background_make(&a, 3, 1);
	memdiag_background_make(&b, 3, 2);
	KUNIT_EXPECT_NE(test, memdiag_background_word(&a, 64), memdiag_background_word(&b, 64));
	memdiag_background_make(&b, 3 + MEMDIAG_BACKGROUNDS, 1);
	KUNIT_EXPECT_NE(test, memdiag_background_word(&a, 64), memdiag_background_word(&b, 64));
	memdiag_background_make(&b, 3, 1);
	KUNIT_EXPECT_EQ(test, memdiag_background_word(&a, 64), memdiag_background_word(&b, 64));
	memdiag_background_make(&a, 2, 1);
	KUNIT_EXPECT_EQ(test, memdiag_background_word(&a, 0x12345678), 0x12345678ULL);
}

/* Good memory passes, and ends as the last write of the test left it. */
static void passes_good_memory(struct kunit *test, enum memdiag_engine_method method,
			       const char *text)
{
	static struct memdiag_engine_test plan;
	struct memdiag_engine_block block = block_of(test);
	struct memdiag_background background;
	struct seen seen = {};
	unsigned int nr, at, wrong;
	size_t i;

	plan = (struct memdiag_engine_test){ .method = method, .seed = 1 };
	KUNIT_ASSERT_EQ(test, memdiag_march_parse(text, &plan.march, &at), 0);
	for (nr = 0; nr < 5; nr++) {
		memdiag_engine_run(&plan, &block, nr, engine_see_failure, &seen);
		KUNIT_EXPECT_EQ_MSG(test, seen.failures, 0U, "%s %s %u",
				    memdiag_engine_methods[method], text, nr);
		memdiag_background_make(&background, nr, 1);
		for (i = wrong = 0; i < BLOCK_WORDS; i++)
			wrong += block.words[i] !=
				 ~memdiag_background_word(&background,
							  BLOCK_ADDRESS + i * 8);
		KUNIT_EXPECT_EQ_MSG(test, wrong, 0U, "%s %s %u",
				    memdiag_engine_methods[method], text, nr);
	}
}

static void all_methods_agree(struct kunit *test)
{
	static const char * const texts[] = {
		"{c(w0);u(r0,w1);d(r1,w0);c(r0,w0,r0,r0,w1)}",
		"{c(w0);del1;d(w1,r1,w0,w1);c(r1)}",
	};
	unsigned int method, i;

	for (method = 0; method < MEMDIAG_ENGINE_NR_METHODS; method++)
		for (i = 0; i < ARRAY_SIZE(texts); i++)
			if (memdiag_engine_can(method))
				passes_good_memory(test, method, texts[i]);
}

static void all_tests_pass_good_memory(struct kunit *test)
{
	static struct memdiag_engine_test plan;
	struct memdiag_engine_block block = block_of(test);
	struct seen seen = {};
	unsigned int i, at;

	block.nr_lines = 256;
	for (i = 0; i < memdiag_march_nr_tests; i++) {
		memdiag_march_parse(memdiag_march_tests[i].text, &plan.march, &at);
		memdiag_engine_run(&plan, &block, i, engine_see_failure, &seen);
		KUNIT_EXPECT_EQ_MSG(test, seen.failures, 0U, "%s",
				    memdiag_march_tests[i].name);
	}
	for (plan.kind = MEMDIAG_ENGINE_DECODER; plan.kind <= MEMDIAG_ENGINE_MODULO;
	     plan.kind++) {
		memdiag_engine_run(&plan, &block, 3, engine_see_failure, &seen);
		KUNIT_EXPECT_EQ(test, seen.failures, 0U);
	}
}

/*
 * Memory that has changed between two passes stands in for a fault. Every
 * word that did is reported once, and a pass that writes goes on to do so.
 */
static void tells_where_and_what(struct kunit *test, enum memdiag_engine_method method,
				 long stride, int write)
{
	static const size_t spots[] = {
		0, 7, 8, 1023 * 8, 1024 * 8 + 3, 1030 * 8, BLOCK_WORDS - 1,
	};
	struct memdiag_engine_block block = block_of(test);
	struct seen seen = {};
	struct memdiag_test_run run = {
		.block = &block, .method = method, .report = engine_see_failure,
		.context = &seen,
	};
	struct memdiag_pass pass = {
		.from = stride > 0 ? 0 : BLOCK_LINES - 1, .nr = BLOCK_LINES,
		.stride = stride, .read = MEMDIAG_PASS_NONE, .write = 1,
	};
	unsigned int i;

	memdiag_background_make(&run.background, 3, 1);
	memdiag_pass_run(&run, &pass);
	for (i = 0; i < ARRAY_SIZE(spots); i++)
		block.words[spots[i]] ^= 0x10;
	pass.read = 1;
	pass.write = write;
	memdiag_pass_run(&run, &pass);
	KUNIT_EXPECT_EQ(test, seen.failures, (unsigned int)ARRAY_SIZE(spots));
	KUNIT_EXPECT_EQ(test, seen.last.mask, 0x10ULL);
	KUNIT_EXPECT_EQ(test, (u64)seen.last.word,
			(u64)(stride > 0 ? BLOCK_WORDS - 1 : 7));
	KUNIT_EXPECT_EQ(test, seen.last.background,
			memdiag_background_word(&run.background, BLOCK_ADDRESS +
						seen.last.word * 8));
	if (write == MEMDIAG_PASS_NONE)
		return;
	pass.read = write;
	memdiag_pass_run(&run, &pass);
	KUNIT_EXPECT_EQ(test, seen.failures, (unsigned int)ARRAY_SIZE(spots));
}

static void all_passes_report(struct kunit *test)
{
	unsigned int method;

	for (method = MEMDIAG_ENGINE_WORDS; method <= MEMDIAG_ENGINE_AVX512; method++) {
		if (!memdiag_engine_can(method))
			continue;
		tells_where_and_what(test, method, 1, MEMDIAG_PASS_NONE);
		tells_where_and_what(test, method, -1, MEMDIAG_PASS_NONE);
		tells_where_and_what(test, method, 1, 0);
		tells_where_and_what(test, method, -1, 0);
		tells_where_and_what(test, method, 1, 1);
	}
}

/* Lines between those of a pass stay as they are. */
static void strides_leave_the_rest(struct kunit *test)
{
	struct memdiag_engine_block block = block_of(test);
	struct seen seen = {};
	struct memdiag_test_run run = {
		.block = &block,
		.method = engine_choose_method(MEMDIAG_ENGINE_AUTO, MEMDIAG_ENGINE_MARCH),
		.report = engine_see_failure, .context = &seen,
	};
	unsigned int wrong = 0;
	size_t i;

	memdiag_background_make(&run.background, 0, 1);
	pass_every_line(&run, 3, MEMDIAG_PASS_NONE, 1);
	for (i = 0; i < BLOCK_WORDS; i++)
		wrong += block.words[i] !=
			 (i / MEMDIAG_LINE_WORDS % MODULO == 3 ? ~0ULL : 0);
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

/* Two lines whose addresses differ in the bit alone are complements. */
static void decoder_inverts_by_bits(struct kunit *test)
{
	struct memdiag_background background;
	unsigned int bit;
	u64 line, one, other;

	memdiag_background_make(&background, 0, 1);
	for (bit = 0; bit < 12; bit++) {
		background.bit = bit;
		for (line = 0; line < BLOCK_LINES; line += 77) {
			one = memdiag_background_word(&background, line * MEMDIAG_LINE_BYTES);
			other = memdiag_background_word(&background, (line ^ BIT(bit)) *
							MEMDIAG_LINE_BYTES);
			KUNIT_EXPECT_EQ(test, one, ~other);
		}
	}
}

static void run_joint(struct memdiag_engine_block *blocks, unsigned int nr, struct seen *seen)
{
	static struct memdiag_test_run runs[2];
	static struct memdiag_engine_test march_c;
	unsigned int i, at;

	march_c.kind = MEMDIAG_ENGINE_MARCH;
	memdiag_march_parse(memdiag_march_find("march-c-")->text, &march_c.march, &at);
	for (i = 0; i < nr; i++)
		runs[i] = (struct memdiag_test_run) {
			.block = &blocks[i], .report = engine_see_failure, .context = seen,
		};
	memdiag_engine_run_joint(&march_c, runs, nr, 0, NULL);
}

/* Two addresses, one memory: good where it is tested by itself. */
static void joint_run_sees_aliases(struct kunit *test)
{
	struct memdiag_engine_block blocks[2] = { block_of(test), block_of(test) };
	struct seen seen = { 0 };

	blocks[1].address += 1ULL << 26;
	run_joint(&blocks[0], 1, &seen);
	run_joint(blocks, 2, &seen);
	KUNIT_EXPECT_EQ(test, seen.failures, 0U);
	blocks[1].words = blocks[0].words;
	run_joint(&blocks[1], 1, &seen);
	KUNIT_EXPECT_EQ(test, seen.failures, 0U);
	run_joint(blocks, 2, &seen);
	KUNIT_EXPECT_GE(test, seen.failures, (unsigned int)BLOCK_WORDS);
}

static void reach_is_told(struct kunit *test)
{
	static const struct memdiag_dram_reach none = {},
		emulated = { .tested = 90, .cached = 60, .memory = 70 },
		good = { .tested = 240, .cached = 40, .memory = 250 },
		bad = { .tested = 60, .cached = 40, .memory = 250 };
	struct memdiag_engine_block block = block_of(test);
	struct memdiag_dram_reach reach = {};

	KUNIT_EXPECT_EQ(test, (int)memdiag_dram_reach_judge(&none),
			(int)MEMDIAG_REACH_UNKNOWN);
	KUNIT_EXPECT_EQ(test, (int)memdiag_dram_reach_judge(&emulated),
			(int)MEMDIAG_REACH_UNKNOWN);
	KUNIT_EXPECT_EQ(test, (int)memdiag_dram_reach_judge(&good), (int)MEMDIAG_REACH_YES);
	KUNIT_EXPECT_EQ(test, (int)memdiag_dram_reach_judge(&bad), (int)MEMDIAG_REACH_NO);
	memdiag_dram_reach_measure(&block, MEMDIAG_ENGINE_AUTO, &reach);
	KUNIT_EXPECT_GT(test, reach.tested, 0U);
	KUNIT_EXPECT_GT(test, reach.cached, 0U);
	KUNIT_EXPECT_GT(test, reach.memory, 0U);
}

/*
 * Memory that is not there stands for memory with uncorrectable errors: the
 * same entry of the exception table catches both. User space has none.
 */
#ifdef __KERNEL__
static void cannot_read(struct kunit *test, enum memdiag_engine_method method)
{
	const struct memdiag_engine_test reading = {
		.method = method,
		.march = {
			.nr_elements = 1,
			.elements[0] = { MEMDIAG_MARCH_UP, 0, 1, { { false, 0 } } },
		},
	};
	/* What follows is a guard page. */
	void *page = vzalloc(PAGE_SIZE);
	const struct memdiag_engine_block block = {
		.words = page,
		.nr_lines = 2 * PAGE_SIZE / MEMDIAG_LINE_BYTES,
		.address = BLOCK_ADDRESS,
	};
	struct seen seen = {};

	KUNIT_ASSERT_NOT_NULL(test, page);
	memdiag_engine_run(&reading, &block, 0, engine_see_failure, &seen);
	vfree(page);
	KUNIT_EXPECT_EQ(test, seen.failures,
			(unsigned int)(PAGE_SIZE / MEMDIAG_LINE_BYTES));
	KUNIT_EXPECT_TRUE(test, seen.last.uncorrectable);
	KUNIT_EXPECT_EQ(test, seen.last.mask, 0ULL);
	KUNIT_EXPECT_EQ(test, seen.last.word,
			(size_t)(2 * PAGE_SIZE - MEMDIAG_LINE_BYTES) / sizeof(u64));
}

static void survives_uncorrectable_errors(struct kunit *test)
{
	static const enum memdiag_engine_method methods[] = {
		MEMDIAG_ENGINE_WORDS, MEMDIAG_ENGINE_AVX2, MEMDIAG_ENGINE_AVX512,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(methods); i++)
		if (memdiag_engine_can(methods[i]))
			cannot_read(test, methods[i]);
}
#endif

static struct kunit_case engine_cases[] = {
	KUNIT_CASE(backgrounds_differ),
	KUNIT_CASE(backgrounds_tell_bits_apart),
	KUNIT_CASE(random_depends_on_seed),
	KUNIT_CASE(all_methods_agree),
	KUNIT_CASE(all_tests_pass_good_memory),
	KUNIT_CASE(all_passes_report),
	KUNIT_CASE(strides_leave_the_rest),
	KUNIT_CASE(decoder_inverts_by_bits),
	KUNIT_CASE(joint_run_sees_aliases),
	KUNIT_CASE(reach_is_told),
#ifdef __KERNEL__
	KUNIT_CASE(survives_uncorrectable_errors),
#endif
	{}
};

static struct kunit_suite engine_suite = {
	.name = "memdiag_engine",
	.test_cases = engine_cases,
};

kunit_test_suite(engine_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of memdiag's engine");
