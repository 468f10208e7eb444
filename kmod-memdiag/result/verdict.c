// SPDX-License-Identifier: GPL-2.0-only
/* Tests held memory, and keeps what was found wrong with each page. */

#include <linux/delay.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <asm/barrier.h>
#include <asm/special_insns.h>

#include <memsuite/held_pages.h>
#include <memsuite/memdiag_registry.h>

#include "march/engine.h"
#include "march/mcsafe.h"
#include "result/inject.h"
#include "result/retire_policy.h"
#include "result/testers.h"
#include "result/verdict.h"

void memdiag_verdict_begin(struct memdiag_verdict *verdict, unsigned long pfn, unsigned long nr)
{
	verdict->pfn = pfn;
	verdict->nr = nr;
	verdict->nr_suspects = 0;
	verdict->emulated = false;
	verdict->doubted = false;
	verdict->certain = false;
	bitmap_zero(verdict->bad, MEMDIAG_VERDICT_MAX_PAGES);
}

static struct memdiag_suspect *suspect_find(struct memdiag_verdict *verdict, unsigned long pfn)
{
	unsigned int i;

	for (i = 0; i < verdict->nr_suspects; i++)
		if (verdict->suspects[i].bad_page.pfn == pfn)
			return &verdict->suspects[i];
	return NULL;
}

static u64 *word_at(const struct memdiag_verdict *verdict, size_t word)
{
	return (u64 *)page_address(pfn_to_page(verdict->pfn)) + word;
}

/* Past the caches: the first read may have been wrong on its way only. */
static unsigned int count_wrong_rereads(u64 *word, u64 expected)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < MEMDIAG_CLASSIFY_REREADS; i++) {
		mb();	/* not before the last read */
		clflush(word);
		mb();	/* nor after the next */
		/* For KASAN, memory that comes online is free yet. */
		wrong += !memdiag_mcsafe_read(word) || READ_ONCE_NOCHECK(*word) != expected;
	}
	return wrong;
}

/* A page may have real faults besides. */
static bool failure_explained(const struct memdiag_verdict *verdict,
			      const struct memdiag_march_failure *failure)
{
	return verdict->emulated &&
	       memdiag_inject_explains(PFN_PHYS(verdict->pfn) +
				       failure->word * sizeof(u64), failure->mask);
}

static struct memdiag_suspect *suspect_add(struct memdiag_verdict *verdict,
					   const struct memdiag_march_failure *failure)
{
	unsigned long index = failure->word / (PAGE_SIZE / sizeof(u64));
	struct memdiag_suspect *suspect;

	if (verdict->nr_suspects == ARRAY_SIZE(verdict->suspects))
		return NULL;
	suspect = &verdict->suspects[verdict->nr_suspects++];
	*suspect = (struct memdiag_suspect) {
		.bad_page = {
			.pfn = verdict->pfn + index,
			.address = PFN_PHYS(verdict->pfn) +
				   failure->word * sizeof(u64),
			.element = failure->element,
			.background = failure->background,
			.time = ktime_get_real_seconds(),
			.origin = MEMDIAG_FOUND_EMULATED,
		},
		.wrong_rereads =
			count_wrong_rereads(word_at(verdict, failure->word),
					    failure->expected),
		.cpu = raw_smp_processor_id(),
	};
	return suspect;
}

static void verdict_add_failure(void *context, const struct memdiag_march_failure *failure)
{
	struct memdiag_verdict *verdict = context;
	unsigned long index = failure->word / (PAGE_SIZE / sizeof(u64));
	struct memdiag_suspect *suspect = suspect_find(verdict, verdict->pfn + index);

	__set_bit(index, verdict->bad);
	if (!suspect)
		suspect = suspect_add(verdict, failure);
	if (!suspect)
		return;
	if (failure->uncorrectable)
		suspect->bad_page.class = MEMDIAG_CLASS_UNCORRECTABLE;
	if (failure->uncorrectable || !failure_explained(verdict, failure))
		suspect->bad_page.origin = MEMDIAG_FOUND_BY_TEST;
	suspect->bad_page.mask |= failure->mask;
	suspect->bad_page.rising |= failure->mask & ~failure->expected;
	suspect->bad_page.falling |= failure->mask & failure->expected;
	suspect->failed_runs += !suspect->failed_now;
	suspect->failed_now = true;
}

/**
 * struct memdiag_run - a run of another module's test
 * @verdict: what it found goes there
 * @background: that was asked for, as data
 */
struct memdiag_run {
	struct memdiag_verdict *verdict;
	struct memdiag_background background;
};

