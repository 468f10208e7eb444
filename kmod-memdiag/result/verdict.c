// SPDX-License-Identifier: GPL-2.0-only
/* Testing held memory, and keeping what was found of each page. */

#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <asm/barrier.h>
#include <asm/special_insns.h>

#include <memsuite/memdiag_registry.h>

#include "march/engine.h"
#include "march/mcsafe.h"
#include "result/inject.h"
#include "result/verdict.h"

void verdict_begin(struct verdict *verdict, unsigned long pfn, unsigned long nr)
{
	verdict->pfn = pfn;
	verdict->nr = nr;
	verdict->nr_suspects = 0;
	bitmap_zero(verdict->bad, VERDICT_MAX_PAGES);
}

static struct suspect *suspect_of(struct verdict *verdict, unsigned long pfn)
{
	unsigned int i;

	for (i = 0; i < verdict->nr_suspects; i++)
		if (verdict->suspects[i].finding.pfn == pfn)
			return &verdict->suspects[i];
	return NULL;
}

static u64 *word_at(const struct verdict *verdict, size_t word)
{
	return (u64 *)page_address(pfn_to_page(verdict->pfn)) + word;
}

/* Past the caches: the first read may have been wrong on its way only. */
static unsigned int count_wrong_rereads(u64 *word, u64 expected)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < CLASSIFY_REREADS; i++) {
		mb();	/* not before the last read */
		clflush(word);
		mb();	/* nor after the next */
		wrong += !mcsafe_read(word) || READ_ONCE(*word) != expected;
	}
	return wrong;
}

/* A page may have real faults besides. */
static bool explained(const struct verdict *verdict,
		      const struct march_failure *failure)
{
	return verdict->emulated &&
	       emulation_explains(PFN_PHYS(verdict->pfn) +
				  failure->word * sizeof(u64), failure->mask);
}

static struct suspect *new_suspect(struct verdict *verdict,
				   const struct march_failure *failure)
{
	unsigned long index = failure->word / (PAGE_SIZE / sizeof(u64));
	struct suspect *suspect;

	if (verdict->nr_suspects == ARRAY_SIZE(verdict->suspects))
		return NULL;
	suspect = &verdict->suspects[verdict->nr_suspects++];
	*suspect = (struct suspect) {
		.finding = {
			.pfn = verdict->pfn + index,
			.address = PFN_PHYS(verdict->pfn) +
				   failure->word * sizeof(u64),
			.element = failure->element,
			.background = failure->background,
			.time = ktime_get_real_seconds(),
			.origin = FOUND_EMULATED,
		},
		.wrong_rereads =
			count_wrong_rereads(word_at(verdict, failure->word),
					    failure->expected),
	};
	return suspect;
}

static void failed(void *context, const struct march_failure *failure)
{
	struct verdict *verdict = context;
	unsigned long index = failure->word / (PAGE_SIZE / sizeof(u64));
	struct suspect *suspect = suspect_of(verdict, verdict->pfn + index);

	__set_bit(index, verdict->bad);
	if (!suspect)
		suspect = new_suspect(verdict, failure);
	if (!suspect)
		return;
	if (failure->uncorrectable)
		suspect->finding.class = FAULT_UNCORRECTABLE;
	if (failure->uncorrectable || !explained(verdict, failure))
		suspect->finding.origin = FOUND_BY_TEST;
	suspect->finding.mask |= failure->mask;
	suspect->finding.rising |= failure->mask & ~failure->expected;
	suspect->finding.falling |= failure->mask & failure->expected;
	suspect->failed_runs += !suspect->failed_now;
	suspect->failed_now = true;
}

/**
 * struct memdiag_run - a run of another module's test
 * @verdict: what it found goes there
 * @background: that was asked for, as data
 */
struct memdiag_run {
	struct verdict *verdict;
	struct background background;
};

