// SPDX-License-Identifier: GPL-2.0-only
/*
 * Passes over strips of a block, and march tests made of them: the fast way to
 * test. Also built in user space, where its speed is measured.
 *
 * That reads come from memory, not from a cache on the way, rests on this:
 *
 * - Writes are non-temporal: they go past the caches and drop the line from
 *   them. Their line sits in a write-combining buffer until it is full, or
 *   until an sfence; one ends every pass over a strip, so that none is left
 *   there when the next pass reads. Within a pass no line is read that the pass
 *   has written, so it takes no fence.
 * - A line that was just read is in the first cache already. Where it is faster
 *   (see pass_goes_cached()), it is written there, and flushed a section later, which
 *   takes it out of the caches, by clflushopt; an mfence at the end of the pass
 *   orders the flushes before the reads of the next.
 * - Memory controllers answer reads from their queues of writes. A strip is
 *   larger than those (some hundred lines a channel) together, so the line that
 *   a pass reads first has left them. Of a block that is smaller than a strip,
 *   this cannot be said.
 * - Lines that were read and not written since are in the caches. They are
 *   flushed, a strip at a time, before they are read again; an mfence orders
 *   the flushes before the reads.
 *
 * The first read of a line survives an uncorrectable error (mcsafe.h), and the
 * line is in the cache for the others.
 *
 * A write to an open row does reach its cells, but a read of one comes from the
 * row buffer. A block of 4 MiB is as large as all rows that a small machine
 * keeps open; and refresh closes them all every few microseconds.
 */

#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/processor.h>
#include <asm/special_insns.h>

#include "march/element_run.h"
#include "march/strip.h"

/* 256 KiB: larger than write queues. */
#define STRIP_LINES	4096
/* 64 KiB: some 10 us with preemption off, and more than a first cache holds. */
#define SECTION_LINES	1024

static void failure_report(struct memdiag_test_run *run, size_t word, u64 flip)
{
	run->failure.word = word;
	run->failure.background =
		memdiag_background_word(&run->background,
					run->block->address + word * sizeof(u64));
	run->failure.expected = run->failure.background ^ flip;
	run->report(run->context, &run->failure);
}

void memdiag_failure_report(struct memdiag_test_run *run, size_t word, u64 diff, u64 flip)
{
	run->failure.mask = diff;
	run->failure.uncorrectable = false;
	failure_report(run, word, flip);
}

void memdiag_failure_report_uncorrectable(struct memdiag_test_run *run, size_t word, u64 flip)
{
	run->failure.mask = 0;
	run->failure.uncorrectable = true;
	failure_report(run, word, flip);
}

static size_t section_run(enum memdiag_engine_method method, struct memdiag_strip *strip)
{
	size_t done;

	if (method == MEMDIAG_ENGINE_WORDS)
		return memdiag_strip_words(strip);
	kernel_fpu_begin();
	if (method == MEMDIAG_ENGINE_AVX512)
		done = memdiag_strip_avx512(strip);
	else
		done = memdiag_strip_avx2(strip);
	kernel_fpu_end();
	return done;
}

/* The rest of a pass of which @done lines are done, up to a section of it. */
static void section_begin(const struct memdiag_test_run *run, const struct memdiag_pass *pass,
			  struct memdiag_strip *strip, size_t done)
{
	const struct memdiag_background *background = &run->background;
	size_t line = pass->from + (long)done * pass->stride;
	unsigned int i;

	strip->line = run->block->words + line * MEMDIAG_LINE_WORDS;
	strip->number = run->block->address / MEMDIAG_LINE_BYTES + line;
	for (i = 0; i < MEMDIAG_LINE_WORDS; i++)
		strip->value[i] = background->base[i] +
				  background->step[i] * strip->number;
	/* Scattered values take several times as long. */
	strip->nr = min_t(size_t, pass->nr - done,
			  strip->scatter ? SECTION_LINES / 4 : SECTION_LINES);
	strip->behind = NULL;
	if (strip->cached && done >= SECTION_LINES)
		strip->behind = strip->line - SECTION_LINES * strip->stride;
	else if (strip->cached)
		strip->nr = min_t(size_t, strip->nr, SECTION_LINES - done);
}

/*
 * Whether to write lines that were just read into the cache. Measured on
 * Intel's Cascade Lake, that is faster by a quarter, and on AMD's Zen 4 slower.
 * Words gain nothing. A line that is written with what it holds goes past the
 * caches anyway: some processors drop a cached line that has not changed.
 */
static bool pass_goes_cached(const struct memdiag_test_run *run, const struct memdiag_pass *pass)
{
	return run->method != MEMDIAG_ENGINE_WORDS && pass->read != MEMDIAG_PASS_NONE &&
	       pass->write != MEMDIAG_PASS_NONE && pass->read != pass->write &&
	       boot_cpu_has(X86_FEATURE_CLFLUSHOPT) &&
	       boot_cpu_data.x86_vendor == X86_VENDOR_INTEL;
}

static void pass_prepare(const struct memdiag_test_run *run, const struct memdiag_pass *pass,
			 struct memdiag_strip *strip)
{
	const struct memdiag_background *background = &run->background;
	unsigned int i;

