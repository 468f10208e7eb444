// SPDX-License-Identifier: GPL-2.0-only
/*
 * March tests with each operation on its own: before a read, and after a
 * write, the line is flushed, the flush waited for and the row closed. This is
 * as the theory has it, two operations in a row included, and tens of times
 * slower than strips. Page by page it is what COMeT and Asteroid do: Asteroid's
 * figure 28 with lines, COMeT's appendix A.2.2 with words.
 */

#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <asm/barrier.h>
#include <asm/special_insns.h>

#include "march/element_exact.h"
#include "march/mcsafe.h"
#include "march/element_run.h"

/**
 * struct walk - a march test on a stretch of the block
 * @run: the run
 * @words: words that an operation is done to
 * @clean: the flushed line, NULL if none is known to be
 */
struct walk {
	struct memdiag_test_run *run;
	unsigned int words;
	const u64 *clean;
};

static void flush_words(struct walk *walk, u64 *word)
{
	clflush(word);
	mb();	/* the flush has reached memory */
	walk->clean = word;
}

/*
 * Close the row that a line is in (DRAM-CLOSE-PAGE of figure 28): nothing does
 * that on request, but a read far away may be of another row of the same bank.
 */
static void close_row(const struct memdiag_test_run *run, size_t at)
{
	size_t all = run->block->nr_lines * MEMDIAG_LINE_WORDS;
	u64 *far = run->block->words + (at + all / 2) % all;

	clflush(far);
	mb();	/* first the flush, then the read */
	/* An error there is reported when its turn comes. */
	(void)memdiag_mcsafe_read(far);
	mb();	/* first this, then what the row was closed for */
}

static void exact_write(struct walk *walk, size_t at, u64 flip)
{
	struct memdiag_test_run *run = walk->run;
	u64 *words = run->block->words + at;
	u64 address = run->block->address + at * sizeof(u64);
	unsigned int i;

	if (walk->clean != words) {
		flush_words(walk, words);
		close_row(run, at);
	}
	for (i = 0; i < walk->words; i++)
		WRITE_ONCE(words[i], flip ^
			   memdiag_background_word(&run->background,
						   address + i * sizeof(u64)));
	flush_words(walk, words);
	close_row(run, at);
}

static void exact_read(struct walk *walk, size_t at, u64 flip)
{
	struct memdiag_test_run *run = walk->run;
	u64 *words = run->block->words + at;
	u64 address = run->block->address + at * sizeof(u64);
	unsigned int i;
	u64 diff;

	if (walk->clean != words) {
		flush_words(walk, words);
		close_row(run, at);
	}
	walk->clean = NULL;
	if (!memdiag_mcsafe_read(words)) {
		memdiag_failure_report_uncorrectable(run, at, flip);
		return;
	}
	for (i = 0; i < walk->words; i++) {
		diff = READ_ONCE(words[i]) ^ flip ^
		       memdiag_background_word(&run->background,
					       address + i * sizeof(u64));
		if (unlikely(diff))
			memdiag_failure_report(run, at + i, diff, flip);
	}
}

static void exact_visit(struct walk *walk, const struct memdiag_march_element *element,
			size_t at)
{
	unsigned int i;

	for (i = 0; i < element->nr_ops; i++) {
		u64 flip = element->ops[i].value ? ~0ULL : 0;

		if (element->ops[i].write)
			exact_write(walk, at, flip);
		else
			exact_read(walk, at, flip);
	}
}

static void exact_run_element(struct walk *walk, const struct memdiag_march_element *element,
			      size_t from, size_t nr)
{
	size_t done, page = PAGE_SIZE / sizeof(u64);

	if (element->delay_ms)
		msleep(element->delay_ms);
	for (done = 0; element->nr_ops && done < nr; done += walk->words) {
		if (element->order == MEMDIAG_MARCH_DOWN)
			exact_visit(walk, element, from + nr - walk->words - done);
		else
			exact_visit(walk, element, from + done);
		if (done % page == 0)
			cond_resched();
	}
}

void memdiag_exact_run(struct memdiag_test_run *run, const struct memdiag_march_test *march)
{
	struct walk walk = {
		.run = run,
		.words = run->method == MEMDIAG_ENGINE_PAGE_WORDS ? 1 : MEMDIAG_LINE_WORDS,
	};
	size_t all = run->block->nr_lines * MEMDIAG_LINE_WORDS, from, nr;
	unsigned int i;

	nr = all;
	if (run->method != MEMDIAG_ENGINE_LINES)
		nr = min_t(size_t, nr, PAGE_SIZE / sizeof(u64));
	for (from = 0; from < all; from += nr) {
		for (i = 0; i < march->nr_elements; i++) {
			run->failure.element = i;
			exact_run_element(&walk, &march->elements[i], from, nr);
		}
	}
}