void memdiag_bad_word(const struct memdiag_block *block, size_t word,
		      u64 expected, u64 wrong)
{
	struct march_failure failure = {
		.word = word,
		.mask = wrong,
		.expected = expected,
		.background = background_word(&block->run->background,
					      block->address +
					      word * sizeof(u64)),
	};

	if (!WARN_ON_ONCE(word >= block->nr_words || !wrong))
		failed(block->run->verdict, &failure);
}
EXPORT_SYMBOL_GPL(memdiag_bad_word);

static void run_foreign(struct verdict *verdict, const struct engine_test *test,
			const struct engine_block *block,
			unsigned int background)
{
	struct memdiag_run run = { .verdict = verdict };
	const struct memdiag_block held = {
		.words = block->words,
		.nr_words = block->nr_lines * LINE_WORDS,
		.address = block->address,
		.background = background,
		.run = &run,
	};

	background_make(&run.background, background, test->seed);
	test->foreign->run(&held);
}

/* Returns whether something failed that there is room to look closer at. */
static bool run(struct verdict *verdict, const struct engine_test *test,
		unsigned int background)
{
	const struct engine_block block = {
		.words = word_at(verdict, 0),
		.nr_lines = verdict->nr * (PAGE_SIZE / LINE_BYTES),
		.address = PFN_PHYS(verdict->pfn),
	};
	bool any = false;
	unsigned int i;

	for (i = 0; i < verdict->nr_suspects; i++)
		verdict->suspects[i].failed_now = false;
	verdict->emulated = test->kind == ENGINE_MARCH &&
			    emulation_covers(block.address,
					     verdict->nr * PAGE_SIZE);
	if (test->kind == ENGINE_FOREIGN)
		run_foreign(verdict, test, &block, background);
	else if (verdict->emulated)
		emulation_run(test, &block, background, failed, verdict);
	else
		engine_run(test, &block, background, failed, verdict);
	for (i = 0; i < verdict->nr_suspects; i++)
		any |= verdict->suspects[i].failed_now;
	return any;
}

/* A page may fail with one background only: the worst that it did counts. */
static void classify_suspects(struct verdict *verdict)
{
	unsigned int i;

	for (i = 0; i < verdict->nr_suspects; i++) {
		struct suspect *suspect = &verdict->suspects[i];
		enum fault_class class = classify(suspect->failed_runs,
						  suspect->wrong_rereads);

		suspect->finding.class = max(suspect->finding.class, class);
	}
}

void verdict_march(struct verdict *verdict, const struct engine_test *test,
		   unsigned int background)
{
	unsigned int i;

	for (i = 0; i < verdict->nr_suspects; i++)
		verdict->suspects[i].failed_runs = 0;
	if (!run(verdict, test, background))
		return;
	for (i = 0; i < CLASSIFY_RERUNS; i++)
		run(verdict, test, background);
	classify_suspects(verdict);
}

void verdict_clear(const struct verdict *verdict)
{
	unsigned long i;

	for (i = 0; i < verdict->nr; i++) {
		clear_page(page_address(pfn_to_page(verdict->pfn + i)));
		cond_resched();
	}
}

unsigned long verdict_report(struct verdict *verdict)
{
	unsigned long bad = 0, index;
	struct suspect *suspect;

	/* More bad pages than there is room for details of: by page only. */
	for_each_set_bit(index, verdict->bad, verdict->nr) {
		struct finding bare = {
			.pfn = verdict->pfn + index,
			.address = PFN_PHYS(verdict->pfn + index),
			.time = ktime_get_real_seconds(),
			.origin = emulation_covers(PFN_PHYS(verdict->pfn + index),
						   PAGE_SIZE) ?
				  FOUND_EMULATED : FOUND_BY_TEST,
		};

		suspect = suspect_of(verdict, bare.pfn);
		findings_add(suspect ? &suspect->finding : &bare);
		bad++;
	}
	return bad;
}