	*strip = (struct memdiag_strip) {
		.stride = pass->stride * (long)MEMDIAG_LINE_WORDS,
		.up = pass->stride,
		.bit = background->bit,
		.scatter = background->scatter,
		.constant = background->bit == MEMDIAG_BACKGROUND_NO_BIT,
		.read = pass->read != MEMDIAG_PASS_NONE,
		.write = pass->write != MEMDIAG_PASS_NONE,
		.cached = pass_goes_cached(run, pass),
		.expected = pass->read == 1 ? ~0ULL : 0,
		.written = pass->write == 1 ? ~0ULL : 0,
	};
	for (i = 0; i < MEMDIAG_LINE_WORDS; i++) {
		strip->step[i] = background->step[i] * strip->up;
		if (strip->step[i])
			strip->constant = false;
	}
}

/* The lines of a pass from @done on. */
static void pass_flush(const struct memdiag_test_run *run, const struct memdiag_pass *pass,
		       size_t done)
{
	size_t line = pass->from + (long)done * pass->stride;
	u64 *word = run->block->words + line * MEMDIAG_LINE_WORDS;

	for (; done < pass->nr; done++, word += pass->stride * (long)MEMDIAG_LINE_WORDS)
		clflushopt(word);
	mb();	/* before anything is read: see above */
}

static void line_report(struct memdiag_test_run *run, const struct memdiag_strip *strip)
{
	size_t word = strip->line - run->block->words;
	unsigned int i;

	if (strip->uncorrectable) {
		memdiag_failure_report_uncorrectable(run, word, strip->expected);
		return;
	}
	for (i = 0; i < MEMDIAG_LINE_WORDS; i++)
		if (strip->diff[i])
			memdiag_failure_report(run, word + i, strip->diff[i],
					       strip->expected);
}

/* Report the line that a section stopped at, and do the rest of it. */
static noinline void section_report_and_redo(struct memdiag_test_run *run,
					     struct memdiag_strip *strip)
{
	line_report(run, strip);
	strip->uncorrectable = false;
	if (!strip->write)
		return;
	strip->read = false;
	strip->nr = 1;
	section_run(run->method, strip);
	strip->read = true;
	if (strip->behind)
		clflushopt(strip->behind);
}

void memdiag_pass_run(struct memdiag_test_run *run, const struct memdiag_pass *pass)
{
	struct memdiag_strip strip;
	size_t done = 0, length;

	pass_prepare(run, pass, &strip);
	if (strip.read && run->cached)
		pass_flush(run, pass, 0);
	while (done < pass->nr) {
		section_begin(run, pass, &strip, done);
		length = section_run(run->method, &strip);
		done += length;
		if (length < strip.nr) {
			section_begin(run, pass, &strip, done);
			section_report_and_redo(run, &strip);
			done++;
		}
		cond_resched();
	}
	if (strip.cached)
		pass_flush(run, pass, done - min_t(size_t, done, SECTION_LINES));
	else if (strip.write)
		wmb();	/* see above */
	run->cached = !strip.write;
}

static int element_value(const struct memdiag_march_element *element, unsigned int op,
			 unsigned int end, bool write)
{
	for (; op < end; op++)
		if (element->ops[op].write == write)
			return element->ops[op].value;
	return MEMDIAG_PASS_NONE;
}

/* All passes of an element over a strip. */
static void element_run_strip(struct memdiag_test_run *run,
			      const struct memdiag_march_element *element,
			      size_t from, size_t nr)
{
	struct memdiag_pass pass = {
		.from = from, .nr = nr,
		.stride = element->order == MEMDIAG_MARCH_DOWN ? -1 : 1,
	};
	unsigned int op, end;

	for (op = 0; op < element->nr_ops; op = end) {
		end = op + memdiag_march_pass(element, op);
		pass.read = element_value(element, op, end, false);
		pass.write = element_value(element, op, end, true);
		memdiag_pass_run(run, &pass);
	}
}

/* An element of one pass needs no strips. */
static size_t element_strip_lines(const struct memdiag_test_run *run,
				  const struct memdiag_march_element *element)
{
	if (memdiag_march_one_pass(element))
		return run->block->nr_lines;
	return STRIP_LINES;
}

static void element_run(struct memdiag_test_run *run, const struct memdiag_march_element *element)
{
	size_t lines = run->block->nr_lines, done, nr;
	bool cached = run->cached;

	for (done = 0; element->nr_ops && done < lines; done += nr) {
		nr = min_t(size_t, lines - done, element_strip_lines(run, element));
		run->cached = cached;
		element_run_strip(run, element, element->order == MEMDIAG_MARCH_DOWN ?
				  lines - 1 - done : done, nr);
	}
}

/* Up or down over the blocks, too: they are one memory. */
bool memdiag_march_run(struct memdiag_test_run *runs, unsigned int nr,
		       const struct memdiag_march_test *march, memdiag_ends_fn *ends)
{
	const struct memdiag_march_element *element;
	struct memdiag_test_run *run;
	unsigned int i, k;

	for (i = 0; i < march->nr_elements; i++) {
		element = &march->elements[i];
		if (element->delay_ms)
			msleep(element->delay_ms);
		for (k = 0; k < nr; k++) {
			if (ends && ends())
				return false;
			run = &runs[element->order == MEMDIAG_MARCH_DOWN ? nr - 1 - k : k];
			run->failure.element = i;
			element_run(run, element);
		}
	}
	return true;
}