void memdiag_bad_word(const struct memdiag_block *block, size_t word,
		      u64 expected, u64 wrong)
{
	struct memdiag_march_failure failure = {
		.word = word,
		.mask = wrong,
		.expected = expected,
		.background = memdiag_background_word(&block->run->background,
						      block->address +
						      word * sizeof(u64)),
	};

	if (!WARN_ON_ONCE(word >= block->nr_words || !wrong))
		verdict_add_failure(block->run->verdict, &failure);
}
EXPORT_SYMBOL_GPL(memdiag_bad_word);

static void verdict_run_foreign(struct memdiag_verdict *verdict,
				const struct memdiag_engine_test *test,
				const struct memdiag_engine_block *block,
				unsigned int background)
{
	struct memdiag_run run = { .verdict = verdict };
	const struct memdiag_block held = {
		.words = block->words,
		.nr_words = block->nr_lines * MEMDIAG_LINE_WORDS,
		.address = block->address,
		.background = background,
		.run = &run,
	};

	memdiag_background_make(&run.background, background, test->seed);
	test->foreign->run(&held);
}

static void verdict_begin_run(struct memdiag_verdict *verdict)
{
	unsigned int i;

	for (i = 0; i < verdict->nr_suspects; i++)
		verdict->suspects[i].failed_now = false;
}

/* Whether a page failed that there is a suspect for. */
static bool verdict_run_failed(const struct memdiag_verdict *verdict)
{
	unsigned int i;

	for (i = 0; i < verdict->nr_suspects; i++)
		if (verdict->suspects[i].failed_now)
			return true;
	return false;
}

/* Returns whether a page failed that there is a suspect for. */
static bool verdict_run(struct memdiag_verdict *verdict, const struct memdiag_engine_test *test,
			unsigned int background)
{
	const struct memdiag_engine_block block = {
		.words = word_at(verdict, 0),
		.nr_lines = verdict->nr * (PAGE_SIZE / MEMDIAG_LINE_BYTES),
		.address = PFN_PHYS(verdict->pfn),
	};

	verdict_begin_run(verdict);
	verdict->emulated = test->kind == MEMDIAG_ENGINE_MARCH &&
			    memdiag_inject_covers(block.address,
						  verdict->nr * PAGE_SIZE);
	if (test->kind == MEMDIAG_ENGINE_FOREIGN)
		verdict_run_foreign(verdict, test, &block, background);
	else if (verdict->emulated)
		memdiag_inject_run(test, &block, background, verdict_add_failure, verdict);
	else
		memdiag_engine_run(test, &block, background, verdict_add_failure, verdict);
	return verdict_run_failed(verdict);
}

/*
 * Before a march: how it fails with this background is yet to be seen. Who has failed with
 * another one, and fails, fails again.
 */
static void suspects_begin(struct memdiag_verdict *verdict)
{
	struct memdiag_suspect *suspect;
	unsigned int i;

	for (i = 0; i < verdict->nr_suspects; i++) {
		suspect = &verdict->suspects[i];
		suspect->again |= suspect->failed_runs > 0;
		suspect->failed_runs = 0;
	}
}

static void count_failure(void *context, const struct memdiag_march_failure *failure)
{
	unsigned int *failures = context;

	(*failures)++;
}

/* The page by itself. */
static bool suspect_fails(const struct memdiag_verdict *verdict,
			  const struct memdiag_suspect *suspect,
			  const struct memdiag_engine_test *test, unsigned int background)
{
	unsigned long pfn = suspect->bad_page.pfn;
	const struct memdiag_engine_block page = {
		.words = page_address(pfn_to_page(pfn)),
		.nr_lines = PAGE_SIZE / MEMDIAG_LINE_BYTES,
		.address = PFN_PHYS(pfn),
	};
	unsigned int failures = 0;

	if (verdict->emulated)
		memdiag_inject_run(test, &page, background, count_failure, &failures);
	else
		memdiag_engine_run(test, &page, background, count_failure, &failures);
	return failures;
}

static bool suspect_is_open(const struct memdiag_suspect *suspect)
{
	return suspect->failed_runs == 1 && !suspect->again;
}

/* A look takes no longer than the page takes. */
static bool test_can_look(const struct memdiag_engine_test *test)
{
	unsigned int i;

	for (i = 0; i < test->march.nr_elements; i++)
		if (test->march.elements[i].delay_ms)
			return false;
	return test->kind == MEMDIAG_ENGINE_MARCH;
}

/**
 * struct look - a look at a page, on a CPU of one's choice
 * @verdict: of the block
 * @suspect: the page
 * @test: the test
 * @background: with which
 */
struct look {
	const struct memdiag_verdict *verdict;
	const struct memdiag_suspect *suspect;
	const struct memdiag_engine_test *test;
	unsigned int background;
};

static long look_run(void *context)
{
	const struct look *look = context;

	return suspect_fails(look->verdict, look->suspect, look->test, look->background);
}

/*
 * Look at pages that failed once, from where they did, until each was seen to fail again, for a
 * second at most, and until somebody waits for the memory.
 */
static void suspects_watch(struct memdiag_verdict *verdict, const struct memdiag_engine_test *test,
			   unsigned int background)
{
	struct look look = { .verdict = verdict, .test = test, .background = background };
	ktime_t end = ktime_add_ms(ktime_get(), MEMDIAG_CLASSIFY_WATCH_MS);
	struct memdiag_suspect *suspect;
	bool open = test_can_look(test);
	unsigned int i;

	while (open && ktime_before(ktime_get(), end) && !memsuite_hold_wanted()) {
		open = false;
		for (i = 0; i < verdict->nr_suspects; i++) {
			suspect = &verdict->suspects[i];
			if (!suspect_is_open(suspect))
				continue;
			look.suspect = suspect;
			suspect->again = work_on_cpu(suspect->cpu, look_run, &look);
			open = true;
		}
		if (open)
			usleep_range(MEMDIAG_CLASSIFY_LOOK_US, 2 * MEMDIAG_CLASSIFY_LOOK_US);
	}
}

/* A page may fail with one background only: the worst that it did counts. */
static void suspects_classify(struct memdiag_verdict *verdict)
{
	unsigned int i;

	for (i = 0; i < verdict->nr_suspects; i++) {
		struct memdiag_suspect *suspect = &verdict->suspects[i];
		enum memdiag_fault_class class;

		if (!suspect->failed_runs)
			continue;
		class = memdiag_classify(suspect->failed_runs, suspect->wrong_rereads,
					 suspect->again);

		suspect->bad_page.class = max(suspect->bad_page.class, class);
	}
}

/*
 * On its CPU and another one, in turn, until it is known which fails, the memory or the CPU. There
 * is a time for that, and where the page does fail, a number of looks, however slow they are. If a
 * CPU goes offline meanwhile, the look is done on another one.
 */
static enum memdiag_opinion suspect_second_opinion(struct look *look, ktime_t end)
{
	enum memdiag_opinion opinion = MEMDIAG_OPINION_OPEN;
	int here = look->suspect->cpu, there = memdiag_testers_other(here);
	unsigned int failed_here = 0, failed_there = 0, looks = 0;

	if (there < 0)
		return opinion;
	while (!opinion && !memsuite_hold_wanted() &&
	       (ktime_before(ktime_get(), end) ||
		(failed_here && looks < MEMDIAG_TESTER_LOOKS))) {
		failed_there += work_on_cpu(there, look_run, look);
		failed_here += work_on_cpu(here, look_run, look);
		looks++;
		opinion = memdiag_tester_judge(failed_here, failed_there);
	}
	return opinion;
}

/* A page that failed once, and not again in many looks, tells nothing. */
static bool suspect_is_clear(const struct memdiag_suspect *suspect)
{
	return suspect->failed_runs && !suspect_is_open(suspect) &&
	       suspect->bad_page.class != MEMDIAG_CLASS_UNCORRECTABLE &&
	       suspect->opinion != MEMDIAG_OPINION_CONFIRMED;
}

/* One page tells of its CPU; where that is in doubt, each other one is asked about. */
static void suspects_confirm(struct memdiag_verdict *verdict,
			     const struct memdiag_engine_test *test, unsigned int background)
{
	ktime_t end = ktime_add_ms(ktime_get(), MEMDIAG_CLASSIFY_WATCH_MS);
	struct look look = { .verdict = verdict, .test = test, .background = background };
	bool confirmed = false;
	unsigned int i;

	for (i = 0; i < verdict->nr_suspects && test_can_look(test); i++) {
		struct memdiag_suspect *suspect = &verdict->suspects[i];

		if (!suspect_is_clear(suspect))
			continue;
		look.suspect = suspect;
		suspect->opinion = suspect_second_opinion(&look, end);
		if (suspect->opinion == MEMDIAG_OPINION_CONFIRMED && !confirmed) {
			memdiag_testers_confirm(suspect->cpu);
			confirmed = true;
		}
		if (suspect->opinion == MEMDIAG_OPINION_DOUBTED && !verdict->doubted) {
			memdiag_testers_doubt(suspect->cpu, suspect->bad_page.address);
			verdict->doubted = true;
		}
	}
}

/*
 * Those that no other CPU has found bad, nor the machine itself. What was tested by a CPU in
 * doubt is tested again, by another one.
 */
static void verdict_acquit_doubted(struct memdiag_verdict *verdict)
{
	struct memdiag_suspect *suspect;
	unsigned long index;

	if (!verdict->doubted)
		return;
	for_each_set_bit(index, verdict->bad, verdict->nr) {
		suspect = suspect_find(verdict, verdict->pfn + index);
		if (!suspect || (suspect->opinion != MEMDIAG_OPINION_CONFIRMED &&
				 suspect->bad_page.class != MEMDIAG_CLASS_UNCORRECTABLE))
			__clear_bit(index, verdict->bad);
	}
}

void memdiag_verdict_march(struct memdiag_verdict *verdict, const struct memdiag_engine_test *test,
			   unsigned int background)
{
	unsigned int i;

	suspects_begin(verdict);
	if (!verdict_run(verdict, test, background))
		return;
	for (i = 0; i < MEMDIAG_CLASSIFY_RERUNS; i++)
		verdict_run(verdict, test, background);
	suspects_watch(verdict, test, background);
	suspects_classify(verdict);
	suspects_confirm(verdict, test, background);
	verdict_acquit_doubted(verdict);
}

void memdiag_joint_add(struct memdiag_joint *joint, unsigned long pfn, unsigned long nr)
{
	struct memdiag_verdict *verdict = &joint->verdicts[joint->nr];
	struct memdiag_engine_block *block = &joint->blocks[joint->nr];

	memdiag_verdict_begin(verdict, pfn, nr);
	*block = (struct memdiag_engine_block) {
		.words = word_at(verdict, 0),
		.nr_lines = nr * (PAGE_SIZE / MEMDIAG_LINE_BYTES),
		.address = PFN_PHYS(pfn),
	};
	joint->runs[joint->nr++] = (struct memdiag_test_run) {
		.block = block,
		.report = verdict_add_failure,
		.context = verdict,
	};
}

/* Returns whether it was run to its end; adds to @failed whether something did. */
static bool joint_run(struct memdiag_joint *joint, const struct memdiag_engine_test *test,
		      unsigned int background, memdiag_ends_fn *ends, bool *failed)
{
	unsigned int i;
	bool whole;

	for (i = 0; i < joint->nr; i++)
		verdict_begin_run(&joint->verdicts[i]);
	whole = memdiag_engine_run_joint(test, joint->runs, joint->nr, background, ends);
	for (i = 0; i < joint->nr; i++)
		*failed |= verdict_run_failed(&joint->verdicts[i]);
	return whole;
}

bool memdiag_joint_march(struct memdiag_joint *joint, const struct memdiag_engine_test *test,
			 unsigned int background, memdiag_ends_fn *ends)
{
	bool failed = false, whole;
	unsigned int i;

	whole = joint_run(joint, test, background, ends, &failed);
	if (!failed)
		return whole;
	for (i = 0; i < MEMDIAG_CLASSIFY_RERUNS; i++)
		joint_run(joint, test, background, ends, &failed);
	for (i = 0; i < joint->nr; i++) {
		suspects_classify(&joint->verdicts[i]);
		suspects_confirm(&joint->verdicts[i], test, background);
		verdict_acquit_doubted(&joint->verdicts[i]);
	}
	return whole;
}

void memdiag_verdict_clear(const struct memdiag_verdict *verdict)
{
	unsigned long i;

	for (i = 0; i < verdict->nr; i++) {
		clear_page(page_address(pfn_to_page(verdict->pfn + i)));
		cond_resched();
	}
}

/* Of pages without details: as bad as those with some. */
static enum memdiag_fault_class verdict_worst_class(const struct memdiag_verdict *verdict)
{
	enum memdiag_fault_class worst = MEMDIAG_CLASS_UNKNOWN;
	unsigned int i;

	for (i = 0; i < verdict->nr_suspects; i++)
		worst = max(worst, verdict->suspects[i].bad_page.class);
	return worst;
}

unsigned long memdiag_verdict_report(struct memdiag_verdict *verdict)
{
	unsigned long bad = 0, index;
	const struct memdiag_bad_page *bad_page;
	struct memdiag_suspect *suspect;

	/* More bad pages than there is room for details of: by page only. */
	for_each_set_bit(index, verdict->bad, verdict->nr) {
		struct memdiag_bad_page bare = {
			.pfn = verdict->pfn + index,
			.address = PFN_PHYS(verdict->pfn + index),
			.time = ktime_get_real_seconds(),
			.class = verdict_worst_class(verdict),
			.origin = memdiag_inject_covers(PFN_PHYS(verdict->pfn + index),
							PAGE_SIZE) ?
				  MEMDIAG_FOUND_EMULATED : MEMDIAG_FOUND_BY_TEST,
		};

		suspect = suspect_find(verdict, bare.pfn);
		bad_page = suspect ? &suspect->bad_page : &bare;
		if (verdict->certain ? !memdiag_bad_pages_refuse(bad_page) :
				       memdiag_retire_policy_wants(bad_page)) {
			memdiag_bad_pages_add(bad_page);
			bad++;
		} else {
			__clear_bit(index, verdict->bad);
		}
	}
	return bad;
}
